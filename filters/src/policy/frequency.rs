//! Frequency: what many people on this system chose already.

use super::{Finding, Reason, candidate::Candidate, sources::Sources};
use crate::storage::Bytes;

/// Finds candidates that stand at the top of the ladder of chosen passwords. Changes nothing.
pub(super) fn is_too_common<D: Bytes>(
    candidate: &Candidate<'_>,
    sources: &mut Sources<'_, D>,
) -> Option<Finding> {
    let is_too_common = sources.ask_chosen(|ladder| {
        let element = ladder.element(candidate.password)?;
        ladder.is_too_common(&element)
    });
    is_too_common.filter(|&is_too_common| is_too_common).map(|_| Finding::plain(Reason::TooCommonHere))
}
