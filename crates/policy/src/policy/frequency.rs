//! Frequency: passwords that are often guessed on this system, or that many users here chose already.

use nearmiss_filters::{ladder::LadderError, storage::Bytes};

use super::{
    candidate::Candidate,
    examination::{Examination, Ladders},
    finding::Finding,
    reason::Reason,
};

/// Finds candidates that are often guessed here. Changes nothing, and costs no slow hash.
pub(super) fn find_guessed<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let Ladders { guessed, fleet_guessed, .. } = examination.ladders;
    if let Some(ladder) = guessed {
        take_answer(ladder.is_guessed(candidate.password), examination);
    }
    if let Some(fleet) = fleet_guessed {
        take_answer(fleet.rejects_as_guessed(candidate.password), examination);
    }
}

#[inline(never)] // called twice
fn take_answer<D: Bytes>(is_guessed: Result<bool, LadderError>, examination: &mut Examination<'_, D>) {
    if examination.result_of_guesses(is_guessed) == Some(true) {
        examination.found(Finding::plain(Reason::GuessedHere));
    }
}

/// Finds candidates at the top of the ladder of chosen passwords. Changes nothing. A candidate with a finding
/// is not looked up: the slow hash costs as much as a login.
pub(super) fn find_chosen<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let Ladders { chosen, fleet_chosen, .. } = examination.ladders;
    let password = candidate.password;
    let mut is_too_common = false;
    if let Some(ladder) = chosen.filter(|_| !examination.has_found()) {
        let answer = ladder.element(password).and_then(|element| ladder.is_too_common(&element));
        is_too_common = examination.result_of_ladder(answer) == Some(true);
    }
    if let Some(fleet) = fleet_chosen.filter(|_| !is_too_common && !examination.has_found()) {
        is_too_common = examination.result_of_ladder(fleet.is_too_common(password)) == Some(true);
    }
    if is_too_common {
        examination.found(Finding::plain(Reason::TooCommonHere));
    }
}
