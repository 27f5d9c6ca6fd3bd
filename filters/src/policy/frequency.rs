//! Frequency: what is often tried on this system by guessing, and what many people here chose already.

use super::{candidate::Candidate, finding::Finding, reason::Reason, sources::Sources};
use crate::storage::Bytes;

/// Finds candidates that are often guessed here. Changes nothing, and costs no slow hash.
pub(super) fn find_guessed<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    let Some(ladder) = sources.ladders.guessed else { return };
    if sources.answer_of_guesses(ladder.is_guessed(candidate.password)) == Some(true) {
        sources.found(Finding::plain(Reason::GuessedHere));
    }
}

/// Finds candidates that stand at the top of the ladder of chosen passwords. Changes nothing. What is
/// rejected anyway is not looked up: the slow hash costs as much as a login.
pub(super) fn find_chosen<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    let Some(ladder) = sources.ladders.chosen.filter(|_| !sources.has_found()) else { return };
    let Some(element) = sources.answer_of_ladder(ladder.element(candidate.password)) else { return };
    if sources.answer_of_ladder(ladder.is_too_common(&element)) == Some(true) {
        sources.found(Finding::plain(Reason::TooCommonHere));
    }
}
