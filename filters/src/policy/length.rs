//! Length: characters, not bytes, and a limit on what is looked at.

#![allow(clippy::arithmetic_side_effects, reason = "a count of the bytes of a slice at most")]

use super::{
    candidate::Candidate,
    examination::Examination,
    finding::Finding,
    reason::{MAX_PASSWORD_BYTES, Reason},
};
use crate::storage::Bytes;

/// Finds candidates that are empty, too long or shorter than the policy allows.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let min_length = candidate.policy.min_length;
    let reason = match candidate.password {
        [] => Reason::Empty,
        long if long.len() > MAX_PASSWORD_BYTES => Reason::TooLong,
        short if character_count(short) < min_length => Reason::TooShort { min_length },
        _ => return,
    };
    examination.found(Finding::plain(reason));
}

/// Unicode scalar values, and one for each byte that is not UTF-8.
fn character_count(password: &[u8]) -> usize {
    password.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Context, Policy, StructureRules, tests::reason};

    #[test]
    fn lengths_are_characters_not_bytes() {
        let policy = Policy { structure: StructureRules::NONE, ..Policy::default() };
        let reason = |password: &[u8]| reason(&policy, password, &Context::default());
        let short = Some(Reason::TooShort { min_length: 8 });
        assert_eq!(reason(b""), Some(Reason::Empty));
        assert_eq!(reason(b"1234567"), short);
        assert_eq!(reason("日本語".as_bytes()), short);
        assert_eq!(reason("日本語日本語日本".as_bytes()), None);
        assert_eq!(reason(b"\xff\xfe\xfd\xfc\xfb\xfa\xf9"), short);
        assert_eq!(reason(&[b'x'; 512]), None);
        assert_eq!(reason(&[b'x'; 513]), Some(Reason::TooLong));
    }
}
