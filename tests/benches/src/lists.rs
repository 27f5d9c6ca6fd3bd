//! The word lists: the paper's size of an English dictionary, and a long stream of password-like words made
//! by rules.
//!
//! All words are lower-case ASCII and distinct, so that every peer gets the same list whatever it does about
//! case.

use std::{collections::HashSet, fs, io, path::Path};

use crate::random::Random;

/// Words of the dictionary in Manber & Wu's Table 2.
pub const DICTIONARY_WORDS: usize = 194_168;

/// Where Debian's lists are, below the folder their packages are unpacked in.
const DICTIONARIES: [&str; 3] = ["american-english-huge", "french", "ngerman"];

/// A list of words.
pub type Words = Vec<Box<[u8]>>;

/// Lower-case ASCII words of a file, in its order, each once.
pub fn read(path: &Path) -> io::Result<Words> {
    let bytes = fs::read(path)?;
    let mut known = HashSet::new();
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty() && line.is_ascii());
    let words = lines.filter(|line| line.iter().all(u8::is_ascii_graphic)).map(<[u8]>::to_ascii_lowercase);
    Ok(words.filter(|word| known.insert(word.clone())).map(Vec::into_boxed_slice).collect())
}

/// The dictionary of [`DICTIONARY_WORDS`] English words, a fixed sample of the huge list.
pub fn dictionary(folder: &Path) -> io::Result<Words> {
    let mut words = read(&folder.join(DICTIONARIES[0]))?;
    let mut random = Random::new(194);
    for at in 0..DICTIONARY_WORDS {
        let other = at + random.below(words.len() - at);
        words.swap(at, other);
    }
    words.truncate(DICTIONARY_WORDS);
    words.sort();
    Ok(words)
}

/// A fixed sample of `count` words of English (the largest list), French and German.
pub fn languages(folder: &Path, count: usize) -> io::Result<Words> {
    let mut all = HashSet::new();
    for name in ["american-english-insane", DICTIONARIES[1], DICTIONARIES[2]] {
        all.extend(read(&folder.join(name))?);
    }
    let mut words: Words = all.into_iter().collect();
    words.sort_by_key(|word| (fingerprint(word), word.clone()));
    words.truncate(count);
    words.sort();
    Ok(words)
}

/// An endless stream of distinct password-like words. First come the passwords it is made from, in a fixed
/// random order; then what people make of a password or a word: digits behind it (half of them), a year, a
/// symbol, one leet letter, two short words, digits alone, a name before digits.
pub struct Passwords {
    passwords: Words,
    words: Words,
    random: Random,
    known: HashSet<u64>,
    given: usize,
}

impl Passwords {
    /// The stream over the password lists and Debian's dictionaries; another seed gives other derived words.
    pub fn new(passwords: &[&Path], dictionaries: &Path, seed: u64) -> io::Result<Passwords> {
        let mut bases = Words::new();
        let mut known = HashSet::new();
        for path in passwords {
            bases.extend(read(path)?.into_iter().filter(|word| known.insert(word.clone())));
        }
        let mut shuffle = Random::new(37);
        for at in (1..bases.len()).rev() {
            bases.swap(at, shuffle.below(at + 1));
        }
        let mut words = Words::new();
        for name in DICTIONARIES {
            let short = read(&dictionaries.join(name))?.into_iter();
            words.extend(short.filter(|word| (3..=7).contains(&word.len())));
        }
        Ok(Passwords { passwords: bases, words, random: Random::new(seed), known: HashSet::new(), given: 0 })
    }

    /// Skips the passwords themselves: derived words only.
    pub fn derived(mut self) -> Passwords {
        self.given = self.passwords.len();
        self
    }

    fn candidate(&mut self) -> Vec<u8> {
        let Passwords { passwords, words, random, .. } = self;
        let base: &[Box<[u8]>] = if random.below(3) == 0 { passwords } else { words };
        let mut word = random.pick(base).to_vec();
        match random.below(16) {
            0..=7 => append_digits(&mut word, 1 + random.below(3), random),
            8 => word.extend((1950 + random.below(80)).to_string().bytes()),
            9 => word.push(*random.pick(b"!@#$*._-?")),
            10 => leet(&mut word, random),
            11 | 12 => word.extend_from_slice(random.pick::<Box<[u8]>>(words)),
            13 => word = digits(random),
            14 => {
                append_digits(&mut word, 2, random);
                word.push(*random.pick(b"!@#$*."));
            }
            _ => word = [digits(random), word].concat(),
        }
        word.truncate(24);
        word
    }
}

impl Iterator for Passwords {
    type Item = Box<[u8]>;

    fn next(&mut self) -> Option<Box<[u8]>> {
        loop {
            let word = match self.passwords.get(self.given) {
                Some(word) => word.to_vec(),
                None => self.candidate(),
            };
            self.given += 1;
            if self.known.insert(fingerprint(&word)) {
                return Some(word.into_boxed_slice());
            }
        }
    }
}

fn append_digits(word: &mut Vec<u8>, count: usize, random: &mut Random) {
    word.extend((0..count).map(|_| b'0' + random.below(10) as u8));
}

fn digits(random: &mut Random) -> Vec<u8> {
    let mut word = Vec::new();
    let count = 2 + random.below(5);
    append_digits(&mut word, count, random);
    word
}

fn leet(word: &mut [u8], random: &mut Random) {
    let at = random.below(word.len());
    word[at] = match word[at] {
        b'a' => b'4',
        b'e' => b'3',
        b'i' | b'l' => b'1',
        b'o' => b'0',
        b's' => b'$',
        b't' => b'7',
        other => other,
    };
}

/// 64 bits of a word (FNV-1a, then mixed): 14 million words collide with probability 5 in a million.
fn fingerprint(word: &[u8]) -> u64 {
    let hash = word.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Random::new(hash).next()
}

/// The words as lines.
pub fn text(words: &[Box<[u8]>]) -> Vec<u8> {
    let mut text = Vec::with_capacity(words.iter().map(|word| word.len() + 1).sum());
    for word in words {
        text.extend_from_slice(word);
        text.push(b'\n');
    }
    text
}
