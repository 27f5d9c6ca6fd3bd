//! Frequency: what is often tried on this system by guessing, and what many people here chose already.

use super::{
    candidate::Candidate,
    finding::Finding,
    reason::Reason,
    sources::{Ladders, Sources},
};
use crate::{ladder::LadderError, storage::Bytes};

/// Finds candidates that are often guessed here. Changes nothing, and costs no slow hash.
pub(super) fn find_guessed<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    let Ladders { guessed, fleet_guessed, .. } = sources.ladders;
    let local = guessed.map(|ladder| ladder.is_guessed(candidate.password));
    let of_fleet = fleet_guessed.map(|fleet| fleet.is_guessed(candidate.password));
    for answer in [local, of_fleet].into_iter().flatten() {
        if sources.answer_of_guesses(answer) == Some(true) {
            sources.found(Finding::plain(Reason::GuessedHere));
        }
    }
}

/// Finds candidates that stand at the top of the ladder of chosen passwords. Changes nothing. What is
/// rejected anyway is not looked up: the slow hash costs as much as a login.
pub(super) fn find_chosen<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    let Ladders { chosen, fleet_chosen, .. } = sources.ladders;
    let local = || {
        let ladder = chosen?;
        Some(ladder.element(candidate.password).and_then(|element| ladder.is_too_common(&element)))
    };
    let of_fleet = || fleet_chosen.map(|fleet| fleet.is_too_common(candidate.password));
    let asked: [&dyn Fn() -> Option<Result<bool, LadderError>>; 2] = [&local, &of_fleet];
    for ask in asked {
        let answer = if sources.has_found() { None } else { ask() };
        if answer.and_then(|answer| sources.answer_of_ladder(answer)) == Some(true) {
            sources.found(Finding::plain(Reason::TooCommonHere));
        }
    }
}
