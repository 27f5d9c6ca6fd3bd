//! The digests of common passwords, by which a filter of digests of another kind is known: MD5 looks like
//! NTLM, and a digest of a digest like a digest.

use crate::sums::{hex, md4, md5, sha1, wide};

/// Passwords of which any large list has some.
const COMMON: [&str; 20] = [
    "123456",
    "password",
    "12345678",
    "qwerty",
    "123456789",
    "12345",
    "1234",
    "111111",
    "1234567",
    "dragon",
    "123123",
    "abc123",
    "letmein",
    "monkey",
    "iloveyou",
    "password1",
    "qwerty123",
    "000000",
    "admin",
    "welcome",
];

/// The fewest digests of another kind that are no accident.
const FEWEST: usize = 2;

/// The digest of a text.
type Digest = fn(&[u8]) -> Vec<u8>;

/// A kind of digest, with its name.
type Kind = (&'static str, Digest);

/// The kinds that look like SHA-1 digests.
const LIKE_SHA1: [Kind; 5] = [
    ("SHA-1 digests of words with a line end (echo WORD | sha1sum)", |text| sha1(&with_end(text))),
    ("SHA-1 digests of UTF-16", |text| sha1(&wide(text))),
    ("SHA-1 digests of SHA-1 digests, as MySQL has them", |text| sha1(&sha1(text))),
    ("SHA-1 digests of the digits of SHA-1 digests", |text| sha1(hex(&sha1(text)).as_bytes())),
    ("SHA-1 digests of the digits of MD5 digests", |text| sha1(hex(&md5(text)).as_bytes())),
];

/// The kinds that look like NTLM digests.
const LIKE_NTLM: [Kind; 6] = [
    ("MD5 digests", md5),
    ("MD5 digests of words with a line end (echo WORD | md5sum)", |text| md5(&with_end(text))),
    ("MD5 digests of UTF-16", |text| md5(&wide(text))),
    ("MD5 digests of the digits of MD5 digests", |text| md5(hex(&md5(text)).as_bytes())),
    ("MD4 digests of words that are not in UTF-16", md4),
    ("NTLM digests of words with a line end", |text| md4(&wide(&with_end(text)))),
];

/// The name of the kind of digests that `is_stored` finds, if it is another one than that of SHA-1 (40
/// digits) or NTLM (32): it has digests of common passwords of that kind, and none of the right one.
///
/// `is_stored` may find digests that are not there, but seldom: nothing is said of a filter that finds one of
/// a hundred others.
pub fn other_kind(digits: usize, is_stored: &mut dyn FnMut(&str) -> bool) -> Option<&'static str> {
    let (right, others): (Digest, &[Kind]) =
        if digits == 40 { (sha1, &LIKE_SHA1) } else { (|text| md4(&wide(text)), &LIKE_NTLM) };
    if COMMON.iter().any(|word| is_stored(&hex(&right(word.as_bytes())))) {
        return None;
    }
    let mut stored = |of: Digest| COMMON.iter().filter(|word| is_stored(&hex(&of(word.as_bytes())))).count();
    let found = others.iter().find(|(_, of)| stored(*of) >= FEWEST)?;
    let is_found = |n: u32| is_stored(&hex(&right(format!("no password, only the number {n}").as_bytes())));
    (!(0..100).any(is_found)).then_some(found.0)
}

fn with_end(text: &[u8]) -> Vec<u8> {
    [text, b"\n"].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn digests(of: impl Fn(&[u8]) -> Vec<u8>) -> HashSet<String> {
        ["password", "letmein", "elephant"].iter().map(|word| hex(&of(word.as_bytes()))).collect()
    }

    #[test]
    fn digests_of_another_kind_are_known_by_common_passwords() {
        for (digits, kinds) in [(40, &LIKE_SHA1[..]), (32, &LIKE_NTLM)] {
            for (name, of) in kinds {
                let list = digests(of);
                assert_eq!(other_kind(digits, &mut |digest| list.contains(digest)), Some(*name));
            }
        }
        let ntlm = digests(|text| md4(&wide(text)));
        let both: HashSet<String> = ntlm.iter().cloned().chain(digests(md5)).collect();
        for list in [ntlm, both, HashSet::new()] {
            assert_eq!(other_kind(32, &mut |digest| list.contains(digest)), None);
        }
        assert_eq!(other_kind(32, &mut |digest| !digest.starts_with(['a', '8'])), None, "finds all");
    }
}
