//! Which lines of a list can be used.

use nearmiss_filters::word::{MAX_DICTIONARY_CHARACTERS, Word};
use serde::Serialize;

/// Why a line is left out of the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fault {
    /// Nothing but white space.
    Blank,
    /// More characters, after cleaning, than a dictionary word has.
    OverLong,
    /// Control characters, which nobody types.
    Control,
}

impl Fault {
    /// All faults, in the order they are reported.
    pub(crate) const ALL: [Fault; 3] = [Fault::Blank, Fault::OverLong, Fault::Control];

    /// The fault as it is told, after a number of lines.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Fault::Blank => "blank",
            Fault::OverLong => "longer than 255 characters",
            Fault::Control => "with control characters",
        }
    }
}

/// A character becomes at most 18 by NFKC (U+FDFA), so a line of at most this many needs no cleaning to see that it
/// fits.
const SURELY_FITS: usize = MAX_DICTIONARY_CHARACTERS / 18;

/// A line of more bytes than this has more than [`MAX_DICTIONARY_CHARACTERS`] characters after cleaning: no
/// composed character replaces more than 12 bytes (a Hangul syllable replaces 9, a Greek letter with three marks 8).
const SURELY_TOO_LONG: usize = MAX_DICTIONARY_CHARACTERS * 12;

/// The fault of a line of UTF-8 text without its line end, or none.
pub(crate) fn fault(line: &[u8]) -> Option<Fault> {
    if line.iter().all(|&byte| matches!(byte, b' '..=b'~')) {
        fault_of_ascii(line)
    } else {
        fault_of_text(&String::from_utf8_lossy(line))
    }
}

fn fault_of_ascii(line: &[u8]) -> Option<Fault> {
    if line.first().is_none_or(|&first| first == b' ') && line.iter().all(|&byte| byte == b' ') {
        return Some(Fault::Blank);
    }
    (line.len() > MAX_DICTIONARY_CHARACTERS).then_some(Fault::OverLong)
}

fn fault_of_text(line: &str) -> Option<Fault> {
    if line.chars().all(char::is_whitespace) {
        return Some(Fault::Blank);
    }
    if line.chars().any(char::is_control) {
        return Some(Fault::Control);
    }
    is_over_long(line).then_some(Fault::OverLong)
}

fn is_over_long(line: &str) -> bool {
    if line.len() > SURELY_TOO_LONG {
        return true;
    }
    line.chars().nth(SURELY_FITS).is_some()
        && Word::clean(line.as_bytes()).map_or(true, |word| word.len() > MAX_DICTIONARY_CHARACTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_no_fault() {
        for word in ["password", "pass word", " padded ", "élephant", "日本語", "~!", "'tis"] {
            assert_eq!(fault(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn blank_control_and_length_are_told_apart() {
        for blank in ["", "   ", "\t", "\u{a0}\u{3000}"] {
            assert_eq!(fault(blank.as_bytes()), Some(Fault::Blank), "{blank:?}");
        }
        for control in ["a\tb", "a\0", "\u{7f}", "caf\u{85}é", "a\rb"] {
            assert_eq!(fault(control.as_bytes()), Some(Fault::Control), "{control:?}");
        }
        assert_eq!(fault(&[b'a'; 255]), None);
        assert_eq!(fault(&[b'a'; 256]), Some(Fault::OverLong));
    }

    #[test]
    fn characters_are_counted_as_the_filter_will_see_them() {
        assert_eq!(fault("é".repeat(255).as_bytes()), None);
        assert_eq!(fault("é".repeat(256).as_bytes()), Some(Fault::OverLong));
        assert_eq!(fault("e\u{301}".repeat(255).as_bytes()), None, "composed: 255 characters");
        assert_eq!(fault("\u{fdfa}".repeat(14).as_bytes()), None, "decomposed: 252 characters");
        assert_eq!(fault("\u{fdfa}".repeat(15).as_bytes()), Some(Fault::OverLong));
        assert_eq!(fault("é".repeat(5000).as_bytes()), Some(Fault::OverLong));
    }

    #[test]
    fn no_character_becomes_more_than_18() {
        let longest = (0..=0x10_ffff_u32)
            .filter_map(char::from_u32)
            .filter_map(|character| Word::clean(character.to_string().as_bytes()).ok())
            .map(|word| word.len())
            .max();
        assert!(longest <= Some(18), "{longest:?}");
    }
}
