//! Lists that keep their size and have other words: a sample of the words is looked up in the earlier filter,
//! whatever form the lists have.

use std::path::Path;

use nearmiss_cli::{failure::Failure, keys, report::number};

use super::PreviousFilter;

/// Lists of fewer words are not compared: a few words are edited by hand.
const FEWEST: u64 = 10;

/// The fewest words of the earlier list that must be among those that were looked up if all of them are there
/// still: fewer may be missing by chance, where the list has grown a hundredfold.
const FEWEST_EXPECTED: u64 = 20;

/// A sample of the words of a list, looked up in the earlier filter.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct LookedUp {
    /// The number of words.
    pub(in super::super) words: u64,
    /// The number of those that the earlier filter has.
    pub(in super::super) found: u64,
}

/// A list whose words are others than before.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct ChangedList {
    file: String,
    looked_up: u64,
    found: u64,
}

impl PreviousFilter {
    /// The number of words that a list had in the earlier filter, if they are enough to be compared.
    pub(in super::super) fn words_to_compare(&self, name: &str) -> Option<u64> {
        let known = self.words.iter().find(|(file, _)| file == name).map(|(_, words)| *words);
        known.filter(|words| *words >= FEWEST)
    }

    /// The lists whose words are others `now` than in the earlier filter: of each, its name, the number of
    /// its words, and a sample of them.
    ///
    /// A list may grow: the part of the sample that is found, of all words it has now, is the number of words
    /// that are left of the earlier ones. If it is less than half, the list has another content, or another
    /// form in which its lines are read to other words.
    pub(in super::super) fn changed(
        &self,
        now: impl Iterator<Item = (String, u64, LookedUp)>,
    ) -> Vec<ChangedList> {
        let is_changed = |(name, words, sample): &(String, u64, LookedUp)| {
            let Some(before) = self.words_to_compare(name) else { return false };
            let part =
                |number: u64, of: u64, all: u64| number.saturating_mul(of).checked_div(all).unwrap_or(0);
            let expected = part(sample.words, before.min(*words), *words);
            let left = part(sample.found, *words, sample.words);
            expected >= FEWEST_EXPECTED.min(before) && left < before / 2
        };
        let changed = |(file, _, LookedUp { words, found })| ChangedList { file, looked_up: words, found };
        now.filter(is_changed).map(changed).collect()
    }
}

/// The filter is not built: these lists have other words.
pub(in super::super) fn changed_failure(filter: &Path, changed: &[ChangedList]) -> Failure {
    let lists: Vec<_> = changed
        .iter()
        .map(|list| {
            let (found, looked_up) = (number(list.found), number(list.looked_up));
            format!("{} (the earlier filter has {found} of {looked_up} words that were looked up)", list.file)
        })
        .collect();
    Failure::plain(
        keys::LIST_LOST,
        format!(
            "{}: not rebuilt, since the filter would lose words: a list lacks more than half of its earlier \
             words, or has another form: {}; restore the list, or accept that with filterctl update \
             --drop-missing",
            filter.display(),
            lists.join(", ")
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list that keeps half of its words has the others; one that grows may have few of them in its sample.
    #[test]
    fn a_list_with_other_words_is_changed_and_one_that_has_grown_is_not() {
        let words = [("/a", 2000), ("/few", 9), ("/ten", 10)].map(|(file, words)| (file.to_owned(), words));
        let earlier = PreviousFilter { lists: Vec::new(), words: words.into(), dropped: Vec::new() };
        let is_changed = |file: &str, now: u64, words: u64, found: u64| {
            let sample = LookedUp { words, found };
            !earlier.changed([(file.to_owned(), now, sample)].into_iter()).is_empty()
        };
        for (file, now, words, found) in [
            ("/a", 2000, 1000, 1000),
            ("/a", 2000, 1000, 500),
            ("/a", 20_000, 1000, 100),
            ("/a", 20_000, 1000, 51),
            ("/a", 1_000_000, 1000, 0),
            ("/few", 9, 9, 0),
            ("/ten", 10, 10, 5),
            ("/ten", 20, 20, 10),
            ("/new", 2000, 1000, 0),
            ("/a", 2000, 0, 0),
        ] {
            assert!(!is_changed(file, now, words, found), "{file} {now} {words} {found}");
        }
        for (file, now, words, found) in
            [("/a", 2000, 1000, 499), ("/a", 2000, 1000, 0), ("/a", 20_000, 1000, 49), ("/ten", 10, 10, 4)]
        {
            assert!(is_changed(file, now, words, found), "{file} {now} {words} {found}");
        }
    }
}
