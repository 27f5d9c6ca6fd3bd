//! How the letters of a part were typed: like a word, or like random letters.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use std::ops::Range;

use nearmiss_filters::word::Word;

/// The characters of a form as they were typed.
pub(super) struct Typed<'t> {
    text: &'t str,
    /// The position in the text at which the form begins.
    begin: usize,
}

impl<'t> Typed<'t> {
    /// The characters of a form, which is the whole candidate or a part of it. None if the form does not show
    /// them: the candidate is no text, or its characters are not those that were typed.
    pub(super) fn new(password: &'t [u8], whole: &Word, form: &Word) -> Option<Typed<'t>> {
        let text = std::str::from_utf8(password).ok()?;
        if text.chars().count() != whole.len() {
            return None;
        }
        let is_here = |&at: &usize| whole.slice(at..at + form.len()) == form.slice(0..form.len());
        let begin = (0..=whole.len().checked_sub(form.len())?).find(is_here)?;
        Some(Typed { text, begin })
    }

    /// True if the letters of this part of the form were typed in lower case, in capitals, or with the first
    /// one as a capital: a few random letters are a word or near to one by chance, but rarely look like it.
    pub(super) fn is_like_a_word(&self, part: &Range<usize>) -> bool {
        let characters = self.text.chars().skip(self.begin + part.start).take(part.len());
        let [mut has_small, mut has_capital_behind] = [false; 2];
        for (number, letter) in characters.filter(|c| c.is_alphabetic()).enumerate() {
            let is_capital = letter.is_uppercase();
            has_small |= !is_capital;
            has_capital_behind |= is_capital && number > 0;
        }
        !(has_small && has_capital_behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed<'t>(text: &'t [u8], whole: &str, form: &str) -> Option<Typed<'t>> {
        let [whole, form] = [whole, form].map(|text| Word::clean(text.as_bytes()).unwrap());
        Typed::new(text, &whole, &form)
    }

    #[test]
    fn a_part_is_typed_like_a_word() {
        for (text, is_word) in [
            ("silverdragxn", true),
            ("silverDragxn", true),
            ("silverDRAGXN", true),
            ("silver7ragxN", false),
            ("silver7Ragxn", true),
            ("silverdRagxn", false),
            ("silverDrAgxn", false),
            ("SiLverdragxn", true),
        ] {
            let whole = text.to_lowercase();
            let typed = typed(text.as_bytes(), &whole, &whole).unwrap();
            assert_eq!(typed.is_like_a_word(&(6..12)), is_word, "{text}");
        }
    }

    #[test]
    fn the_ends_of_a_form_may_be_missing() {
        let typed = typed(b"12silverdRag42!", "12silverdrag42!", "silverdrag").unwrap();
        assert!(typed.is_like_a_word(&(0..6)) && !typed.is_like_a_word(&(6..10)));
    }

    #[test]
    fn a_form_of_other_characters_does_not_show_them() {
        assert!(typed("ﬁlverdRagxn".as_bytes(), "filverdragxn", "filverdragxn").is_none());
        assert!(typed(b"silverdRag\xff", "silverdragxn", "silverdragxn").is_none(), "no text");
        assert!(typed("Fürdrag".as_bytes(), "fürdrag", "furdrag").is_none(), "without the accent");
        assert!(typed(b"drag", "drag", "dragon").is_none());
    }
}
