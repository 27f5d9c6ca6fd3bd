//! The decision: in which order a candidate is examined, and nothing else. No I/O but the pages of filters and ladder,
//! no clock, bounded work for every input.
//!
//! Each detector of [`Policy::examine`]'s table looks for one kind of weakness; the first finding wins. The whole password
//! is compared, not substrings of it, and there are no composition rules (NIST SP 800-63B-4 §3.1.1.2). Each lookup is
//! done for the cleaned candidate and its [`variants`]; in lists of digests for the candidate as typed first, and
//! then, when any variant is switched on, for those.

mod candidate;
mod context;
mod dictionaries;
mod digests;
mod finding;
mod frequency;
mod leet;
mod length;
mod reason;
mod sources;
pub mod variants;

pub use context::Context;
pub use dictionaries::Rule;
pub use finding::{Evidence, Finding};
pub use reason::Reason;
pub use sources::{Partial, SourceError, Sources};
pub use variants::{MAX_VARIANTS, Transforms, VariantRules};

use self::candidate::Candidate;
use crate::storage::Bytes;

/// Bytes of a password that are looked at; a longer one is rejected.
pub const MAX_PASSWORD_BYTES: usize = 512;

/// Characters a variant that lost some must have left to be looked up at all.
pub const LEAST_LEFT_EXACT: usize = 4;

/// Characters a variant that lost some must have left to be looked up at distance 1: short words are near to
/// everything.
pub const LEAST_LEFT_NEAR: usize = 6;

/// The rules of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Least number of characters (Unicode scalar values), not bytes.
    pub min_length: usize,
    /// Which variants of a candidate are looked up.
    pub variants: VariantRules,
    /// Which parts of the context a candidate must not be near.
    pub context: ContextRules,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { min_length: 8, variants: VariantRules::default(), context: ContextRules::default() }
    }
}

/// Which parts of the context a candidate must not be near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct ContextRules {
    /// The user name.
    pub user: bool,
    /// The words of the GECOS field.
    pub gecos: bool,
    /// The host name.
    pub host: bool,
    /// The old password.
    pub old_password: bool,
}

impl Default for ContextRules {
    fn default() -> ContextRules {
        ContextRules { user: true, gecos: true, host: true, old_password: true }
    }
}

/// Looks for one kind of weakness. A source that fails is noted in `sources` and finds nothing: the others are still
/// asked.
type Detector<D> = fn(&Candidate<'_>, &mut Sources<'_, D>) -> Option<Finding>;

impl Policy {
    /// Why a candidate is to be rejected; none where nothing speaks against it.
    ///
    /// The cheap detectors come first, and the ladder last, since its slow hash costs as much as a login.
    ///
    /// # Errors
    /// [`Partial`] when a source failed: there is no verdict then.
    pub fn examine<D: Bytes>(
        &self,
        password: &[u8],
        context: &Context<'_>,
        mut sources: Sources<'_, D>,
    ) -> Result<Option<Finding>, Partial> {
        let order: [Detector<D>; 6] = [
            length::is_wrong,
            context::is_near,
            dictionaries::is_word,
            dictionaries::is_leaked,
            dictionaries::is_near_word,
            frequency::is_too_common,
        ];
        let candidate = Candidate::new(self, password, context);
        let finding = order.iter().find_map(|detect| detect(&candidate, &mut sources));
        sources.close(finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reason to reject a password where there are no dictionaries and no ladder.
    pub(super) fn reason(policy: &Policy, password: &[u8], context: &Context<'_>) -> Option<Reason> {
        let examined = policy.examine(password, context, Sources::<Vec<u8>>::new(&[], None));
        examined.unwrap().map(|finding| finding.reason)
    }

    #[test]
    fn the_first_finding_wins() {
        let context = Context { user: b"someuser", old_password: Some(b"someuser"), ..Context::default() };
        let short = Policy { min_length: 9, ..Policy::default() };
        let too_short = Reason::TooShort { min_length: 9 };
        assert_eq!(reason(&short, b"someuser", &context), Some(too_short));
        assert_eq!(reason(&Policy::default(), b"someuser", &context), Some(Reason::NearUserName));
        assert_eq!(reason(&Policy::default(), b"somebody", &context), None);
    }
}
