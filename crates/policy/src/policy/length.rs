//! Length: characters, not bytes, and an upper limit. A character of a script whose characters are syllables
//! or words counts twice: six of them are three or four words.

#![allow(clippy::arithmetic_side_effects, reason = "a count of the bytes of a slice at most")]

use nearmiss_filters::storage::Bytes;

use super::{
    candidate::Candidate,
    examination::Examination,
    finding::Finding,
    reason::{MAX_PASSWORD_BYTES, Reason},
};

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

/// Unicode scalar values, Han, kana and Hangul characters twice, and one for each byte that is not UTF-8.
fn character_count(password: &[u8]) -> usize {
    let count = |text: &str| text.chars().fold(0, |sum, c| sum + 1 + usize::from(is_syllable(c)));
    password.utf8_chunks().map(|chunk| count(chunk.valid()) + chunk.invalid().len()).sum()
}

/// Han, kana and Hangul: a character is a syllable or a word. The letters of which Hangul syllables are
/// composed are not.
pub(super) fn is_syllable(c: char) -> bool {
    matches!(
        u32::from(c),
        0x3041..=0x3096 | 0x30a1..=0x30fa | 0x31f0..=0x31ff | 0xff66..=0xff9d // kana
            | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff // Han
            | 0xac00..=0xd7a3 // Hangul
    )
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
        for text in ["日本語日", "ひらカナ", "ﾋﾗｶﾅ", "비밀번호", "𠮷野家は", "密码abcd", "𰻞𰻞麺屋"]
        {
            assert_eq!(reason(text.as_bytes()), None, "{text}");
        }
        // Cyrillic, Thai and Devanagari letters, and Hangul in its letters, count once.
        for text in [
            "日本語a",
            "密码abc",
            "пароль",
            "รหัสผ",
            "हिन्दी",
            "\u{1107}\u{1175}\u{1106}\u{1175}\u{11af}",
            "ㅂㅣㅁㅣㄹ",
        ] {
            assert_eq!(reason(text.as_bytes()), short, "{text}");
        }
        assert_eq!(reason("日本語日本語日本".as_bytes()), None);
        assert_eq!(reason(b"\xff\xfe\xfd\xfc\xfb\xfa\xf9"), short);
        assert_eq!(reason(&[b'x'; 511]), None);
        assert_eq!(reason(&[b'x'; 512]), Some(Reason::TooLong));
    }
}
