//! Words that are hashes: many hexadecimal digits, in whatever dress.

use crate::{
    hashes::{self, FEWEST_DIGITS, Hash},
    line::nine_in_ten,
    refusal::{Refusal, Way, digests_alone},
};

/// Fewer different digits may be typed: repetitions, runs.
const DIFFERENT_DIGITS: u32 = 6;

/// The digits of a SHA-1 digest without the first five, by which its range is named.
const OF_RANGE: usize = 35;

/// Refuses words of which more than one in ten are hashes; more than one in a hundred are a doubt.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    let hashes: Vec<&str> = words.iter().filter_map(|word| hash(word)).collect();
    if super::is_part(hashes.len(), words.len(), 10) {
        return Err(refusal(&hashes, words.len()));
    }
    if super::is_part(hashes.len(), words.len(), 100) {
        doubts.push(format!(
            "has hashes among its words: {} of {} that were looked at; no password would match them",
            hashes.len(),
            words.len()
        ));
    }
    Ok(())
}

/// The refusal of these hashes, by their name if they are of one kind.
fn refusal(found: &[&str], words: usize) -> Refusal {
    let is_range = |hash: &&str| hash.len() == OF_RANGE;
    if found.iter().all(is_range) {
        let way = "the folder that has all ranges, whose names have the other digits, and --kind sha1";
        let content = "digests without their first five digits: one range of SHA-1 digests";
        return Refusal::new(content, Way::Other(way.to_owned()));
    }
    let kind = found.first().and_then(|first| hashes::of(first));
    let is_of_kind = |hash: &&str| kind.is_some() && hashes::of(hash) == kind;
    if found.iter().all(is_of_kind) && nine_in_ten(found.len(), words) {
        if let Some(hash @ Hash::Other(_)) = kind {
            return Refusal::of_hashes(hash);
        }
        let kind = if kind == Some(Hash::Sha1) { "sha1" } else { "ntlm" };
        let alone = digests_alone(found.first().map_or(0, |digest| digest.len()));
        let copy = Way::CopyOfKind(alone, kind);
        return Refusal::new("digests that have signs around them", copy);
    }
    let content = format!("hashes: {} of {words} words that were looked at", found.len());
    Refusal { content, ways: vec![Way::Columns, Way::Copy("without these lines".to_owned())] }
}

/// The hash that a word is, without the signs around it, or that is a part of it.
fn hash(word: &str) -> Option<&str> {
    if matches!(hashes::of(word), Some(Hash::Other(name)) if !name.ends_with("digests")) {
        return Some(word);
    }
    let digits = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
    let is_hex = digits.len() >= FEWEST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex && is_mixed(digits) {
        return Some(digits);
    }
    let is_hash = |part: &&str| {
        part.len() >= FEWEST_DIGITS && part.bytes().all(|byte| byte.is_ascii_hexdigit()) && is_mixed(part)
    };
    word.split(|c: char| !c.is_alphanumeric()).find(is_hash)
}

/// Letters and digits, and many different ones: not a long number, and not a pattern.
fn is_mixed(digits: &str) -> bool {
    let has = |is_so: fn(&u8) -> bool| digits.bytes().any(|byte| is_so(&byte));
    let seen = digits.chars().filter_map(|c| c.to_digit(16)).fold(0_u32, |seen, digit| seen | 1 << digit);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && seen.count_ones() >= DIFFERENT_DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_known_in_any_dress_and_long_words_are_none() {
        let sha1 = "5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8";
        for word in [
            sha1,
            &format!("0x{sha1}"),
            &format!("\"{sha1}\""),
            &format!("{sha1},"),
            &sha1[5..],
            &format!("$salt${sha1}:word"),
        ] {
            assert!(hash(word).is_some(), "{word}");
        }
        for word in [
            "deadbeef",
            "1234567890123456789012345678901234567890",
            &"abc1".repeat(9),
            "décadéface",
            &format!("{sha1}x"),
        ] {
            assert_eq!(hash(word), None, "{word}");
        }
    }
}
