//! A word as typed without its accents: `ete` for `été`, `Strasse` for `Straße`, `schon` and `schoen` for
//! `schön`.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use super::{MAX_DICTIONARY_CHARACTERS, Symbol, TooLong, Word};

/// Characters that look like a letter with a mark but do not decompose into it.
const PLAIN: [(char, &str); 10] = [
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('đ', "d"),
    ('ð', "d"),
    ('ł', "l"),
    ('ħ', "h"),
    ('þ', "th"),
    ('ı', "i"),
];

/// Letters that have another spelling without accents.
const SPELT: [(char, &str); 5] = [('ä', "ae"), ('ö', "oe"), ('ü', "ue"), ('ø', "oe"), ('å', "aa")];

/// Without accents; `None` for a word of ASCII characters only.
pub fn without_accents(word: &Word) -> Option<Word> {
    changed(word, is_combining_mark, false)
}

/// Without accents, `ä` as `ae`; `None` for a word that has no such letter.
pub fn spelt(word: &Word) -> Option<Word> {
    has_spelt(word).then(|| changed(word, is_combining_mark, true)).flatten()
}

/// Calls `each` with the forms of a listed word other than the written one. Accents of letters are removed,
/// but not the marks of other scripts, which distinguish their words.
pub(crate) fn each_plain_form(word: &Word, mut each: impl FnMut(&Word)) {
    if word.as_bytes().is_ascii() {
        return;
    }
    let plain = changed(word, is_accent, false).filter(|plain| plain != word);
    let spelt = if has_spelt(word) { changed(word, is_accent, true) } else { None };
    let forms = [plain, spelt];
    forms.iter().flatten().filter(|form| form.len() <= MAX_DICTIONARY_CHARACTERS).for_each(&mut each);
}

/// True for the marks of Latin, Greek and Cyrillic letters.
fn is_accent(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

fn has_spelt(word: &Word) -> bool {
    let is_spelt = |character: char| SPELT.iter().any(|&(letter, _)| letter == character);
    !word.as_bytes().is_ascii() && word.symbols().filter_map(Symbol::character).any(is_spelt)
}

fn changed(word: &Word, is_mark: fn(char) -> bool, is_spelt: bool) -> Option<Word> {
    if word.as_bytes().is_ascii() {
        return None;
    }
    let mut plain = Word::with_full_capacity();
    for symbol in word.symbols() {
        let Some(character) = symbol.character() else {
            plain.push(symbol).ok()?;
            continue;
        };
        let is_spelt = |own: char| is_spelt.then(|| letters(&SPELT, own)).flatten();
        let mut has_marks = false;
        decompose_canonical(character, |part| has_marks |= is_mark(part));
        if let Some(letters) = is_spelt(character) {
            push_all(&mut plain, letters).ok()?;
        } else if has_marks {
            push_unmarked(&mut plain, character, is_mark).ok()?;
        } else {
            push_plain(&mut plain, character).ok()?;
        }
    }
    Some(plain)
}

fn letters(table: &'static [(char, &str)], character: char) -> Option<&'static str> {
    table.iter().find(|&&(own, _)| own == character).map(|&(_, letters)| letters)
}

fn push_all(plain: &mut Word, letters: &str) -> Result<(), TooLong> {
    letters.chars().try_for_each(|letter| plain.push(Symbol::of(letter)))
}

fn push_plain(plain: &mut Word, character: char) -> Result<(), TooLong> {
    match letters(&PLAIN, character) {
        Some(letters) => push_all(plain, letters),
        None => plain.push(Symbol::of(character)),
    }
}

fn push_unmarked(plain: &mut Word, character: char, is_mark: fn(char) -> bool) -> Result<(), TooLong> {
    let mut fits = Ok(());
    decompose_canonical(character, |part| {
        if !is_mark(part) {
            fits = fits.and_then(|()| push_plain(plain, part));
        }
    });
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<String> {
        let (word, mut forms) = (Word::clean(text.as_bytes()).unwrap(), Vec::new());
        each_plain_form(&word, |form| forms.push(form.to_text()));
        forms
    }

    #[test]
    fn a_word_of_a_list_has_the_forms_that_people_type() {
        for (text, plain) in [
            ("détérioré", &["deteriore"][..]),
            ("Schön", &["schon", "schoen"]),
            ("Straße", &["strasse"]),
            ("Grüße", &["grusse", "gruesse"]),
            ("Łódź", &["lodz"]),
            ("Bjørn", &["bjorn", "bjoern"]),
            ("Århus", &["arhus", "aarhus"]),
            ("ćevapčići", &["cevapcici"]),
            ("Đorđe", &["dorde"]),
            ("ışık", &["isik"]),
            ("œuvre", &["oeuvre"]),
            ("encyclopædia", &["encyclopaedia"]),
            ("ǿ", &["o"]),
            ("ёлка", &["елка"]),
            ("καλημέρα", &["καλημερα"]),
            ("Tiếng", &["tieng"]),
            ("plain", &[]),
            ("слово", &[]),
        ] {
            assert_eq!(forms(text), plain, "{text}");
        }
    }

    /// The marks of these scripts are vowels and voices, and syllables of Hangul are no letters with marks.
    #[test]
    fn other_scripts_have_no_other_form() {
        for text in ["हिन्दी", "がぎぐ", "한국어", "ภาษาไทย", "日本語"] {
            assert!(forms(text).is_empty(), "{text}");
        }
        let hangul = Word::clean("한국어".as_bytes()).unwrap();
        assert!(without_accents(&hangul) == Some(hangul));
    }

    #[test]
    fn bytes_that_are_no_text_stay_and_long_words_have_no_longer_form() {
        let word = Word::clean(b"\xc3\xa9\xff\xe9").unwrap();
        let plain = without_accents(&word).unwrap();
        assert_eq!(plain.as_bytes(), [b'e', 0xff, 0xff, 0xff, 0xe9]);
        let long = Word::clean("ß".repeat(MAX_DICTIONARY_CHARACTERS).as_bytes()).unwrap();
        assert!(without_accents(&long).is_none());
        let mut count = 0;
        each_plain_form(&Word::clean("ß".repeat(128).as_bytes()).unwrap(), |_| count += 1);
        assert_eq!(count, 0, "256 characters");
    }
}
