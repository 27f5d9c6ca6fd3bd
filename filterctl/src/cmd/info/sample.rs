//! The kind of words that a filter has: their characters and lengths, and how many of some well-known words
//! are among them. A filter that was built from a list in another form has signs that no password has, and
//! none of these words.

use std::io::{self, Write};

use nearmiss_cli::{
    failure::Failure,
    input::{common_passwords, everyday_words},
};
use nearmiss_filters::{
    alphabet::Alphabet,
    dictionary::{Buffers, DictionaryFilter},
    digest::digest_of,
    format::Kind,
    random::SeededRandom,
    storage::mapped::Mapped,
    word::Word,
};
use serde::Serialize;

/// The number of words of each kind that are looked up.
const COUNT: usize = 1000;

/// The most signs that are named.
const SIGNS: usize = 16;

/// Scripts by the ranges of their letters in Unicode, up to the last of each.
const SCRIPTS: [(&str, std::ops::RangeInclusive<u32>); 9] = [
    ("Latin", 0x00aa..=0x024f),
    ("Greek", 0x0370..=0x03ff),
    ("Cyrillic", 0x0400..=0x052f),
    ("Hebrew", 0x0590..=0x05ff),
    ("Arabic", 0x0600..=0x077f),
    ("Thai", 0x0e00..=0x0e7f),
    ("Japanese", 0x3040..=0x30ff),
    ("Chinese", 0x3400..=0x9fff),
    ("Korean", 0xac00..=0xd7af),
];

/// A sample of a filter's words.
#[derive(Serialize)]
pub(super) struct WordSample {
    /// Characters by kind, each with the number of different ones; only a near filter knows them.
    characters: Vec<CharacterCount>,
    /// The signs, which are neither letters nor digits, the first ones.
    signs: String,
    /// Of each thousand that was looked up, the number that is in the filter.
    common_passwords: usize,
    everyday_words: usize,
    random_strings: usize,
}

#[derive(Serialize)]
struct CharacterCount {
    kind: &'static str,
    different: usize,
}

impl WordSample {
    /// Looks the words up in the filter.
    ///
    /// # Errors
    /// The filter cannot be read.
    pub(super) fn of(filter: &DictionaryFilter<Mapped>) -> Result<WordSample, Failure> {
        let (characters, signs) = characters(&filter.header().alphabet);
        let mut source = SeededRandom::new(1);
        let random: Vec<Vec<u8>> =
            (0..COUNT).map(|_| format!("{:016x}", source.next_word()).into_bytes()).collect();
        Ok(WordSample {
            characters,
            signs,
            common_passwords: found(filter, &common_passwords(COUNT))?,
            everyday_words: found(filter, &everyday_words(COUNT))?,
            random_strings: found(filter, &random)?,
        })
    }

    /// Writes the sample as text.
    ///
    /// # Errors
    /// The errors of `out`.
    pub(super) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut characters: Vec<String> =
            self.characters.iter().map(|count| format!("{} {}", count.different, count.kind)).collect();
        if !self.signs.is_empty() {
            characters.push(format!("signs {}", self.signs));
        }
        if !characters.is_empty() {
            writeln!(out, "  characters      {}", characters.join(", "))?;
        }
        let (common, everyday, random) = (self.common_passwords, self.everyday_words, self.random_strings);
        writeln!(
            out,
            "  sample          has {common} of the {COUNT} most common passwords, {everyday} of {COUNT} \
             everyday words of many languages, {random} of {COUNT} random strings"
        )?;
        if common == 0 && everyday == 0 {
            writeln!(
                out,
                "                  a list that was read in a wrong form gives such a filter, and so does a \
                 short list of special words"
            )?;
        }
        Ok(())
    }
}

/// The number of these words that are in the filter.
fn found(filter: &DictionaryFilter<Mapped>, words: &[Vec<u8>]) -> Result<usize, Failure> {
    let (kind, mut buffers, mut count) = (filter.header().kind, Buffers::default(), 0_usize);
    for text in words {
        let is_found = match (kind, Word::clean(text)) {
            (Kind::Words, Ok(word)) => filter.contains(&word, &mut buffers),
            (Kind::Words, Err(_)) => Ok(false),
            _ => digest_of(kind, text).map_or(Ok(false), |digest| filter.contains_entry(&digest)),
        };
        let is_found = is_found.map_err(|e| Failure::new("cannot read the filter", e))?;
        count = count.saturating_add(usize::from(is_found));
    }
    Ok(count)
}

fn characters(alphabet: &Alphabet) -> (Vec<CharacterCount>, String) {
    let symbols = || alphabet.symbols().iter().filter_map(|symbol| symbol.character());
    let count = |kind, is_so: &dyn Fn(char) -> bool| {
        let different = symbols().filter(|character| is_so(*character)).count();
        (different > 0).then_some(CharacterCount { kind, different })
    };
    let letters = count("of a to z", &|character| character.is_ascii_lowercase());
    let digits = count("digits", &|character| character.is_ascii_digit());
    let scripts = SCRIPTS.iter().filter_map(|(script, range)| {
        count(script, &|character| character.is_alphabetic() && range.contains(&u32::from(character)))
    });
    let signs = symbols().filter(|character| !character.is_alphanumeric() && !character.is_control());
    (letters.into_iter().chain(digits).chain(scripts).collect(), signs.take(SIGNS).collect())
}
