//! Near check: is a candidate within distance 1 of one of a million words.

use fst::{IntoStreamer, Set, Streamer, automaton::Levenshtein};
use nearmiss_filters::{dictionary::Buffers, format::SchemeId, neighbours::Scratch, word::Word};
use symspell::{SymSpell, SymSpellBuilder, UnicodeStringStrategy, Verbosity};

use crate::{
    harness::{Contender, race},
    lists::{self, Words},
    ours::{self, Filter},
    paper::Paper,
    peers,
    queries::{Oracle, Queries},
    report::{Target, duration, figure, line, section},
    work::{PASSWORDS, Work},
};

/// Everything that is asked, made from one list.
struct Sides {
    near: Filter,
    compact: Filter,
    paper: Filter,
    plain_paper: Paper,
    fst: Set<Vec<u8>>,
    symspell: SymSpell<UnicodeStringStrategy>,
    cracklib: std::path::PathBuf,
    strength: std::path::PathBuf,
    list: std::path::PathBuf,
}

/// SymSpell's dictionary of a list.
pub fn symspell(words: &Words) -> SymSpell<UnicodeStringStrategy> {
    let mut symspell =
        SymSpellBuilder::default().max_dictionary_edit_distance(1).build().expect("its defaults");
    for word in words {
        symspell.load_dictionary_line(&format!("{}\t1", String::from_utf8_lossy(word)), 0, 1, "\t");
    }
    symspell
}

/// An FST set of a list.
pub fn fst(words: &Words) -> Set<Vec<u8>> {
    let mut sorted = words.clone();
    sorted.sort();
    Set::from_iter(sorted).expect("sorted words")
}

/// The place of fst among the contenders.
const FST: usize = 4;

impl Sides {
    fn new(work: &Work, words: &Words) -> Sides {
        let text = lists::text(words);
        let list = work.list_file(words.len());
        let filter = |scheme, bits| ours::filter(&text, &ours::settings(scheme, bits, 0.01, ours::threads()));
        let paper = filter(SchemeId::Paper, 0);
        Sides {
            near: filter(SchemeId::Deletions, ours::near_bits()),
            compact: filter(SchemeId::Deletions, 0),
            plain_paper: Paper::of(&paper),
            paper,
            fst: fst(words),
            symspell: symspell(words),
            cracklib: peers::cracklib(work, &list, "crack-1m"),
            strength: peers::strength(work, &list),
            list,
        }
    }

    fn contenders<'s>(&'s self, work: &'s Work, queries: &'s [String]) -> Vec<Contender<'s>> {
        let few = &queries[..queries.len().min(64)];
        let some = &queries[..queries.len().min(512)];
        let mut contenders: Vec<Contender<'s>> = [
            ("near", &self.near),
            ("compact (0 bits)", &self.compact),
            ("paper's scheme, all hashed first", &self.paper),
        ]
        .map(|(name, filter)| nearest(name, filter, queries))
        .into();
        contenders.push(plain(&self.plain_paper, queries));
        contenders.push(Contender::each("fst + Levenshtein", few, |query| in_fst(&self.fst, query)));
        contenders.push(Contender::each("SymSpell", some, |query| {
            !self.symspell.lookup(query, Verbosity::Closest, 1).is_empty()
        }));
        contenders
            .push(Contender::timed("cracklib", move || peers::ask(work, "crack", &[&self.cracklib], few)));
        contenders.push(Contender::timed("krb5-strength's SQLite queries", move || {
            peers::ask(work, "strength", &["ask".as_ref(), &self.strength], few)
        }));
        contenders
    }
}

/// Our check: from the bytes typed to the answer, cleaning included.
pub fn nearest<'s>(name: &'s str, filter: &'s Filter, queries: &'s [String]) -> Contender<'s> {
    let (mut buffers, mut word) = (Buffers::default(), Word::with_full_capacity());
    Contender::each(name, queries, move |query| {
        word.assign(query.as_bytes()).is_ok()
            && filter.nearest(&word, false, &mut buffers).expect("a filter in memory").is_some()
    })
}

/// What a check asks first.
fn contains<'s>(filter: &'s Filter, queries: &'s [String]) -> Contender<'s> {
    let (mut buffers, mut word) = (Buffers::default(), Word::with_full_capacity());
    Contender::each("contains", queries, move |query| {
        word.assign(query.as_bytes()).is_ok()
            && filter.contains(&word, &mut buffers).expect("a filter in memory")
    })
}

fn plain<'s>(paper: &'s Paper, queries: &'s [String]) -> Contender<'s> {
    let (mut scratch, mut word) = (Scratch::default(), Word::with_full_capacity());
    Contender::each("paper's scheme, straightforward", queries, move |query| {
        word.assign(query.as_bytes()).is_ok() && paper.is_near(&word, &mut scratch)
    })
}

fn in_fst(set: &Set<Vec<u8>>, query: &str) -> bool {
    let automaton = Levenshtein::new(query, 1).expect("a short query");
    set.search(automaton).into_stream().next().is_some()
}

/// The targets of a warm miss: of ours over the other side, or of the other side over ours.
fn target(length: usize, kind: &str, peer: &str) -> Target {
    match (length, kind, peer) {
        (8, "random miss" | "word-like miss", "paper's scheme, straightforward") => Target::AtMost(0.25),
        (8, "random miss", "fst + Levenshtein" | "cracklib") => Target::AtMost(1.0 / 200.0),
        (8, "random miss", "SymSpell") => Target::AtMost(0.5),
        _ => Target::None,
    }
}

/// Runs the measure.
pub fn run(work: &Work) {
    let words = work.passwords(PASSWORDS);
    let oracle = Oracle::new(&words);
    let sides = Sides::new(work, &words);
    for length in [8, 12] {
        let queries = Queries::new(&words, &oracle, length, work.strangers());
        section(&format!("near check, 1 M passwords, 1 %, {length} characters (processor time a query)"));
        for (kind, queries) in queries.kinds() {
            let mut contenders = sides.contenders(work, queries);
            let times = race(&mut contenders);
            for (contender, &time) in contenders.iter().zip(&times).skip(1) {
                let bound = target(length, kind, &contender.name);
                let names = (duration(times[0]), format!("{} {}", contender.name, duration(time)));
                line(&format!("{kind}, ours ÷ theirs"), &names.0, &names.1, times[0] / time, bound);
            }
            absolute(length, kind, &times);
            if (length, kind) == (8, "word-like miss") {
                word_like(&sides, queries, &times);
            }
            if (length, kind) == (8, "hit") {
                let time = race(&mut [contains(&sides.compact, queries)])[0];
                let name = "hit, compact, whether it is a word, ns";
                line(name, &duration(time), "", time, Target::AtMost(60.0));
            }
        }
    }
    let agrep = peers::agrep(work, &sides.list, "zqx7kvw0");
    line("one query", "", &format!("tre-agrep -1 {}", duration(agrep)), agrep, Target::None);
    let ratio = ours::bits_per_word(&sides.near) / 8.0 * words.len() as f64;
    line("filter size, bytes", &figure(ratio), "", ratio, Target::None);
}

fn absolute(length: usize, kind: &str, times: &[f64]) {
    let (near, compact) = match (length, kind) {
        (8, "random miss") => (200.0, 2500.0),
        (8, "word-like miss") => (600.0, 30_000.0),
        _ => return,
    };
    line(&format!("{kind}, near, ns"), &duration(times[0]), "", times[0], Target::AtMost(near));
    line(&format!("{kind}, compact, ns"), &duration(times[1]), "", times[1], Target::AtMost(compact));
}

/// Queries that are asked again and again, so that all that they read is in the processor's caches.
const IN_TURN: usize = 64;

/// A word-like miss with everything in the caches, and the compact filter beside the automaton.
fn word_like(sides: &Sides, queries: &[String], times: &[f64]) {
    let few = &queries[..queries.len().min(IN_TURN)];
    let time = race(&mut [nearest("near", &sides.near, few)])[0];
    let name = format!("word-like miss, near, {IN_TURN} questions in turn, ns");
    line(&name, &duration(time), "", time, Target::AtMost(750.0));
    let (compact, fst) = (times[1], times[FST]);
    let theirs = format!("fst + Levenshtein {}", duration(fst));
    let name = "word-like miss, theirs ÷ compact";
    line(name, &duration(compact), &theirs, fst / compact, Target::AtLeast(4.0));
}
