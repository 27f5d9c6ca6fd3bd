//! Frequency: what many people on this system chose already.

use super::{candidate::Candidate, finding::Finding, reason::Reason};
use crate::ladder::{ChosenLadder, LadderError};

/// The ladder of chosen passwords for the examination of one candidate, until it fails.
pub(super) struct Chosen<'s> {
    ladder: Option<&'s ChosenLadder>,
    failure: Option<LadderError>,
}

impl<'s> Chosen<'s> {
    pub(super) fn new(ladder: Option<&'s ChosenLadder>) -> Chosen<'s> {
        Chosen { ladder, failure: None }
    }

    /// Finds candidates that stand at the top of the ladder. Changes nothing.
    pub(super) fn find(&mut self, candidate: &Candidate<'_>) -> Option<Finding> {
        let ladder = self.ladder?;
        let element = ladder.element(candidate.password);
        match element.and_then(|element| ladder.is_too_common(&element)) {
            Ok(is_too_common) => is_too_common.then(|| Finding::plain(Reason::TooCommonHere)),
            Err(error) => {
                self.failure = Some(error);
                None
            }
        }
    }

    pub(super) fn into_failure(self) -> Option<LadderError> {
        self.failure
    }
}
