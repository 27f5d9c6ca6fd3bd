//! The definitions of `crates/filters/proofs/distance_one.v`, of which two theorems are proved by machine,
//! against the code: 100,000 random pairs of a dictionary's words and a candidate have the same strings
//! stored, the same 1-extensions and the same answer.
//!
//! The definitions are mirrored below in the proof's own words. `make proofs` compares the same cases with
//! the program that Coq extracts from the proof: `NEARMISS_CASES` names the file they are written to.

use std::{
    collections::BTreeSet,
    env,
    fs::File,
    io::{BufWriter, Write},
};

use crate::common::{Random, filter, settings, word};
use nearmiss_filters::{
    dictionary::Buffers, format::SchemeId, neighbours::Scratch, page::Layer, word::DONT_CARE,
};

const DICTIONARIES: usize = 5_000;
const CANDIDATES: usize = 20;

/// The symbols of the cases, of each encoded length; a word is a list of their numbers.
const SYMBOLS: [&str; 5] = ["a", "b", "c", "é", "日"];

type Symbols = Vec<usize>;

/// A stored string: the place of the deletion, if it is one, and what is left.
type Entry = (Option<usize>, Symbols);

/// A string of the paper's scheme: `None` is the don't-care symbol.
type Extended = Vec<Option<usize>>;

fn text(symbols: &[usize]) -> String {
    symbols.iter().map(|&symbol| SYMBOLS[symbol]).collect()
}

mod mirror {
    //! `crates/filters/proofs/distance_one.v`, definition by definition.

    use super::{Entry, Extended, Symbols};

    pub(super) fn distance(w: &[usize], q: &[usize]) -> usize {
        let (Some((a, rest)), Some((b, others))) = (w.split_first(), q.split_first()) else {
            return w.len() + q.len();
        };
        let removed = 1 + distance(rest, q);
        let put_in = 1 + distance(w, others);
        let aligned = usize::from(a != b) + distance(rest, others);
        removed.min(put_in).min(aligned)
    }

    fn without(i: usize, w: &[usize]) -> Symbols {
        [&w[..i], &w[i + 1..]].concat()
    }

    fn replaced(i: usize, c: usize, w: &[usize]) -> Symbols {
        [&w[..i], &[c], &w[i + 1..]].concat()
    }

    fn put_in(j: usize, c: usize, w: &[usize]) -> Symbols {
        [&w[..j], &[c], &w[j..]].concat()
    }

    pub(super) fn stored(w: &[usize]) -> Vec<Entry> {
        let deletions = (0..w.len()).map(|i| (Some(i), without(i, w)));
        std::iter::once((None, w.to_vec())).chain(deletions).collect()
    }

    pub(super) fn finds(dictionary: &[Symbols], q: &[usize]) -> bool {
        let store: Vec<Entry> = dictionary.iter().flat_map(|w| stored(w)).collect();
        let holds = |place: Option<usize>, s: Symbols| store.contains(&(place, s));
        let completes = |make: &dyn Fn(usize) -> Symbols| {
            dictionary.concat().iter().any(|&symbol| holds(None, make(symbol)))
        };
        holds(None, q.to_vec())
            || (0..q.len()).any(|i| holds(None, without(i, q)))
            || (0..q.len()).any(|i| holds(Some(i), without(i, q)) && completes(&|c| replaced(i, c, q)))
            || (0..=q.len()).any(|j| holds(Some(j), q.to_vec()) && completes(&|c| put_in(j, c, q)))
    }

    fn dont_care(before: &[usize], after: &[usize]) -> Extended {
        let (before, after) = (before.iter().copied().map(Some), after.iter().copied().map(Some));
        before.chain([None]).chain(after).collect()
    }

    pub(super) fn extension(w: &[usize]) -> Vec<Extended> {
        let places = (0..w.len()).map(|i| dont_care(&w[..i], &w[i + 1..]));
        places.chain((0..=w.len()).map(|i| dont_care(&w[..i], &w[i..]))).collect()
    }
}

/// What [`SchemeId::each_stored`] gives for a word.
fn strings(scheme: SchemeId, symbols: &[usize]) -> Vec<(Layer, Vec<u8>)> {
    let mut strings = Vec::new();
    scheme.each_stored(&word(text(symbols)), &mut Scratch::default(), &mut |layer, string| {
        strings.push((layer, string.to_vec()));
    });
    strings
}

/// The bytes of a stored string as numbers of symbols; `None` is the don't-care symbol.
fn read(mut bytes: &[u8]) -> Extended {
    let mut symbols = Extended::new();
    while !bytes.is_empty() {
        let (symbol, rest) = match bytes.strip_prefix(DONT_CARE) {
            Some(rest) => (None, rest),
            None => (0..SYMBOLS.len())
                .find_map(|at| Some((Some(at), bytes.strip_prefix(SYMBOLS[at].as_bytes())?)))
                .unwrap(),
        };
        symbols.push(symbol);
        bytes = rest;
    }
    symbols
}

/// The stored strings of the deletion scheme, in the mirror's terms.
fn stored(symbols: &[usize]) -> BTreeSet<Entry> {
    let entry = |(layer, string): (Layer, Vec<u8>)| {
        let symbols = read(&string).into_iter().map(Option::unwrap).collect();
        match layer {
            Layer::Word => (None, symbols),
            Layer::Deletion { at } => (Some(usize::from(at)), symbols),
        }
    };
    strings(SchemeId::Deletions, symbols).into_iter().map(entry).collect()
}

/// The strings of the paper's scheme, in the mirror's terms.
fn extension(symbols: &[usize]) -> BTreeSet<Extended> {
    strings(SchemeId::Paper, symbols).into_iter().map(|(_, string)| read(&string)).collect()
}

/// A random word of `least` to 6 symbols.
fn random_word(random: &mut Random, least: usize) -> Symbols {
    let length = least + random.below(7 - least);
    (0..length).map(|_| random.below(SYMBOLS.len())).collect()
}

/// A candidate: a random word, or a word of the dictionary after up to three random edits.
fn candidate(random: &mut Random, dictionary: &[Symbols]) -> Symbols {
    let mut q = match random.below(4) {
        0 => random_word(random, 0),
        _ => dictionary[random.below(dictionary.len())].clone(),
    };
    for _ in 0..random.below(4) {
        let (at, symbol) = (random.below(q.len() + 1), random.below(SYMBOLS.len()));
        match random.below(3) {
            0 => q.insert(at, symbol),
            1 if at < q.len() => q[at] = symbol,
            2 if at < q.len() => drop(q.remove(at)),
            _ => {}
        }
    }
    q
}

/// A word or an extended word in digits, `*` for the don't-care symbol.
fn digits(symbols: &Extended) -> String {
    symbols.iter().map(|symbol| symbol.map_or("*".into(), |symbol| symbol.to_string())).collect()
}

fn plain(symbols: &[usize]) -> String {
    symbols.iter().map(ToString::to_string).collect()
}

/// The cases as lines for the extracted program: what the code says, which it computes again.
struct Cases(Option<BufWriter<File>>);

impl Cases {
    fn line(&mut self, words: std::fmt::Arguments<'_>) {
        if let Some(out) = &mut self.0 {
            writeln!(out, "{words}").unwrap();
        }
    }

    fn strings_of(&mut self, w: &[usize]) {
        let entry = |(place, string): &Entry| {
            format!("{}:{}", place.map_or("-".into(), |place| place.to_string()), plain(string))
        };
        let stored: Vec<String> = stored(w).iter().map(entry).collect();
        let extension: Vec<String> = extension(w).iter().map(digits).collect();
        self.line(format_args!("strings;{};{};{}", plain(w), stored.join(","), extension.join(",")));
    }
}

#[test]
fn the_code_does_what_is_proved() {
    let file = env::var_os("NEARMISS_CASES").map(|path| BufWriter::new(File::create(path).unwrap()));
    let (mut cases, mut random) = (Cases(file), Random::new(13));
    let (mut found, mut meeting) = (0, 0);
    for _ in 0..DICTIONARIES {
        let count = 1 + random.below(6);
        let dictionary: Vec<Symbols> = (0..count).map(|_| random_word(&mut random, 1)).collect();
        let list = dictionary.iter().map(|w| text(w)).collect::<Vec<_>>().join("\n");
        let filter = filter(&settings(SchemeId::Deletions, 8), list.as_bytes());
        for w in &dictionary {
            assert_eq!(stored(w), mirror::stored(w).into_iter().collect(), "{w:?}");
            assert_eq!(extension(w), mirror::extension(w).into_iter().collect(), "{w:?}");
            cases.strings_of(w);
        }
        for _ in 0..CANDIDATES {
            let q = candidate(&mut random, &dictionary);
            let finds = filter.nearest(&word(text(&q)), false, &mut Buffers::default()).unwrap().is_some();
            assert_eq!(finds, mirror::finds(&dictionary, &q), "{dictionary:?} {q:?}");
            let is_near = dictionary.iter().any(|w| mirror::distance(w, &q) <= 1);
            assert_eq!(finds, is_near, "{dictionary:?} {q:?}");

            let w = &dictionary[random.below(dictionary.len())];
            let shares = !extension(w).is_disjoint(&extension(&q));
            assert_eq!(shares, mirror::distance(w, &q) <= 1, "{w:?} {q:?}");
            let dictionary: Vec<String> = dictionary.iter().map(|w| plain(w)).collect();
            let (words, q, w) = (dictionary.join(","), plain(&q), plain(w));
            cases.line(format_args!("finds;{words};{q};{}", u8::from(finds)));
            cases.line(format_args!("shares;{w};{q};{}", u8::from(shares)));
            found += usize::from(finds);
            meeting += usize::from(shares);
        }
    }
    // Both answers are frequent among the cases, so that neither is compared in vain.
    let pairs = DICTIONARIES * CANDIDATES;
    assert_eq!(pairs, 100_000);
    for count in [found, meeting] {
        assert!((pairs / 10..pairs * 9 / 10).contains(&count), "{found} and {meeting} of {pairs}");
    }
    if let Some(mut out) = cases.0 {
        out.flush().unwrap();
    }
}
