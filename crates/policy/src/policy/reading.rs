//! The readings of a password whose bytes are not UTF-8: the terminal of the user has another charset. Each
//! is looked up like the password as typed, which lists of digests may have, too.
//!
//! The charset is not known for certain: Latin-1 gives every byte a character, and an application may know
//! the charset of its own locale ([`Context::in_locale`](super::Context::in_locale)). A filter states its
//! rate for the lookups of one reading.

use nearmiss_filters::word::Word;

/// The bytes as Latin-1, in UTF-8; none for bytes that are UTF-8, or too many to be near a word.
pub(super) fn as_latin_1(bytes: &[u8]) -> Option<Word> {
    if std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    Word::from_characters(&mut bytes.iter().map(|&byte| char::from(byte)))
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::format::{Kind, Match, SchemeId};

    use super::*;
    use crate::policy::{
        Context, Examination, Ladders, OpenDictionary, Policy, Reason,
        small_filters::{digests_of, filter_of},
    };

    #[test]
    fn bytes_that_are_not_utf_8_are_latin_1_and_others_have_no_other_reading() {
        let latin_1 = |bytes: &[u8]| as_latin_1(bytes).map(|text| text.to_text());
        assert_eq!(latin_1(b"Stra\xdfenbahn").as_deref(), Some("Straßenbahn"));
        assert_eq!((latin_1("Straßenbahn".as_bytes()), latin_1(b"elephant")), (None, None));
    }

    fn reason(dictionaries: &[OpenDictionary<Vec<u8>>], password: &[u8], in_locale: &str) -> Option<Reason> {
        let context = Context {
            gecos: b"Zo\xeb M\xfcller-L\xfcdenscheidt",
            in_locale: Some(in_locale.as_bytes()).filter(|text| !text.is_empty()),
            ..Context::default()
        };
        let examination = Examination::new(dictionaries, Ladders::default());
        let found = Policy::default().examine(password, &context, examination).complete().unwrap();
        found.map(|finding| finding.reason)
    }

    #[test]
    fn every_reading_is_examined_and_only_the_typed_bytes_are_counted_for_the_length() {
        // SHA-1 of "Übungsgelände" in UTF-8.
        let digests = digests_of(Kind::Sha1, &["baf64a2cedd5748477fb391452feec9a488082ed"]);
        let words = OpenDictionary {
            filter: filter_of(&["straßenbahn", "парольчик"], SchemeId::Deletions, 8, 5),
            matching: Match::Near,
        };
        let all = [words, OpenDictionary { filter: digests, matching: Match::Exact }];
        let koi8_r = b"\xd0\xc1\xd2\xcf\xcc\xd8\xde\xc9\xcb1";
        for (password, in_locale, expected) in [
            (&b"Stra\xdfenbahn"[..], "", Some(Reason::Dictionary)),
            (b"Stra\xdfenbah", "", Some(Reason::NearDictionary)),
            (koi8_r, "", None),
            (koi8_r, "парольчик1", Some(Reason::Dictionary)),
            (b"wheelbarrow", "парольчик1", None),
            (b"M\xfcller2026!", "", Some(Reason::NearRealName)),
            (b"mueller2026!", "", Some(Reason::NearRealName)),
            (b"\xdcbungsgel\xe4nde", "", Some(Reason::Breached)),
            (&[0xe9; 300], "", Some(Reason::Pattern)),
        ] {
            assert_eq!(reason(&all, password, in_locale), expected, "{password:x?} {in_locale}");
        }
    }
}
