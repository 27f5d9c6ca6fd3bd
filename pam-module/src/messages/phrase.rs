//! Whole sentences with named holes, so that they can be translated: the holes of a sentence are checked when
//! the module is compiled, the holes of a translation when it is shown.

use zeroize::Zeroizing;

use super::catalogue::Catalogue;

/// An English sentence and the values of its holes.
pub(crate) struct Phrase {
    /// The sentence, by which its translations are looked up.
    pub(crate) english: &'static str,
    /// Name and content of each hole; a suggested password among them is wiped.
    pub(crate) values: Vec<(&'static str, Zeroizing<String>)>,
    /// A reason's code, shown after the sentence in every language.
    pub(crate) code: Option<&'static str>,
}

/// A sentence, and the variables that fill its holes. `packaging/po/pot.py` finds the sentences by this name.
macro_rules! phrase {
    ($english:literal $(, $hole:ident)* $(,)?) => {{
        const _: () = assert!(
            $crate::messages::phrase::has_holes($english.as_bytes(), &[$(stringify!($hole)),*]),
            "the holes of the sentence are not those that are filled"
        );
        $crate::messages::phrase::Phrase {
            english: $english,
            values: vec![$((stringify!($hole), zeroize::Zeroizing::new($hole.to_string()))),*],
            code: None,
        }
    }};
}
pub(crate) use phrase;

impl Phrase {
    /// The same, followed by a reason's code.
    pub(crate) fn with_code(self, code: &'static str) -> Phrase {
        Phrase { code: Some(code), ..self }
    }

    /// The sentence in the language of the catalogue, its holes filled; in English if the catalogue does not
    /// contain it with exactly these holes.
    pub(crate) fn text(&self, catalogue: Option<&Catalogue>) -> Zeroizing<String> {
        let names: Vec<&str> = self.values.iter().map(|(name, _)| *name).collect();
        let translation = catalogue.and_then(|catalogue| catalogue.translation(self.english));
        let fitting = translation.filter(|text| has_holes(text.as_bytes(), &names));
        self.filled(fitting.unwrap_or(self.english))
    }

    /// Nothing is copied as the text grows: it may hold a password.
    fn filled(&self, sentence: &str) -> Zeroizing<String> {
        let code_length = self.code.map_or(0, |code| code.len().saturating_add(3));
        let lengths = self.values.iter().map(|(_, value)| value.len());
        let most = lengths.fold(sentence.len().saturating_add(code_length), usize::saturating_add);
        let mut text = Zeroizing::new(String::with_capacity(most));
        let mut rest = sentence;
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, hole)| Some((before, hole.split_once('}')?)))
        {
            text.push_str(before);
            text.push_str(self.value(name));
            rest = after;
        }
        text.push_str(rest);
        if let Some(code) = self.code {
            text.extend([" [", code, "]"]);
        }
        text
    }

    fn value(&self, name: &str) -> &str {
        self.values.iter().find(|(of, _)| *of == name).map_or("", |(_, value)| value)
    }
}

/// True if the text has each of these holes once, and no other brace.
pub(crate) const fn has_holes(text: &[u8], names: &[&str]) -> bool {
    let (mut is_right, mut rest) = (true, names);
    while let [name, others @ ..] = rest {
        is_right = is_right && count(text, name.as_bytes()) == 1;
        rest = others;
    }
    is_right && braces(text, b'{') == names.len() && braces(text, b'}') == names.len()
}

const fn braces(text: &[u8], brace: u8) -> usize {
    let (mut found, mut rest) = (0_usize, text);
    while let [first, others @ ..] = rest {
        found = found.saturating_add((*first == brace) as usize);
        rest = others;
    }
    found
}

/// The number of holes of this name in the text.
const fn count(text: &[u8], name: &[u8]) -> usize {
    let (mut found, mut rest) = (0_usize, text);
    while let [first, others @ ..] = rest {
        found = found.saturating_add((*first == b'{' && begins_with_name(others, name)) as usize);
        rest = others;
    }
    found
}

const fn begins_with_name(text: &[u8], name: &[u8]) -> bool {
    let (mut text, mut name) = (text, name);
    loop {
        match (text, name) {
            ([b'}', ..], []) => return true,
            ([a, text_rest @ ..], [b, name_rest @ ..]) if *a == *b => {
                text = text_rest;
                name = name_rest;
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::catalogue::tests::mo, *};

    fn catalogue(english: &str, translation: &str) -> Catalogue {
        let header = ("", "Content-Type: text/plain; charset=UTF-8\n");
        Catalogue::parse(mo(&[header, (english, translation)], u32::to_le_bytes)).unwrap()
    }

    #[test]
    fn holes_are_counted_by_name() {
        for (text, names, is_right) in [
            ("none", &[][..], true),
            ("{a}", &["a"], true),
            ("x {a} y {b}.", &["b", "a"], true),
            ("{a} {a}", &["a"], false),
            ("{a}", &[], false),
            ("{a}", &["b"], false),
            ("{ab}", &["a"], false),
            ("{a", &["a"], false),
            ("a}", &[], false),
            ("{{a}}", &["a"], false),
            ("none", &["a"], false),
        ] {
            assert_eq!(has_holes(text.as_bytes(), names), is_right, "{text}");
        }
    }

    #[test]
    fn a_translation_fills_the_same_holes_in_its_own_order() {
        let (one, two) = (1, "zwei");
        let phrase = || phrase!("first {one}, then {two}", one, two);
        assert_eq!(*phrase().text(None), "first 1, then zwei");
        let german = catalogue(phrase().english, "{two} nach {one}");
        assert_eq!(*phrase().text(Some(&german)), "zwei nach 1");
        assert_eq!(*phrase().with_code("a-code").text(Some(&german)), "zwei nach 1 [a-code]");
    }

    #[test]
    fn a_translation_with_other_holes_is_not_used() {
        let one = 1;
        let phrase = phrase!("just {one}", one);
        for text in ["", "nur", "nur {two}", "nur {one} {one}", "nur {one} {", "nur {one} %s {x}"] {
            assert_eq!(*phrase.text(Some(&catalogue(phrase.english, text))), "just 1", "{text}");
        }
    }

    #[test]
    fn a_filled_sentence_was_never_larger_than_its_buffer() {
        let passphrases = "a-b-c";
        let text = phrase!("pick {passphrases}", passphrases).with_code("x").text(None);
        assert!(text.capacity() >= text.len() && text.capacity() < 40, "{}", text.capacity());
    }

    #[test]
    fn what_fills_a_hole_is_not_taken_for_one() {
        let one = "{two}";
        assert_eq!(*phrase!("just {one}", one).text(None), "just {two}");
    }
}
