//! The judgement of a list by its finished words, in a sample of the whole file: after columns, quotes and
//! charsets. What a line looks like at the beginning of a list says nothing about its end, and a form that
//! was recognised wrongly gives words that no person types.

mod affixes;
mod beside;
mod divided;
mod encoded;
pub(crate) mod escapes;
mod hashed;
mod mails;
mod marked;
mod order;
mod pairs;

pub use encoded::is_escaped;
pub(crate) use encoded::refused_digests;

use std::collections::HashSet;

use crate::{
    Columns, Reader, Reading,
    form::{FormName, Wanted},
    line::is_comment,
    refusal::{Refusal, Way},
    tally::Reason,
};

/// Fewer words than this may look alike by chance.
pub(crate) const SOME: usize = 20;

/// More than one word in so many that have a form is a doubt.
const DOUBTED: usize = 15;

/// A list with fewer words than this is seldom meant, where they are sentences.
const FEWEST: usize = 10;

/// The most characters of a word.
const MOST_CHARACTERS: usize = 255;

/// What a sample of a list's lines gave.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The number of lines that are neither blank nor comments.
    pub lines: usize,
    /// The places in the sample of the lines that give no word: of another form or charset, with control
    /// characters, too long.
    pub lost: Vec<usize>,
    /// Doubts about the words, each a sentence without its subject: "has words that …".
    pub doubts: Vec<String>,
}

/// Judges a list by lines that are drawn from all of it, in their order.
///
/// Nothing is refused where the user says that each line is a word.
///
/// # Errors
/// A [`Refusal`] of words that no person types: hashes, texts in another encoding, the syntax of a program.
pub fn judge<'a>(
    sample: impl Iterator<Item = &'a [u8]>,
    reading: &Reading,
    wanted: &Wanted,
) -> Result<Judgement, Refusal> {
    let mut reader = Reader::of_stems(reading.clone());
    let (mut judgement, mut words, mut twice) = (Judgement::default(), Vec::new(), 0);
    let mut empty = 0_usize;
    for (place, line) in sample.enumerate() {
        if line.trim_ascii().is_empty() || is_comment(line) {
            continue;
        }
        judgement.lines = judgement.lines.saturating_add(1);
        let (before, mut has_word) = (words.len(), false);
        let outcome = reader.read_line(line, &mut |_, word| {
            has_word |= !word.is_empty();
            words.extend(typed(word));
        });
        if reader.tally().read_twice > twice {
            // The second reading is in the charset that is less likely.
            twice = reader.tally().read_twice;
            words.truncate(before.saturating_add(1));
        }
        let is_lost = match outcome {
            Ok(()) => has_word && words.len() == before,
            Err(reason) => matches!(reason, Reason::Form | Reason::Charset),
        };
        // Rows may be long: the lines without a word are counted, not their bytes.
        empty = empty.saturating_add((outcome == Err(Reason::Empty)).into());
        if is_lost {
            judgement.lost.push(place);
        }
    }
    if wanted.form != Some(FormName::Plain) && wanted.columns != Some(Columns::Line) {
        hashed::judge(&words, &mut judgement.doubts)?;
        forms(&words, &mut judgement.doubts)?;
    }
    if is_part(empty, judgement.lines, 100) {
        judgement.doubts.push(format!(
            "has no word in the column on {empty} of {} lines that were looked at: is it the right column? \
             (--columns)",
            judgement.lines
        ));
    }
    if let Some(doubt) = alike(&words) {
        judgement.doubts.push(doubt);
    }
    Ok(judgement)
}

/// Refuses lines that have a sign in common for the reason of which more is known: their encoding, or what
/// all begin or end with.
///
/// # Errors
/// The [`Refusal`].
pub(crate) fn in_common(lines: &[&[u8]]) -> Result<(), Refusal> {
    let words: Vec<String> = lines.iter().filter_map(|line| typed(line.trim_ascii())).collect();
    encoded::judge(&words)?;
    affixes::judge(&words, &mut Vec::new())
}

/// Refuses words that have a form of which nothing was recognised; a few words are doubted, since they may be
/// alike by chance.
fn forms(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    let judged = |doubts: &mut Vec<String>| {
        encoded::judge(words)?;
        escapes::judge(words, doubts)?;
        order::judge(words)?;
        marked::judge(words, doubts)?;
        beside::judge(words, doubts)?;
        affixes::judge(words, doubts)?;
        mails::judge(words, doubts)?;
        pairs::judge(words, doubts)?;
        divided::judge(words, doubts)
    };
    match words.len() {
        0 | 1 => {}
        2..SOME => {
            if let Err(refusal) = judged(&mut Vec::new()) {
                let advice = refusal.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
                doubts.push(format!("seems to have {}{advice}", refusal.content));
            }
        }
        _ => return judged(doubts),
    }
    Ok(())
}

/// A word that a filter can have: without control characters, and not too long.
fn typed(word: &[u8]) -> Option<String> {
    let word = String::from_utf8_lossy(word);
    let is_typed =
        !word.is_empty() && !word.chars().any(char::is_control) && word.chars().count() <= MOST_CHARACTERS;
    is_typed.then(|| word.into_owned())
}

/// Words that are alike, or sentences: an answer of a server, or a column that is not of words.
fn alike(words: &[String]) -> Option<String> {
    let distinct = words.iter().collect::<HashSet<_>>().len();
    let is_one = distinct == 1 && words.len() >= 3;
    if is_one || words.len() >= SOME && distinct.saturating_mul(10) < words.len() {
        let different =
            if distinct == 1 { "1 word".to_owned() } else { format!("{distinct} different words") };
        return Some(format!(
            "has only {different} among {} that were looked at: is it the right column? (--columns)",
            words.len()
        ));
    }
    let is_sentence = |word: &String| word.split_whitespace().count() > 2;
    (words.len() < FEWEST && words.iter().any(is_sentence))
        .then(|| format!("has fewer than {FEWEST} words, and sentences among them: is it a list?"))
}

/// True if more than one in `parts` of the words are so: at least three of them, or all.
pub(crate) fn is_part(so: usize, all: usize, parts: usize) -> bool {
    so.saturating_mul(parts) > all && (so >= 3 || so == all)
}

/// The refusal of lines that are more than their words, of which one column may be the words.
fn more_than_words(content: String) -> Refusal {
    let copy = Way::Copy("without what is beside the words".to_owned());
    Refusal { content, ways: vec![Way::Columns, Way::Plain, copy] }
}
