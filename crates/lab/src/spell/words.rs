//! Prose to words: Unicode word boundaries (UAX #29), less what is no word of a language.
//!
//! Left out are numbers, single letters, acronyms (up to five capitals, `PAM`, `URLs`), names in mixed case
//! (`iPhone`), and whatever looks like code: addresses, paths, options, file names, identifiers. A hyphen
//! parts words, an apostrophe inside a word does not.

use unicode_segmentation::UnicodeSegmentation;

/// The most capitals of an acronym; longer words in capitals are words that shout.
const MAX_CAPITALS: usize = 5;

/// A word and where it begins in the prose, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'p> {
    /// The word as it stands there.
    pub(crate) text: &'p str,
    /// Its first byte.
    pub(crate) at: usize,
}

/// The words of a text, in order.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Token<'_>> {
    chunks(text).filter(|chunk| !is_code(chunk.text)).flat_map(parts).filter(|token| is_word(token.text))
}

/// A text between spaces.
fn chunks(text: &str) -> impl Iterator<Item = Token<'_>> {
    let start = text.as_ptr() as usize;
    text.split_whitespace()
        .map(move |chunk| Token { text: chunk, at: (chunk.as_ptr() as usize).wrapping_sub(start) })
}

/// The parts of a chunk between word boundaries; UAX #29 joins at a colon (for Swedish) and at an underscore.
fn parts(chunk: Token<'_>) -> impl Iterator<Item = Token<'_>> {
    chunk.text.unicode_word_indices().flat_map(move |(at, text)| {
        let mut at = chunk.at.saturating_add(at);
        text.split([':', '_']).map(move |text| {
            let token = Token { text, at };
            at = at.saturating_add(text.len()).saturating_add(1);
            token
        })
    })
}

fn is_code(chunk: &str) -> bool {
    let opened = chunk.trim_start_matches(|c: char| !c.is_alphanumeric() && !"/~.-$#%@\\<".contains(c));
    let core = chunk.trim_matches(|c: char| !c.is_alphanumeric());
    begins_as_code(opened)
        || core.contains(|c: char| "_=\\|<>{}^*+&@%$#~`".contains(c))
        || has_code(chunk, core)
}

/// Paths, options, variables, tags.
fn begins_as_code(chunk: &str) -> bool {
    let begins = |rest: &str| rest.starts_with(char::is_alphanumeric);
    ["--", "-", "/", "$", "#", "%", "@", "\\", "<", "."]
        .iter()
        .any(|sign| chunk.strip_prefix(sign).is_some_and(begins))
        || ["./", "../", "~/"].iter().any(|sign| chunk.starts_with(sign))
}

fn has_code(chunk: &str, core: &str) -> bool {
    core.contains("://")
        || core.contains("::")
        || core.contains("->")
        || core.starts_with("www.")
        || chunk.contains("()")
        || has_inner_dot(core)
        || is_path(core)
}

/// `README.md`, `example.com`, `e.g`: one dot between two characters of a name; `wait...what` has three.
fn has_inner_dot(core: &str) -> bool {
    core.match_indices('.').any(|(at, _)| {
        let before = core.get(..at).and_then(|text| text.chars().next_back());
        let after = core.get(at.saturating_add(1)..).and_then(|text| text.chars().next());
        before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)
    })
}

/// `filters/src/lib`: two slashes or more; `and/or` has one.
fn is_path(core: &str) -> bool {
    core.matches('/').count() >= 2
}

fn is_word(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 2
        && !text.contains(char::is_numeric)
        && !text.contains(['_', '.'])
        && !is_acronym(text, letters)
        && !is_mixed(text)
}

fn is_acronym(text: &str, letters: usize) -> bool {
    let stem = text.strip_suffix("'s").or(text.strip_suffix("’s")).or(text.strip_suffix('s')).unwrap_or(text);
    let is_capital = |text: &str| text.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    letters <= MAX_CAPITALS && stem.chars().count() >= 2 && is_capital(stem)
}

/// A capital after a small letter.
fn is_mixed(text: &str) -> bool {
    let mut characters = text.chars().skip_while(|c| !c.is_lowercase());
    characters.any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        words(text).map(|token| token.text).collect()
    }

    #[test]
    fn words_begin_and_end_where_unicode_says() {
        assert_eq!(
            found("Don't panic—the café’s well-known (cat)."),
            ["Don't", "panic", "the", "café’s", "well", "known", "cat"]
        );
        assert_eq!(
            found("'quoted' \"said\" *so* _there_ and/or wait...what"),
            ["quoted", "said", "so", "there", "and", "or", "wait", "what"]
        );
        assert_eq!(found("note:this l'homme CHAPTER"), ["note", "this", "l'homme", "CHAPTER"]);
    }

    #[test]
    fn places_are_bytes() {
        let text = "é note:this well-known";
        for token in words(text) {
            assert_eq!(text.get(token.at..token.at + token.text.len()), Some(token.text));
        }
        assert_eq!(words(text).map(|token| token.at).collect::<Vec<_>>(), [3, 8, 13, 18]);
    }

    #[test]
    fn numbers_acronyms_and_names_are_left_out() {
        assert!(found("42 3rd x86 a I PAM URLs NASA's iPhone BibTeX McDonald 1,000 π").is_empty());
    }

    #[test]
    fn code_is_left_out() {
        for code in [
            "https://exmple.org/abc",
            "<https://exmple.org>",
            "www.exmple.org",
            "me@exmple.org",
            "/etc/securty",
            "./confgure",
            "~/notz",
            "../upp",
            "--outptt",
            "-vv",
            "$HOMEE",
            "#inclde",
            "@deprectd",
            "foo_barr",
            "std::vecc",
            "mainn()",
            "REDME.md",
            "filterz/src/libb",
            "keyy=valu",
            "a->bb",
            ".gitignre",
            "\\fooo",
            "(see:https://exmple.org)",
            "\"--optin\"",
        ] {
            assert_eq!(found(code), Vec::<&str>::new(), "{code}");
        }
    }
}
