//! Frequency: what many people on this system chose already.

use super::{candidate::Candidate, finding::Finding, reason::Reason, sources::Sources};
use crate::storage::Bytes;

/// Finds candidates that stand at the top of the ladder of chosen passwords. Changes nothing. What is
/// rejected anyway is not looked up: the slow hash costs as much as a login.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    let Some(ladder) = sources.chosen.filter(|_| !sources.has_found()) else { return };
    let Some(element) = sources.answer_of_ladder(ladder.element(candidate.password)) else { return };
    if sources.answer_of_ladder(ladder.is_too_common(&element)) == Some(true) {
        sources.found(Finding::plain(Reason::TooCommonHere));
    }
}
