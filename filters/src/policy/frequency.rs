//! Frequency: what many people on this system chose already.

use super::{candidate::Candidate, finding::Finding, reason::Reason, sources::Sources};
use crate::storage::Bytes;

/// Finds candidates that stand at the top of the ladder of chosen passwords. Changes nothing.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) -> Option<Finding> {
    let ladder = sources.chosen?;
    let element = sources.answer_of_ladder(ladder.element(candidate.password))?;
    let is_too_common = sources.answer_of_ladder(ladder.is_too_common(&element))?;
    is_too_common.then(|| Finding::plain(Reason::TooCommonHere))
}
