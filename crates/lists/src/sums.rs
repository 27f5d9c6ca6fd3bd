//! Digests of texts, to find out whether a text beside a hash is the one that it is of.

use md4::{Digest as _, Md4};
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};

/// MD5.
pub(crate) fn md5(text: &[u8]) -> Vec<u8> {
    Md5::digest(text).to_vec()
}

/// SHA-2 with this number of hexadecimal digits; none if there is none of this length.
pub(crate) fn sha2(digits: usize, text: &[u8]) -> Option<Vec<u8>> {
    Some(match digits {
        56 => Sha224::digest(text).to_vec(),
        64 => Sha256::digest(text).to_vec(),
        96 => Sha384::digest(text).to_vec(),
        128 => Sha512::digest(text).to_vec(),
        _ => return None,
    })
}

/// SHA-1.
pub(crate) fn sha1(text: &[u8]) -> Vec<u8> {
    Sha1::digest(text).to_vec()
}

/// MD4.
pub(crate) fn md4(text: &[u8]) -> Vec<u8> {
    Md4::digest(text).to_vec()
}

/// A text in UTF-16, as NTLM is of it.
pub(crate) fn wide(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Hexadecimal digits in lower case.
pub(crate) fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `md5sum`, `sha256sum` and `sha1sum` print.
    #[test]
    fn digests_are_those_of_other_programs() {
        assert_eq!(hex(&md5(b"password")), "5f4dcc3b5aa765d61d8327deb882cf99");
        for (digits, sum) in [
            (56, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            (64, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ] {
            assert_eq!(hex(&sha2(digits, b"abc").unwrap()), sum);
        }
        for digits in [96, 128] {
            assert_eq!(hex(&sha2(digits, b"abc").unwrap()).len(), digits);
        }
        assert_eq!(sha2(40, b"abc"), None);
        assert_eq!(hex(&sha1(b"password")), "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8");
        assert_eq!(hex(&md4(&wide(b"password"))), "8846f7eaee8fb117ad06bdd830b7586c");
    }
}
