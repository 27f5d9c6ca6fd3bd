//! Removing accents.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use crate::word::{Symbol, TooLong, Word};

/// Characters that look like a letter with something added but do not decompose into it.
const PLAIN_FORMS: [(char, &str); 10] = [
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

/// Without accents; `None` for a word that has no character beyond ASCII.
pub(in crate::policy) fn without_accents(word: &Word) -> Option<Word> {
    if word.as_bytes().is_ascii() {
        return None;
    }
    let mut plain = Word::with_full_capacity();
    for symbol in word.symbols() {
        let Some(character) = symbol.character() else {
            plain.push(symbol).ok()?;
            continue;
        };
        let mut fits = Ok(());
        decompose_canonical(character, |part| fits = fits.and_then(|()| push_plain(&mut plain, part)));
        fits.ok()?;
    }
    Some(plain)
}

fn push_plain(plain: &mut Word, part: char) -> Result<(), TooLong> {
    if is_combining_mark(part) {
        return Ok(());
    }
    match PLAIN_FORMS.iter().find(|&&(accented, _)| accented == part) {
        Some((_, letters)) => letters.chars().try_for_each(|letter| plain.push(Symbol::of(letter))),
        None => plain.push(Symbol::of(part)),
    }
}
