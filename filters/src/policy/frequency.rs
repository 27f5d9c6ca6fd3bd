//! Frequency: what is often tried on this system by guessing, and what many people here chose already.

use super::{candidate::Candidate, finding::Finding, reason::Reason, sources::Sources};
use crate::storage::Bytes;

/// Finds candidates that are often guessed here. Changes nothing, and costs no slow hash.
pub(super) fn find_guessed<D: Bytes>(
    candidate: &Candidate<'_>,
    sources: &mut Sources<'_, D>,
) -> Option<Finding> {
    let ladder = sources.ladders.guessed?;
    let is_guessed = sources.answer_of_guesses(ladder.is_guessed(candidate.password))?;
    is_guessed.then(|| Finding::plain(Reason::GuessedHere))
}

/// Finds candidates that stand at the top of the ladder of chosen passwords. Changes nothing.
pub(super) fn find_chosen<D: Bytes>(
    candidate: &Candidate<'_>,
    sources: &mut Sources<'_, D>,
) -> Option<Finding> {
    let ladder = sources.ladders.chosen?;
    let element = sources.answer_of_ladder(ladder.element(candidate.password))?;
    let is_too_common = sources.answer_of_ladder(ladder.is_too_common(&element))?;
    is_too_common.then(|| Finding::plain(Reason::TooCommonHere))
}
