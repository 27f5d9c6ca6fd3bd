//! The size of a near filter at a false rejection rate of 1 % (8 characters, variants off), what such a
//! filter rejects by accident, and how many pages a miss touches: on 194,168 words, as many as the paper's
//! dictionary (§4).

use std::{cell::Cell, io, ops::Range};

use crate::common::{Oracle, Random, build, settings, stating, word};
use nearmiss_filters::{
    dictionary::{Buffers, Build, DictionaryFilter},
    format::{SchemeId, StatedRate},
    page::PAGE_BYTES,
    storage::Bytes,
};

const WORDS: usize = 194_168;
const RATE: f64 = 0.01;

/// The paper's number of words, sampled with a fixed seed from Debian's wamerican-huge.
fn paper_sized_list() -> Vec<u8> {
    let huge = std::fs::read("/usr/share/dict/american-english-huge").expect("install wamerican-huge");
    let mut words: Vec<&[u8]> = huge.split(|&b| b == b'\n').filter(|word| !word.is_empty()).collect();
    let mut random = Random::new(1994);
    for i in 0..WORDS {
        let j = i + random.below(words.len() - i);
        words.swap(i, j);
    }
    words.truncate(WORDS);
    words.join(&b'\n')
}

fn sized(deletion_bits: u8, list: &[u8]) -> Vec<u8> {
    let stated = StatedRate { false_rejection: RATE, characters: 8, lookups: 1 };
    build(&Build { threads: 2, ..stating(stated, settings(SchemeId::Deletions, deletion_bits)) }, &[list])
}

/// Bytes that count the pages made readable.
struct Counting<'b> {
    bytes: &'b [u8],
    populated: Cell<usize>,
}

impl Bytes for &Counting<'_> {
    fn bytes(&self) -> &[u8] {
        self.bytes
    }

    fn populate(&self, range: Range<usize>) -> io::Result<()> {
        // A small filter is asked for whole first; where that fails, page by page.
        if range.len() > PAGE_BYTES {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.populated.set(self.populated.get() + 1);
        Ok(())
    }
}

fn pages_touched(bytes: &[u8], query: &str) -> usize {
    let counting = Counting { bytes, populated: Cell::new(0) };
    let filter = DictionaryFilter::from_bytes(&counting).unwrap();
    let _ = filter.nearest(&word(query), false, &mut Buffers::default()).unwrap();
    counting.populated.get()
}

fn rejected(bytes: &[u8], queries: &[String]) -> usize {
    let filter = DictionaryFilter::from_bytes(bytes).unwrap();
    let mut buffers = Buffers::default();
    queries
        .iter()
        .filter(|query| filter.nearest(&word(query), false, &mut buffers).unwrap().is_some())
        .count()
}

/// The paper's test: random printable characters, at least one of them not alphanumeric.
fn paper_queries(n: usize) -> Vec<String> {
    let mut random = Random::new(8);
    let printable: Vec<char> = ('!'..='~').collect();
    let draw = || (0..8).map(|_| printable[random.below(printable.len())]).collect::<String>();
    std::iter::repeat_with(draw).filter(|q| q.chars().any(|c| !c.is_alphanumeric())).take(n).collect()
}

/// Real passwords of eight characters that are further than 1 from every word.
fn word_like_queries(list: &[u8]) -> Vec<String> {
    let words: Vec<&str> = std::str::from_utf8(list).unwrap().lines().collect();
    let oracle = Oracle::new(&words);
    let passwords = include_str!("fixtures/passwords.txt").lines();
    passwords.filter(|q| q.chars().count() == 8 && !oracle.is_near(&word(q))).map(str::to_owned).collect()
}

#[test]
fn one_per_cent_costs_what_was_promised() {
    let list = paper_sized_list();
    let (random, word_like) = (paper_queries(200_000), word_like_queries(&list));
    println!(
        "bits  bits a word  paper's test  word-like ({})  pages a miss, random and word-like",
        word_like.len()
    );
    for (deletion_bits, most_bits) in [(8, 120.0), (6, 96.0), (4, 72.0), (2, 52.0), (0, 27.0)] {
        let bytes = sized(deletion_bits, &list);
        let bits = bytes.len() as f64 * 8.0 / WORDS as f64;
        let by_accident = rejected(&bytes, &random) as f64 / random.len() as f64;
        let when_word_like = rejected(&bytes, &word_like) as f64 / word_like.len() as f64;
        let mean_pages = |queries: &[String]| {
            queries.iter().take(2000).map(|query| pages_touched(&bytes, query)).sum::<usize>() as f64 / 2000.0
        };
        let (pages_random, pages_word_like) = (mean_pages(&random), mean_pages(&word_like));
        println!(
            "{deletion_bits:>4}  {bits:>11.1}  {:>10.4} %  {:>16.3} %  {pages_random:>8.2} \
             {pages_word_like:>8.2}",
            100.0 * by_accident,
            100.0 * when_word_like,
        );
        assert!(bits <= most_bits);
        assert!(by_accident <= 0.0005);
        assert!(when_word_like <= RATE);
        assert!(deletion_bits < 6 || pages_random.max(pages_word_like) <= 15.0);
    }
}
