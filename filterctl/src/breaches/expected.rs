//! The filter expected at a path: by the options with which leaked passwords are fetched, by the
//! configuration, and by the filter that is there.

use std::path::Path;

use nearmiss_cli::input::MOST_DIGESTS;
use nearmiss_filters::{
    dictionary::{
        Spec,
        sizing::{Demand, group_bits_for},
    },
    format::{Header, Kind, Match},
};
use nearmiss_policy::config::DictionaryRule;

use super::filter::{Places, options_in, words_of};
use crate::{
    filter_file::header::header_at,
    report::{counted, digits},
};

/// The rounding error of the rate in a header.
const ROUNDED: f64 = 1.0 + 1e-9;

/// The filter that nearmiss-fetch builds with these options.
pub(crate) struct Fetched {
    spec: Spec,
    /// True if no server is named, so that the whole corpus is fetched.
    pub(crate) is_of_everyone: bool,
}

impl Fetched {
    /// Parses the options from a file that only root writes. A value that cannot be parsed is refused by
    /// nearmiss-fetch itself: the default is used.
    pub(crate) fn with(options: &str) -> Fetched {
        let words = words_of(options);
        let value = |name: &str| {
            let at = words.iter().rposition(|word| *word == name || is_set_by(word, name))?;
            let word = words.get(at)?;
            word.split_once('=')
                .map_or_else(|| words.get(at.saturating_add(1)).copied(), |(_, value)| Some(value))
        };
        let kind = if value("--kind") == Some(Kind::Ntlm.name()) { Kind::Ntlm } else { Kind::Sha1 };
        let mut spec = Spec::of_digests(kind);
        if let Some(rate) = value("--false-rejection").and_then(|rate| rate.parse().ok()) {
            spec.stated.false_rejection = rate;
        }
        let spec = if words.contains(&"--logins") { spec.for_logins() } else { spec };
        Fetched { spec, is_of_everyone: value("--url").is_none() }
    }

    /// The reason why a filter with this header cannot come from these options; none if it can.
    pub(crate) fn refuses(&self, header: &Header) -> Option<String> {
        if header.kind != self.spec.kind {
            let (is, named) = (header.kind.name(), self.spec.kind.name());
            return Some(format!("it is a filter of kind {is}, and the options name {named}"));
        }
        let demand =
            |stated| Demand { scheme: self.spec.effective_scheme(), deletion_bits: 0, stated, symbols: 0 };
        let [claimed, promised] = [header.stated, self.spec.stated].map(|s| demand(s).stated_lookup_rate());
        // A rate that is not a number is no less than any.
        if claimed.is_nan() || promised.is_nan() || claimed > promised * ROUNDED {
            return Some(format!(
                "its false positive rate per lookup is {}, and the options require {}",
                digits(claimed),
                digits(promised)
            ));
        }
        let most = demand(self.spec.stated).grouped_geometry(MOST_DIGESTS, group_bits_for(MOST_DIGESTS));
        let Some(most) = most.map(|most| most.pages) else {
            return Some("no filter can have the rate of the options".to_owned());
        };
        if header.pages > most {
            let (pages, most) = (counted(header.pages, "page"), counted(most, "page"));
            return Some(format!("its header claims {pages}, and no corpus needs more than {most}"));
        }
        None
    }
}

fn is_set_by(word: &str, name: &str) -> bool {
    word.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
}

/// The reason why the filter with this header, at this path in the system below `root`, does not match the
/// options of the service; none if it does, and for every other filter.
pub(crate) fn mismatch(root: &Path, file: &Path, header: &Header) -> Option<String> {
    let places = Places::below(root);
    let is_fetched = places.is_on().unwrap_or(false) && places.filter.as_path() == file;
    if is_fetched { Fetched::with(&options_in(&places)).refuses_kind(header) } else { None }
}

impl Fetched {
    /// The same of the kind alone: what is in place may have been fetched with another rate, before the
    /// options were changed.
    fn refuses_kind(&self, header: &Header) -> Option<String> {
        self.refuses(header).filter(|_| header.kind != self.spec.kind)
    }
}

/// The reason why a filter with this header cannot replace the one at `target`, which these rules of the
/// configuration use; none if it can.
pub(crate) fn misfit(header: &Header, target: &Path, rules: &[DictionaryRule]) -> Option<String> {
    if let Some(before) = header_at(target).filter(|before| before.kind != header.kind) {
        let (is, was) = (header.kind.name(), before.kind.name());
        return Some(format!(
            "it is a filter of kind {is}, and the installed one is of kind {was}; remove that first"
        ));
    }
    let rule = rules.iter().find(|rule| rule.file == target)?;
    if header.matching == Match::Exact && rule.matching == Some(Match::Near) {
        return Some("it is an exact filter, and the configuration uses it with match = \"near\"".to_owned());
    }
    if header.matching == Match::Near && rule.logins && rule.matching != Some(Match::Exact) {
        return Some(
            "it is a near filter, and the configuration uses it at logins, which need match = \"exact\""
                .to_owned(),
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::dictionary::{Build, DictionaryFilter};
    use nearmiss_filters::hash::Key;

    use super::*;

    fn header(spec: Spec) -> Header {
        let digest = if spec.kind == Kind::Ntlm { "0".repeat(32) } else { "0".repeat(40) };
        let bytes = Build::new(spec, Key::new([3; 16])).in_memory(&[digest.as_bytes()]).unwrap();
        DictionaryFilter::from_bytes(bytes).unwrap().header().clone()
    }

    fn says(options: &str, header: &Header) -> Option<String> {
        Fetched::with(options).refuses(header)
    }

    #[test]
    fn a_filter_of_the_options_is_taken_and_no_other() {
        let usual = header(Spec::of_digests(Kind::Sha1));
        let sure = header(Spec::of_digests(Kind::Sha1).for_logins());
        let ntlm = header(Spec::of_digests(Kind::Ntlm));
        for options in
            ["", "OPTIONS=", "# no\nOPTIONS=\"--kind sha1 --min-count 3\"\n", "OPTIONS=--kind=sha1"]
        {
            assert_eq!([says(options, &usual), says(options, &sure)], [None, None], "{options}");
            assert!(says(options, &ntlm).unwrap().contains("of kind ntlm, and the options name sha1"));
        }
        assert_eq!(says("OPTIONS=--kind=ntlm", &ntlm), None);
        assert!(says("OPTIONS=\"--kind ntlm\"", &usual).unwrap().contains("options name ntlm"));
        assert_eq!(says("OPTIONS=--logins", &sure), None);
        assert!(says("OPTIONS=--logins", &usual).unwrap().contains("its false positive rate per lookup is"));
        let mut loose = usual.clone();
        loose.stated.false_rejection = 0.01;
        assert!(says("", &loose).is_some());
        assert_eq!(says("OPTIONS=\"--false-rejection 0.01\"", &loose), None);
        loose.stated = usual.stated;
        loose.stated.lookups = 1;
        assert!(says("", &loose).is_some(), "the rate of one lookup is what counts");
        // A rate that no filter can have, or that is not a number, allows nothing.
        for rate in ["1e-300", "NaN", "-1", "0"] {
            let mut header = usual.clone();
            header.stated.false_rejection = if rate == "NaN" { 0.5 } else { 0.0 };
            assert!(says(&format!("OPTIONS=\"--false-rejection {rate}\""), &header).is_some(), "{rate}");
        }
        let mut giant = usual.clone();
        giant.pages = 64_000_000;
        assert!(says("", &giant).unwrap().contains("no corpus needs more than"));
    }

    #[test]
    fn where_no_server_is_named_everyones_corpus_is_fetched() {
        assert!(Fetched::with("OPTIONS=\"--kind sha1\"").is_of_everyone);
        for named in ["OPTIONS=\"--url https://a.example\"", "OPTIONS=--url=https://a.example"] {
            assert!(!Fetched::with(named).is_of_everyone, "{named}");
        }
    }
}
