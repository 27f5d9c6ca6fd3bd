//! The two filters of an update: one for near matches, and one for exact matches only.
//!
//! Nearly every short string is near a word of a large near filter. So if the lists together have more than
//! [`MANY_NEAR_WORDS`] words, the longest ones go into the exact filter, unless the configuration sets `near`
//! or `exact`. The exact filter always has the everyday list and that of further passwords. If there is no
//! second filter, a filter of that size is exact as a whole.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    failure::Failure,
    input::{self, BUILT_IN, EVERYDAY, Embedded, Expected, ListName, RANKED},
    progress::Progress,
};
use nearmiss_filters::{
    dictionary::sizing::MANY_NEAR_WORDS,
    format::{Kind, Match},
};
use nearmiss_policy::config::{DEFAULT_DICTIONARY, EXACT_DICTIONARY, UpdateRules};

use super::{
    Args,
    gather::{self, Gathered},
    sources::OpenList,
};
use crate::filter_file::replaceable::{FileKind, refuse_other_records, refuse_same, with_files_beside};

/// The exact filter is to add this part to the rate that the other one keeps.
const PART_OF_RATE: f64 = 0.1;

/// The lists that are part of the program, for the filter of near matches.
static OF_NEAR: [&Embedded; 1] = [&BUILT_IN];

/// And for the one of exact matches.
static OF_EXACT: [&Embedded; 2] = [&EVERYDAY, &RANKED];

/// One of the two filters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    /// The filter that is named.
    #[default]
    Main,
    /// The one beside it.
    Exact,
}

impl Part {
    /// The lists that are part of the program for this filter.
    pub(super) fn built_in(self) -> &'static [&'static Embedded] {
        match self {
            Part::Main => &OF_NEAR,
            Part::Exact => &OF_EXACT,
        }
    }

    /// The exact filter is always written, even if it is empty: a filter that is looked up must exist.
    pub(super) fn capacity(self) -> Option<u64> {
        (self == Part::Exact).then_some(1)
    }
}

impl Args {
    /// The command for the exact filter; none if there is none.
    pub(super) fn second(&self) -> Option<Args> {
        let output = self.exact_output()?;
        Some(Args { output, part: Part::Exact, ..self.clone() })
    }

    fn exact_output(&self) -> Option<PathBuf> {
        let is_packaged = self.output == Path::new(DEFAULT_DICTIONARY);
        self.exact.clone().or_else(|| is_packaged.then(|| PathBuf::from(EXACT_DICTIONARY)))
    }

    /// Refuses filters whose files are the same, and other files in the places of filters and records.
    ///
    /// # Errors
    /// A [`Failure`] that names the file.
    pub(super) fn refuse_outputs(&self, second: Option<&Args>) -> Result<(), Failure> {
        let mut filters = [Some(self), second].into_iter().flatten().map(|part| part.output.as_path());
        refuse_same(filters.clone().flat_map(with_files_beside))?;
        filters.clone().try_for_each(refuse_other_records)?;
        filters.try_for_each(|filter| FileKind::Filter.refuse_other_files(filter))
    }

    /// Keeps the lists that this filter is built from, and returns its specification and the lists that are
    /// too long for near matches.
    pub(super) fn divide(
        &self,
        mut rules: UpdateRules,
        gathered: &mut Gathered,
    ) -> (UpdateRules, Vec<PathBuf>) {
        let long = if rules.is_auto { self.long_lists(&rules, gathered) } else { Vec::new() };
        match (self.part, self.exact_output()) {
            (Part::Exact, _) => {
                gathered.keep(|list| long.contains(&list.path));
                rules.spec.matching = Match::Exact;
                rules.spec.stated.false_rejection *= PART_OF_RATE;
            }
            (Part::Main, Some(_)) => gathered.keep(|list| !long.contains(&list.path)),
            (Part::Main, None) if !long.is_empty() => rules.spec.matching = Match::Exact,
            (Part::Main, None) => {}
        }
        (rules, long)
    }

    /// The longest lists: without them the others and the built-in one have at most [`MANY_NEAR_WORDS`].
    fn long_lists(&self, rules: &UpdateRules, gathered: &Gathered) -> Vec<PathBuf> {
        let count = |list: &OpenList| (gather::count(list, rules, self.max_text), list.path.clone());
        let mut lists: Vec<(u64, PathBuf)> = gathered.sources.iter().map(count).collect();
        lists.sort();
        let built_in = if rules.common { built_in_words() } else { 0 };
        let mut room = MANY_NEAR_WORDS.saturating_sub(built_in);
        let is_long = |&(words, _): &(u64, PathBuf)| {
            let fits = words <= room;
            room = if fits { room.saturating_sub(words) } else { 0 };
            !fits
        };
        lists.into_iter().filter(is_long).map(|(_, path)| path).collect()
    }
}

/// The words of the list that a near filter begins with.
fn built_in_words() -> u64 {
    let lists =
        input::open(&[ListName::Embedded(&BUILT_IN)], &Expected::of(Kind::Words), &Progress::new(true));
    lists.map_or(0, |lists| lists.iter().map(gather::words_of).fold(0, u64::saturating_add))
}
