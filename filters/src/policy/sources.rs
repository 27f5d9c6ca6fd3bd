//! Where a candidate is looked up, and which of these places failed.

use std::{error::Error, fmt};

use super::{
    dictionaries::{Lookups, Rule},
    finding::Finding,
    frequency::Chosen,
};
use crate::{
    dictionary::FilterError,
    ladder::{ChosenLadder, LadderError},
    storage::Bytes,
};

/// The opened dictionaries and ladder, for the examination of one candidate.
///
/// A source that fails is noted and not asked again; the others are.
pub struct Sources<'s, D> {
    pub(super) dictionaries: Lookups<'s, D>,
    pub(super) chosen: Chosen<'s>,
}

impl<'s, D: Bytes> Sources<'s, D> {
    /// These dictionaries, in this order, and the ladder of chosen passwords, where there is one.
    pub fn new(rules: &'s [Rule<D>], chosen: Option<&'s ChosenLadder>) -> Sources<'s, D> {
        Sources { dictionaries: Lookups::new(rules), chosen: Chosen::new(chosen) }
    }

    /// The finding, if every source that was asked answered.
    pub(super) fn close(self, finding: Option<Finding>) -> Result<Option<Finding>, Partial> {
        let filters = self.dictionaries.into_failures().map(SourceError::Filter);
        let ladder = self.chosen.into_failure().map(SourceError::Ladder);
        let failures: Vec<_> = filters.chain(ladder).collect();
        if failures.is_empty() { Ok(finding) } else { Err(Partial { finding, failures }) }
    }
}

/// Some sources failed: there is no verdict, only what the others found.
#[derive(Debug)]
pub struct Partial {
    /// What the sources that answered found.
    pub finding: Option<Finding>,
    /// The sources that failed, at least one.
    pub failures: Vec<SourceError>,
}

impl fmt::Display for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.failures.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("; "))
    }
}

impl Error for Partial {}

/// A filter or a ladder that cannot be opened or asked.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceError {
    /// A dictionary filter.
    Filter(FilterError),
    /// The ladder.
    Ladder(LadderError),
}

impl SourceError {
    /// True when the caller of a setuid program could have brought the failure about.
    pub fn may_be_provoked(&self) -> bool {
        match self {
            SourceError::Filter(error) => error.may_be_provoked(),
            SourceError::Ladder(error) => error.may_be_provoked(),
        }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Filter(error) => error.fmt(f),
            SourceError::Ladder(error) => error.fmt(f),
        }
    }
}

impl Error for SourceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SourceError::Filter(error) => error.source(),
            SourceError::Ladder(error) => error.source(),
        }
    }
}
