//! Cold page cache: the filter's pages are dropped, then one near check from opening the file to the answer.

use std::{fs::File, path::Path, time::Instant};

use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter},
    format::SchemeId,
    word::Word,
};
use rustix::fs::{Advice, fadvise};

use crate::{
    ffi::{Fetch, Map},
    harness::median,
    ours,
    queries::COUNT,
    random::Random,
    report::{Target, duration, figure, line, section},
    work::Work,
};

/// Checks of each kind; each begins with nothing in memory.
const CHECKS: usize = 81;

/// What one check cost.
struct Cost {
    nanoseconds: f64,
    /// Pages asked for in the first round and in all.
    first_round: f64,
    all: f64,
    /// Pages that the disk was read for.
    read: f64,
}

/// Runs the measure.
pub fn run(work: &Work) {
    let candidates = word_like(work);
    for (words, name) in [(1_000_000, "1 M"), (10_000_000, "10 M")] {
        let text = std::fs::read(work.list_file(words)).expect("a list");
        let settings = |scheme, bits| ours::settings(scheme, bits, 0.01, ours::threads());
        let near =
            work.filter_file("cold-near.filter", &text, &settings(SchemeId::Deletions, ours::near_bits()));
        let paper = work.filter_file("cold-paper.filter", &text, &settings(SchemeId::Paper, 0));
        drop(text);
        [&near, &paper].into_iter().for_each(|path| warm_what_is_below(path));
        section(&format!(
            "cold page cache, {name} words, 8 characters, word-like candidate, from open to answer"
        ));
        let sides = [
            (&near, Fetch::Together),
            (&near, Fetch::OneByOne),
            (&near, Fetch::Plain),
            (&paper, Fetch::Together),
        ];
        let mut costs: [Vec<Cost>; 4] = Default::default();
        for (round, candidate) in candidates.iter().take(CHECKS).enumerate() {
            // Each side comes first in its turn: it may be the one that waits for the host's disk.
            for turn in 0..sides.len() {
                let side = (round + turn) % sides.len();
                let (path, fetch) = sides[side];
                costs[side].push(check(path, fetch, candidate));
            }
        }
        show(words, &costs);
    }
}

/// Reads a file once: a virtual disk keeps what was read in the memory of its host, and every side shall find
/// it there.
fn warm_what_is_below(path: &Path) {
    let file = File::open(path).expect("a filter");
    file.sync_all().expect("a disk");
    fadvise(&file, 0, None, Advice::DontNeed).expect("a file system that can drop pages");
    std::io::copy(&mut &file, &mut std::io::sink()).expect("a readable filter");
}

fn show(words: usize, costs: &[Vec<Cost>; 4]) {
    let time = costs.each_ref().map(|costs| of(costs, |cost| cost.nanoseconds));
    let pages = |costs| format!("{} pages read", figure(of(costs, |cost: &Cost| cost.read)));
    let names = ["near", "near, pages one by one", "near, plain mapping", "paper's scheme, same prefetch"];
    let ours = format!("{}, {}", duration(time[0]), pages(&costs[0]));
    let is_goal = words == 10_000_000;
    let goal = |target| if is_goal { target } else { Target::None };
    for (at, target) in [(1, 1.0 / 2.5), (2, 1.0 / 8.0), (3, 0.65)] {
        let theirs = format!("{} {}, {}", names[at], duration(time[at]), pages(&costs[at]));
        line("time, near ÷ other", &ours, &theirs, time[0] / time[at], goal(Target::AtMost(target)));
    }
    let (first, all) = (of(&costs[0], |cost| cost.first_round), of(&costs[0], |cost| cost.all));
    line("pages in the first round, median", "", "", first, goal(Target::AtMost(10.0)));
    line("pages in all, median", "", "", all, goal(Target::AtMost(18.0)));
}

fn of(costs: &[Cost], what: impl Fn(&Cost) -> f64) -> f64 {
    median(costs.iter().map(what).collect())
}

fn check(path: &Path, fetch: Fetch, candidate: &str) -> Cost {
    let file = File::open(path).expect("a filter");
    fadvise(&file, 0, None, Advice::DontNeed).expect("a file system that can drop pages");
    let word = Word::clean(candidate.as_bytes()).expect("a short word");
    let before = pages_read();
    let start = Instant::now();
    let map = Map::new(&file, fetch).expect("a mapping");
    let rounds = map.rounds.clone();
    let filter = DictionaryFilter::from_bytes(map).expect("a filter");
    filter.nearest(&word, false, &mut Buffers::default()).expect("a readable filter");
    let nanoseconds = start.elapsed().as_nanos() as f64;
    let read = pages_read() - before;
    let rounds = rounds.take();
    let first_round = rounds.first().copied().unwrap_or(0) as f64;
    Cost { nanoseconds, first_round, all: rounds.iter().sum::<usize>() as f64, read }
}

/// Pages that this process made the disk read.
fn pages_read() -> f64 {
    let io = std::fs::read_to_string("/proc/self/io").expect("a kernel with input accounting");
    let bytes = io.lines().find_map(|line| line.strip_prefix("read_bytes: ")).expect("read_bytes");
    bytes.parse::<f64>().expect("a number") / 4096.0
}

/// Word-like candidates of 8 characters in a fixed random order.
fn word_like(work: &Work) -> Vec<String> {
    let mut random = Random::new(8);
    let fitting = work.strangers().filter(|word| word.len() == 8).take(COUNT);
    let mut candidates: Vec<String> =
        fitting.map(|word| String::from_utf8_lossy(&word).into_owned()).collect();
    for at in (1..candidates.len()).rev() {
        candidates.swap(at, random.below(at + 1));
    }
    candidates
}
