//! What is asked: members, members with one edit, random strings, and word-like strings that are near
//! nothing.

use std::collections::HashSet;

use crate::{lists::Words, random::Random};

/// Queries of each kind.
pub const COUNT: usize = 4096;

const PRINTABLE: &[u8] = b" !\"#$%&'()*+,-./0123456789:;<=>?@[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// The words as a set: the exact answer.
pub struct Oracle<'w>(HashSet<&'w [u8]>);

impl<'w> Oracle<'w> {
    /// The oracle of a list.
    pub fn new(words: &'w Words) -> Oracle<'w> {
        Oracle(words.iter().map(|word| &word[..]).collect())
    }

    /// True when some word is within distance 1.
    pub fn is_near(&self, query: &[u8]) -> bool {
        if self.0.contains(query) {
            return true;
        }
        let spliced = |at: usize, end: usize, middle: &[u8]| {
            self.0.contains([&query[..at], middle, &query[end..]].concat().as_slice())
        };
        let with = |at: usize, end: usize| PRINTABLE.iter().any(|&byte| spliced(at, end, &[byte]));
        (0..query.len()).any(|at| spliced(at, at + 1, &[]) || with(at, at + 1))
            || (0..=query.len()).any(|at| with(at, at))
    }
}

/// The queries of one length.
pub struct Queries {
    pub hits: Vec<String>,
    pub near: Vec<String>,
    pub random: Vec<String>,
    pub word_like: Vec<String>,
}

impl Queries {
    /// Each kind with its name.
    pub fn kinds(&self) -> [(&'static str, &[String]); 4] {
        [
            ("hit", &self.hits),
            ("near hit", &self.near),
            ("random miss", &self.random),
            ("word-like miss", &self.word_like),
        ]
    }

    /// Queries of `length` characters against `words`; `strangers` are word-like and may be members or near
    /// some.
    pub fn new(
        words: &Words,
        oracle: &Oracle<'_>,
        length: usize,
        strangers: impl Iterator<Item = Box<[u8]>>,
    ) -> Queries {
        let mut random = Random::new(length as u64);
        let fitting: Vec<_> = words.iter().filter(|word| word.len() == length).collect();
        let mut queries =
            Queries { hits: Vec::new(), near: Vec::new(), random: Vec::new(), word_like: Vec::new() };
        while queries.near.len() < COUNT {
            let (member, word) = (random.pick(&fitting), random.pick(words));
            queries.hits.push(string(member));
            let edited = edited(word, &mut random);
            if edited.len() == length && !oracle.0.contains(&edited[..]) {
                queries.near.push(string(&edited));
            }
        }
        while queries.random.len() < COUNT {
            let stranger: Vec<u8> = (0..length).map(|_| *random.pick(PRINTABLE)).collect();
            if stranger.iter().any(|byte| !byte.is_ascii_alphanumeric()) && !oracle.is_near(&stranger) {
                queries.random.push(string(&stranger));
            }
        }
        let far = strangers.filter(|word| word.len() == length && !oracle.is_near(word));
        queries.word_like = far.take(COUNT).map(|word| string(&word)).collect();
        queries.hits.truncate(COUNT);
        queries
    }
}

fn string(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// A word with one random insertion, deletion or substitution.
fn edited(word: &[u8], random: &mut Random) -> Vec<u8> {
    let mut edited = word.to_vec();
    let letter = *random.pick(PRINTABLE);
    match random.below(3) {
        0 => edited.insert(random.below(word.len() + 1), letter),
        1 => drop(edited.remove(random.below(word.len()))),
        _ => edited[random.below(word.len())] = letter,
    }
    edited
}
