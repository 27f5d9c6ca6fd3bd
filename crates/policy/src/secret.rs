//! A password in memory of its own: exact size, wiped when dropped, never printed.

use zeroize::Zeroizing;

use crate::policy::MAX_PASSWORD_BYTES;

/// An owned copy of a password. It has no `Debug` on purpose.
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Copies at most [`MAX_PASSWORD_BYTES`]` + 1` bytes: one extra byte is enough to reject a password as
    /// too long, and the input at a prompt may be megabytes long.
    pub fn copy_of(bytes: &[u8]) -> Secret {
        let kept = bytes.get(..MAX_PASSWORD_BYTES.saturating_add(1)).unwrap_or(bytes);
        Secret(Zeroizing::new(kept.to_vec()))
    }

    /// The bytes as typed.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_any_bytes_in_a_buffer_of_their_size() {
        let secret = Secret::copy_of(b"\xff\xfe h\xc3");
        assert_eq!(secret.bytes(), b"\xff\xfe h\xc3");
        assert_eq!(secret.0.capacity(), 5);
    }

    #[test]
    fn keeps_one_byte_more_than_is_judged() {
        let secret = Secret::copy_of(&[b'q'; 4096]);
        assert_eq!(secret.bytes().len(), MAX_PASSWORD_BYTES + 1);
        assert_eq!(secret.0.capacity(), MAX_PASSWORD_BYTES + 1);
    }
}
