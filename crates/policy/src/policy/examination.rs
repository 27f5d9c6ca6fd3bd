//! The sources in which a candidate is looked up, and the ones that failed.

use std::{error::Error, fmt};

use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, FilterError},
    format::{Kind, Match},
    keys::{Keyed, MessageKey},
    ladder::{ChosenLadder, Fleet, GuessLadder, LadderError},
    storage::Bytes,
};

use super::finding::Finding;

/// A dictionary to query, and the matching.
#[derive(Debug)]
pub struct OpenDictionary<D> {
    /// The filter.
    pub filter: DictionaryFilter<D>,
    /// Exact matches only, or near matches too.
    pub matching: Match,
}

impl<D: Bytes> OpenDictionary<D> {
    pub(super) fn is_word_list(&self) -> bool {
        self.filter.header().kind == Kind::Words
    }
}

/// The two ladders of a site, if they exist.
#[derive(Clone, Copy, Default)]
pub struct Ladders<'s> {
    /// The ladder of chosen passwords.
    pub chosen: Option<&'s ChosenLadder>,
    /// The ladder of guessed passwords.
    pub guessed: Option<&'s GuessLadder>,
    /// The fleet, for lookups of chosen passwords.
    pub fleet_chosen: Option<&'s Fleet>,
    /// The fleet, for lookups of guessed passwords.
    pub fleet_guessed: Option<&'s Fleet>,
}

/// The opened dictionaries and ladders, for the examination of one candidate, and the findings so far.
///
/// A source that fails is recorded and not queried again; the others are. A failure after the first finding
/// does not count: the finding stands, and the lookups that follow only hide which of them led to it.
pub struct Examination<'s, D> {
    pub(super) rules: &'s [OpenDictionary<D>],
    pub(super) buffers: Buffers,
    pub(super) ladders: Ladders<'s>,
    failed_rules: Vec<(usize, FilterError)>,
    failed_ladders: Vec<SourceError>,
    first: Option<Finding>,
    /// The number of failed rules that count.
    counted: usize,
}

impl<'s, D: Bytes> Examination<'s, D> {
    /// These dictionaries, in this order, and the ladders.
    pub fn new(rules: &'s [OpenDictionary<D>], ladders: Ladders<'s>) -> Examination<'s, D> {
        let (buffers, failed_rules) = (Buffers::default(), Vec::new());
        Examination {
            rules,
            buffers,
            ladders,
            failed_rules,
            failed_ladders: Vec::new(),
            first: None,
            counted: 0,
        }
    }

    /// Keeps the finding, if it is the first.
    pub(super) fn found(&mut self, finding: Finding) {
        self.first.get_or_insert(finding);
    }

    /// True if there is a finding already.
    pub(super) fn has_found(&self) -> bool {
        self.first.is_some()
    }

    /// True if this dictionary failed before.
    pub(super) fn has_failed(&self, rule: usize) -> bool {
        self.failed_rules.iter().any(|(failed, _)| *failed == rule)
    }

    /// The result of this dictionary; none if it failed, which is recorded.
    pub(super) fn result<T>(&mut self, rule: usize, result: Result<T, FilterError>) -> Option<T> {
        result.map_err(|error| self.note(rule, error)).ok()
    }

    fn note(&mut self, rule: usize, error: FilterError) {
        self.failed_rules.push((rule, error));
        if !self.has_found() {
            self.counted = self.failed_rules.len();
        }
    }

    /// The result of the ladder of chosen passwords; none if it failed, which is recorded.
    pub(super) fn result_of_ladder<T>(&mut self, result: Result<T, LadderError>) -> Option<T> {
        result.map_err(|error| self.failed_ladders.push(SourceError::Ladder(error))).ok()
    }

    /// The result of the ladder of guessed passwords; none if it failed, which is recorded.
    pub(super) fn result_of_guesses<T>(&mut self, result: Result<T, LadderError>) -> Option<T> {
        result.map_err(|error| self.note_of_guesses(error)).ok()
    }

    fn note_of_guesses(&mut self, error: LadderError) {
        if !self.has_found() {
            self.failed_ladders.push(SourceError::Guesses(error));
        }
    }

    /// The first finding, and the sources that failed before it.
    pub(super) fn close(self) -> Examined {
        let counted = self.failed_rules.into_iter().take(self.counted);
        let filters = counted.map(|(_, error)| SourceError::Filter(error));
        Examined { finding: self.first, failures: filters.chain(self.failed_ladders).collect() }
    }
}

/// The result of examining a candidate: the finding, and the sources that failed.
#[derive(Debug)]
pub struct Examined {
    /// The reason why the candidate is weak; `None` if no working source has one.
    pub finding: Option<Finding>,
    /// The sources that failed. If there is one, `finding: None` is not an acceptance.
    pub failures: Vec<SourceError>,
}

impl Examined {
    /// The finding, if every source worked.
    ///
    /// # Errors
    /// The first source that failed.
    pub fn complete(self) -> Result<Option<Finding>, SourceError> {
        self.failures.into_iter().next().map_or(Ok(self.finding), Err)
    }
}

/// A filter or a ladder that cannot be opened or queried.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// A dictionary filter.
    Filter(FilterError),
    /// The ladder of chosen passwords.
    Ladder(LadderError),
    /// The ladder of guessed passwords.
    Guesses(LadderError),
}

impl SourceError {
    /// True when the caller of a setuid program could have brought the failure about.
    pub fn may_be_provoked(&self) -> bool {
        match self {
            SourceError::Filter(error) => error.may_be_provoked(),
            SourceError::Ladder(error) | SourceError::Guesses(error) => error.may_be_provoked(),
        }
    }
}

impl From<FilterError> for SourceError {
    fn from(error: FilterError) -> SourceError {
        SourceError::Filter(error)
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Filter(error) => error.fmt(f),
            SourceError::Ladder(error) | SourceError::Guesses(error) => error.fmt(f),
        }
    }
}

impl Keyed for SourceError {
    fn key(&self) -> MessageKey {
        match self {
            SourceError::Filter(error) => error.key(),
            SourceError::Ladder(error) | SourceError::Guesses(error) => error.key(),
        }
    }
}

impl Error for SourceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SourceError::Filter(error) => error.source(),
            SourceError::Ladder(error) | SourceError::Guesses(error) => error.source(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_source_that_fails_is_named_with_what_it_failed_of() {
        for kind in [SourceError::Ladder, SourceError::Guesses] {
            let source = io::Error::other("gone");
            let error = kind(LadderError::Access { path: "/l".into(), source });
            assert!(error.to_string().starts_with("/l"), "{error}");
            assert_eq!(error.source().map(ToString::to_string), Some("gone".into()));
        }
    }
}
