//! The digests of a password that are looked up in lists of leaked passwords: SHA-1 of the bytes (FIPS
//! 180-4), and NTLM, which is MD4 (RFC 1320) of the characters in UTF-16LE.
//!
//! For the candidate as typed, SHA-1 hashes the bytes unchanged; for a variant its text in UTF-8. NTLM reads
//! bytes that are not UTF-8 as Latin-1 characters. The text is passed to the hash functions piece by piece,
//! without a copy; their states are wiped when dropped.

use md4::{Digest as _, Md4};
use sha1::Sha1;
use zeroize::{Zeroize, Zeroizing};

use crate::{
    format::Kind,
    word::{Symbol, Word},
};

/// A digest, wiped when dropped: that of a weak password is equivalent to the password.
pub type Digest = Zeroizing<Vec<u8>>;

/// The hash functions, used for one candidate after the other.
#[derive(Default)]
pub struct Digester {
    sha1: Sha1,
    md4: Md4,
}

impl Digester {
    /// The digest of the candidate as typed, for a list of this kind; none for words. Not inlined: one copy
    /// of the hash functions is enough.
    #[inline(never)]
    pub fn of_password(&mut self, kind: Kind, password: &[u8]) -> Option<Digest> {
        match kind {
            Kind::Words => return None,
            Kind::Sha1 => self.sha1.update(password),
            Kind::Ntlm => {
                for chunk in password.utf8_chunks() {
                    chunk.valid().chars().for_each(|character| self.push_utf16(character));
                    chunk.invalid().iter().for_each(|&byte| self.push_utf16(char::from(byte)));
                }
            }
        }
        self.finish(kind)
    }

    /// The digest of a variant's text, for a list of this kind; none for words.
    pub fn of_variant(&mut self, kind: Kind, word: &Word) -> Option<Digest> {
        match kind {
            Kind::Words => return None,
            Kind::Sha1 => word.symbols().for_each(|symbol| self.push_utf8(symbol)),
            Kind::Ntlm => word.symbols().for_each(|symbol| self.push_utf16(symbol.readable())),
        }
        self.finish(kind)
    }

    fn push_utf8(&mut self, symbol: Symbol) {
        let mut bytes = [0; 4];
        match symbol.character() {
            Some(character) => self.sha1.update(character.encode_utf8(&mut bytes).as_bytes()),
            None => self.sha1.update([symbol.byte()]),
        }
        bytes.zeroize();
    }

    fn push_utf16(&mut self, character: char) {
        let mut units = [0; 2];
        character.encode_utf16(&mut units).iter().for_each(|unit| self.md4.update(unit.to_le_bytes()));
        units.zeroize();
    }

    fn finish(&mut self, kind: Kind) -> Option<Digest> {
        match kind {
            Kind::Words => None,
            Kind::Sha1 => Some(Zeroizing::new(self.sha1.finalize_reset().to_vec())),
            Kind::Ntlm => Some(Zeroizing::new(self.md4.finalize_reset().to_vec())),
        }
    }
}

/// The digest of a password as typed, for a list of this kind; none for words.
pub fn digest_of(kind: Kind, password: &[u8]) -> Option<Digest> {
    Digester::default().of_password(kind, password)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(digest: Option<Digest>) -> String {
        digest.map_or_else(String::new, |digest| digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn both(kind: Kind, text: &[u8]) -> [String; 2] {
        let mut digester = Digester::default();
        let word = Word::clean(text).unwrap_or_default();
        [hex(digester.of_password(kind, text)), hex(digester.of_variant(kind, &word))]
    }

    /// The best known digests of "password", and digests of other texts by `sha1sum` and `openssl md4`.
    #[test]
    fn digests_are_those_of_the_published_lists() {
        let sha1 = "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8";
        assert_eq!(both(Kind::Sha1, b"password"), [sha1, sha1]);
        let ntlm = "8846f7eaee8fb117ad06bdd830b7586c";
        assert_eq!(both(Kind::Ntlm, b"password"), [ntlm, ntlm]);
        assert_eq!(both(Kind::Words, b"password"), ["", ""]);
    }

    #[test]
    fn typed_is_hashed_as_typed_and_a_variant_as_its_text() {
        let [typed, cleaned] = both(Kind::Sha1, b"PASSWORD");
        assert_eq!(typed, "112bb791304791ddcf692e29fd5cf149b35fea37");
        assert_eq!(cleaned, "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8");
        assert_eq!(
            both(Kind::Ntlm, "\u{1f600}é".as_bytes())[0],
            both(Kind::Ntlm, "\u{1f600}é".as_bytes())[1]
        );
    }

    #[test]
    fn bytes_that_are_no_utf8_are_hashed_as_they_are_and_as_latin_1() {
        let latin = b"caf\xe9";
        let [typed, cleaned] = both(Kind::Sha1, latin);
        assert_eq!(typed, cleaned);
        assert_ne!(typed, both(Kind::Sha1, "café".as_bytes())[0]);
        assert_eq!(both(Kind::Ntlm, latin), both(Kind::Ntlm, "café".as_bytes()));
    }

    #[test]
    fn a_digester_starts_anew_each_time() {
        let mut digester = Digester::default();
        let first = hex(digester.of_password(Kind::Ntlm, b"one"));
        digester.of_password(Kind::Ntlm, b"two");
        assert_eq!(hex(digester.of_password(Kind::Ntlm, b"one")), first);
    }
}
