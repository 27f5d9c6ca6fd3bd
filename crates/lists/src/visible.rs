//! A word as a person types it: without characters that are not seen, and without the quotes of typography
//! around it.

use std::borrow::Cow;

/// True for characters that no keyboard types and no reader sees: soft hyphens, marks of direction and of
/// byte order, joiners of zero width (`Default_Ignorable_Code_Point` of the Unicode Standard, without the
/// characters that decide how others look).
fn is_unseen(c: char) -> bool {
    matches!(u32::from(c), 0xad | 0x34f | 0x61c | 0x180e | 0x200b | 0x200e..=0x200f | 0x202a..=0x202e
        | 0x2060..=0x206f | 0xfeff)
}

/// Those that some scripts need between letters, but not at the ends of a word.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Pairs of quotes that are typed around words, not in passwords: “ ”, „ “, „ ”, « », » «, ‘ ’, ‚ ‘, 「 」,
/// 『 』.
const QUOTES: [(char, char); 9] = [
    ('\u{201c}', '\u{201d}'),
    ('\u{201e}', '\u{201c}'),
    ('\u{201e}', '\u{201d}'),
    ('\u{ab}', '\u{bb}'),
    ('\u{bb}', '\u{ab}'),
    ('\u{2018}', '\u{2019}'),
    ('\u{201a}', '\u{2018}'),
    ('\u{300c}', '\u{300d}'),
    ('\u{300e}', '\u{300f}'),
];

/// True if `word` may differ from what is typed.
pub(crate) fn may_differ(word: &str) -> bool {
    word.chars().any(|c| is_unseen(c) || is_joiner(c))
        || QUOTES.iter().any(|(open, _)| word.starts_with(*open))
}

/// What is typed of a word, without the blanks at its ends.
pub(crate) fn typed(word: &str) -> Cow<'_, str> {
    let word = word.trim();
    if !may_differ(word) {
        return Cow::Borrowed(word);
    }
    let seen: String = word.chars().filter(|c| !is_unseen(*c)).collect();
    let is_outside = |c: char| c.is_whitespace() || is_joiner(c);
    let seen = seen.trim_matches(is_outside);
    let inner = QUOTES.iter().find_map(|(open, close)| seen.strip_prefix(*open)?.strip_suffix(*close));
    let is_quoted = |inner: &&str| QUOTES.iter().all(|(open, close)| !inner.contains([*open, *close]));
    Cow::Owned(inner.filter(is_quoted).map_or(seen, |inner| inner.trim_matches(is_outside)).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_and_quotes_are_not_typed() {
        for word in [
            "\u{feff}word",
            "wo\u{ad}rd",
            "\u{200b}word",
            "word\u{200e}",
            "\u{200f}word ",
            "“word”",
            "«\u{a0}word\u{a0}»",
            "„word“",
            "「word」",
            "word\u{200d}",
        ] {
            assert_eq!(typed(word), "word", "{word:?}");
        }
        for word in ["“a” and “b”", "«word", "می\u{200c}خواهم", "l’été", "\"word\"", "☺\u{fe0f}"]
        {
            assert_eq!(typed(word), word);
        }
    }
}
