//! Exact check: is a string one of a million.

use std::{collections::HashSet, hash::BuildHasher, path::Path};

use fastbloom::BloomFilter;
use nearmiss_filters::{format::SchemeId, hash::Key};
use xorf::{BinaryFuse8, BinaryFuse16, Filter as _};

use crate::{
    harness::{Contender, race},
    lists, ours, peers,
    queries::{Oracle, Queries},
    report::{Target, duration, line, section},
    work::{PASSWORDS, Work},
};

/// SipHash-1-3 under our key, for peers that take a hasher: the same work for both sides.
#[derive(Clone)]
struct SameHash(Key);

/// Collects what is hashed; strings come as bytes with a length before or a mark behind, which costs nothing
/// here.
struct Collector(Key, u64);

impl std::hash::Hasher for Collector {
    fn write(&mut self, bytes: &[u8]) {
        self.1 = self.0.hash(bytes);
    }
    fn write_usize(&mut self, _: usize) {}
    fn finish(&self) -> u64 {
        self.1
    }
}

impl BuildHasher for SameHash {
    type Hasher = Collector;
    fn build_hasher(&self) -> Collector {
        Collector(self.0.clone(), 0)
    }
}

/// Runs the measure.
pub fn run(work: &Work) {
    let words = work.passwords(PASSWORDS);
    let text = lists::text(&words);
    let oracle = Oracle::new(&words);
    let queries = Queries::new(&words, &oracle, 8, work.strangers());
    let list = work.list_file(words.len());
    let pwq = peers::pwqfilter(work, &list, words.len());
    let set: HashSet<&[u8]> = words.iter().map(|word| &word[..]).collect();
    let key = Key::new([7; 16]);
    let hashes: Vec<u64> = words.iter().map(|word| key.hash(word)).collect();
    let fuse8 = BinaryFuse8::try_from(hashes.as_slice()).expect("distinct hashes");
    let fuse16 = BinaryFuse16::try_from(hashes.as_slice()).expect("distinct hashes");
    for rate in [0.01, 0.001] {
        let ours = ours::filter(&text, &ours::settings(SchemeId::Whole, 0, rate, ours::threads()));
        let bits = (ours::bits_per_word(&ours) * words.len() as f64) as usize;
        let mut bloom = BloomFilter::with_num_bits(bits).seed(&7).hashes(u32::from(ours.header().word_bits));
        let mut same = BloomFilter::with_num_bits(bits)
            .hasher(SameHash(key.clone()))
            .hashes(u32::from(ours.header().word_bits));
        words.iter().for_each(|word| {
            bloom.insert(&word[..]);
            same.insert(&word[..]);
        });
        section(&format!("exact check, 1 M passwords, {rate} (processor time a query)"));
        for (kind, queries) in [("hit", &queries.hits), ("random miss", &queries.random)] {
            let mut contenders = vec![
                Contender::each("ours", queries, |query| {
                    ours.contains_entry(query.as_bytes()).expect("a filter in memory")
                }),
                Contender::each("fastbloom, its own SipHash", queries, |query| {
                    bloom.contains(query.as_bytes())
                }),
                Contender::each("fastbloom, our hash", queries, |query| same.contains(query.as_bytes())),
                Contender::each("xorf BinaryFuse8", queries, |query| {
                    fuse8.contains(&key.hash(query.as_bytes()))
                }),
                Contender::each("xorf BinaryFuse16", queries, |query| {
                    fuse16.contains(&key.hash(query.as_bytes()))
                }),
                Contender::each("std HashSet", queries, |query| set.contains(query.as_bytes())),
                Contender::timed("passwdqc_check with a filter", || passwdqc(work, &pwq, queries)),
            ];
            let times = race(&mut contenders);
            for (contender, &time) in contenders.iter().zip(&times).skip(1) {
                let is_goal = kind == "random miss" && contender.name.starts_with("fastbloom, its");
                let bound = if rate < 0.01 { 1.3 } else { 1.5 };
                let target = if is_goal { Target::AtMost(bound) } else { Target::None };
                let theirs = format!("{} {}", contender.name, duration(time));
                line(
                    &format!("{kind}, ours ÷ theirs"),
                    &duration(times[0]),
                    &theirs,
                    times[0] / time,
                    target,
                );
            }
        }
    }
}

fn passwdqc(work: &Work, filter: &Path, queries: &[String]) -> f64 {
    peers::ask(work, "passwdqc", &[filter], &queries[..512])
}
