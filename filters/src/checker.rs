//! A configuration with its filters opened: what the module and `filterctl check` ask.

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

use crate::{
    config::{Config, DictionaryRule},
    dictionary::{DictionaryFilter, FilterError, Loading},
    format::{Kind, Match},
    policy::{Context, Finding, Policy, Rule, Verdict},
    storage::{Access, mapped::Mapped},
};

/// Why a configuration's filters cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckError {
    /// A filter is missing, not trusted or damaged.
    Filter(FilterError),
    /// The configuration asks a filter for near matches that was built for exact ones.
    NotNear {
        /// The filter file.
        path: PathBuf,
        /// What it holds: digests have no neighbours, words could have been built with them.
        kind: Kind,
    },
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Filter(error) => write!(f, "{error}"),
            CheckError::NotNear { path, kind: Kind::Words } => write!(
                f,
                "{}: built for exact matches; rebuild it with --match near, or configure match = \"exact\"",
                path.display()
            ),
            CheckError::NotNear { path, kind } => write!(
                f,
                "{}: holds {} digests, which have no neighbours; leave match out, or configure match = \"exact\"",
                path.display(),
                kind.name()
            ),
        }
    }
}

impl Error for CheckError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            CheckError::Filter(error) => Some(error),
            CheckError::NotNear { .. } => None,
        }
    }
}

impl From<FilterError> for CheckError {
    fn from(error: FilterError) -> CheckError {
        CheckError::Filter(error)
    }
}

/// Opened filters and the policy that asks them.
#[derive(Debug)]
pub struct Checker {
    policy: Policy,
    rules: Vec<Rule<Mapped>>,
}

impl Checker {
    /// Opens every dictionary the configuration names, so that nobody who may read a filter can observe what it is
    /// asked.
    ///
    /// # Errors
    /// [`CheckError`] for the first one that cannot be used.
    pub fn open(config: &Config) -> Result<Checker, CheckError> {
        let loading = if config.private_copy { Loading::Copied } else { Loading::Unobserved };
        let rules = config.dictionaries.iter().map(|rule| open_rule(rule, loading));
        let rules = rules.collect::<Result<_, _>>()?;
        Ok(Checker { policy: config.policy.clone(), rules })
    }

    /// Judges a candidate.
    ///
    /// # Errors
    /// [`CheckError::Filter`] when a filter turns out to be damaged: there is no verdict then.
    pub fn judge(&self, password: &[u8], context: &Context<'_>) -> Result<Verdict, CheckError> {
        Ok(self.policy.judge(password, context, &self.rules)?)
    }

    /// Judges a candidate and tells an administrator why; `None` accepts it.
    ///
    /// # Errors
    /// As [`Checker::judge`].
    pub fn examine(&self, password: &[u8], context: &Context<'_>) -> Result<Option<Finding>, CheckError> {
        Ok(self.policy.examine(password, context, &self.rules)?)
    }

    /// The filters that any user may read, which they should not: see [`Loading::Unobserved`].
    pub fn public_filters(&self) -> impl Iterator<Item = &Path> {
        let filters = self.rules.iter().map(|rule| &rule.filter);
        filters.filter(|filter| filter.access() == Access::Public).map(DictionaryFilter::path)
    }

    /// The opened dictionaries, in the order they are asked.
    pub fn rules(&self) -> &[Rule<Mapped>] {
        &self.rules
    }
}

fn open_rule(rule: &DictionaryRule, loading: Loading) -> Result<Rule<Mapped>, CheckError> {
    let filter = DictionaryFilter::open(&rule.file, loading)?;
    let built_for = filter.header().matching;
    let matching = rule.matching.unwrap_or(built_for);
    if matching == Match::Near && built_for == Match::Exact {
        return Err(CheckError::NotNear { path: rule.file.clone(), kind: filter.header().kind });
    }
    Ok(Rule { filter, matching })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::policy::Reason;

    /// Asks a copy of one of the frozen filters: the folder of the sources need not pass the trusted walk.
    fn opened(golden: &str, matching: Option<Match>) -> Result<Checker, CheckError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("words.filter");
        fs::copy(format!("{}/tests/golden/{golden}.filter", env!("CARGO_MANIFEST_DIR")), &file).unwrap();
        let dictionaries = vec![DictionaryRule { file, matching }];
        Checker::open(&Config { dictionaries, ..Config::default() })
    }

    #[test]
    fn a_filter_is_asked_for_no_more_than_it_was_built_for() {
        use Match::{Exact, Near};
        for (golden, wanted, got) in [
            ("near-8", None, Some(Near)),
            ("near-8", Some(Near), Some(Near)),
            ("near-8", Some(Exact), Some(Exact)),
            ("exact", None, Some(Exact)),
            ("exact", Some(Exact), Some(Exact)),
            ("exact", Some(Near), None),
        ] {
            let checker = opened(golden, wanted).ok();
            let matching = checker.and_then(|checker| checker.rules().first().map(|rule| rule.matching));
            assert_eq!(matching, got, "{golden} {wanted:?}");
        }
    }

    #[test]
    fn the_finding_is_why_the_verdict_is_what_it_is() {
        let checker = opened("near-8", None).unwrap();
        for (password, reason) in [
            (b"elephant".as_slice(), Some(Reason::Dictionary)),
            (b"elephqnt", Some(Reason::NearDictionary)),
            (b"stranger", None),
        ] {
            let finding = checker.examine(password, &Context::default()).unwrap();
            assert_eq!(finding.map(|finding| finding.reason), reason);
            let verdict = checker.judge(password, &Context::default()).unwrap();
            assert_eq!(verdict, reason.map_or(Verdict::Accept, Verdict::Reject));
        }
    }

    #[test]
    fn advice_fits_what_the_filter_holds() {
        let told = |kind| CheckError::NotNear { path: "/f".into(), kind }.to_string();
        assert!(told(Kind::Words).contains("rebuild it with --match near"));
        assert!(told(Kind::Sha1).contains("holds sha1 digests") && !told(Kind::Ntlm).contains("rebuild"));
    }
}
