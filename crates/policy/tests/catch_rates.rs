//! What the default policy catches and what it rejects by accident, on a real dictionary (Debian's
//! wamerican): every disguise of a word is caught, and candidates that are not near are rejected at most at
//! the stated rate.

use crate::common::{Oracle, Random, build, settings, stating, word};
use nearmiss_filters::{
    dictionary::{
        Build, DictionaryFilter,
        sizing::{DEFAULT_FALSE_REJECTION, STATED_LOOKUPS},
    },
    format::{Match, SchemeId, StatedRate},
};
use nearmiss_policy::policy::{
    Context, Examination, Ladders, MIN_LEFT_EXACT, MIN_LEFT_NEAR, OpenDictionary, Policy, StructureRules,
    VariantRules, variants,
};

const DICTIONARY: &str = "/usr/share/dict/american-english";

fn dictionary() -> Vec<u8> {
    std::fs::read(DICTIONARY).expect("install the package wamerican")
}

fn lines(list: &[u8]) -> Vec<&str> {
    std::str::from_utf8(list).unwrap().lines().collect()
}

fn rules(list: &[u8], key_seed: u8) -> Vec<OpenDictionary<Vec<u8>>> {
    let stated =
        StatedRate { false_rejection: DEFAULT_FALSE_REJECTION, characters: 12, lookups: STATED_LOOKUPS };
    let key = nearmiss_filters::hash::Key::new([key_seed; 16]);
    let settings = Build { key, threads: 2, ..stating(stated, settings(SchemeId::Deletions, 8)) };
    let filter = DictionaryFilter::from_bytes(build(&settings, &[list])).unwrap();
    vec![OpenDictionary { filter, matching: Match::Near }]
}

fn is_rejected(policy: &Policy, rules: &[OpenDictionary<Vec<u8>>], candidate: &str) -> bool {
    let sources = Examination::new(rules, Ladders::default());
    policy.examine(candidate.as_bytes(), &Context::default(), sources).complete().unwrap().is_some()
}

const DIGITS: &[u8] = b"0123456789";
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const PUNCTUATION: &[u8] = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

fn pick(random: &mut Random, set: &[u8]) -> char {
    char::from(set[random.below(set.len())])
}

fn interior(random: &mut Random, word: &str) -> usize {
    1 + random.below(word.len() - 2)
}

fn substituted(random: &mut Random, word: &str, set: &[u8]) -> String {
    let at = interior(random, word);
    let new = pick(random, set);
    format!("{}{new}{}", &word[..at], &word[at + 1..])
}

fn inserted(random: &mut Random, word: &str, set: &[u8]) -> String {
    let at = interior(random, word);
    let new = pick(random, set);
    format!("{}{new}{}", &word[..at], &word[at..])
}

fn some(random: &mut Random, set: &[u8]) -> String {
    (0..=random.below(4)).map(|_| pick(random, set)).collect()
}

fn leet(c: char) -> char {
    match c {
        'a' => '4',
        'b' => '8',
        'e' => '3',
        'g' => '9',
        'i' => '1',
        'o' => '0',
        's' => '$',
        't' => '7',
        'z' => '2',
        other => other,
    }
}

fn leet_one(random: &mut Random, word: &str) -> String {
    let at: Vec<usize> = (0..word.len())
        .filter(|&i| leet(char::from(word.as_bytes()[i])) as u8 != word.as_bytes()[i])
        .collect();
    match at.get(random.below(at.len().max(1))) {
        Some(&at) => format!("{}{}{}", &word[..at], leet(char::from(word.as_bytes()[at])), &word[at + 1..]),
        None => word.to_owned(),
    }
}

fn random_case(random: &mut Random, word: &str) -> String {
    word.chars().map(|c| if random.below(2) == 0 { c.to_ascii_uppercase() } else { c }).collect()
}

fn reversed(word: &str) -> String {
    word.chars().rev().collect()
}

type Row = (&'static str, fn(&mut Random, &str) -> String);

/// The rows of the catch-rate study of the peers, and their compositions.
const ROWS: [Row; 22] = [
    ("exact", |_, w| w.to_owned()),
    ("random case", random_case),
    ("substituted letter", |r, w| substituted(r, w, LETTERS)),
    ("substituted digit", |r, w| substituted(r, w, DIGITS)),
    ("substituted punctuation", |r, w| substituted(r, w, PUNCTUATION)),
    ("inserted letter", |r, w| inserted(r, w, LETTERS)),
    ("inserted digit", |r, w| inserted(r, w, DIGITS)),
    ("inserted punctuation", |r, w| inserted(r, w, PUNCTUATION)),
    ("deleted", |r, w| {
        let at = r.below(w.len());
        format!("{}{}", &w[..at], &w[at + 1..])
    }),
    ("leet, one", leet_one),
    ("leet, all", |_, w| w.chars().map(leet).collect()),
    ("reversed", |_, w| reversed(w)),
    ("doubled", |_, w| format!("{w}{w}")),
    ("1-4 digits appended", |r, w| format!("{w}{}", some(r, DIGITS))),
    ("1-4 digits prepended", |r, w| format!("{}{w}", some(r, DIGITS))),
    ("1-4 punctuation appended", |r, w| format!("{w}{}", some(r, PUNCTUATION))),
    ("1-4 punctuation prepended", |r, w| format!("{}{w}", some(r, PUNCTUATION))),
    ("Capital, 2 digits, !", |r, w| {
        let digits = format!("{}{}", pick(r, DIGITS), pick(r, DIGITS));
        format!("{}{}{digits}!", w[..1].to_uppercase(), &w[1..])
    }),
    ("leet, all, 4 digits, !", |_, w| format!("{}2026!", w.chars().map(leet).collect::<String>())),
    ("reversed, 2 digits, !", |_, w| format!("{}42!", reversed(w))),
    ("substituted, 3 digits", |r, w| format!("{}123", substituted(r, w, LETTERS))),
    ("reversed, deleted", |r, w| {
        let at = r.below(w.len());
        reversed(&format!("{}{}", &w[..at], &w[at + 1..]))
    }),
];

#[test]
fn every_disguise_of_every_word_is_caught() {
    let list = dictionary();
    let rules = rules(&list, 1);
    let policy = Policy { min_length: 1, ..Policy::default() };
    let is_usable =
        |word: &&str| (8..=14).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase());
    let words: Vec<&str> = lines(&list).into_iter().filter(is_usable).collect();
    let mut random = Random::new(7);
    println!("{:<28} rejected of 1000", "row");
    for (name, disguise) in ROWS {
        let candidates = (0..1000).map(|_| {
            let word = words[random.below(words.len())];
            disguise(&mut random, word)
        });
        let missed: Vec<String> =
            candidates.filter(|candidate| !is_rejected(&policy, &rules, candidate)).collect();
        println!("{name:<28} {:6.1} %", 100.0 - missed.len() as f64 / 10.0);
        assert!(missed.is_empty(), "{name}: {missed:?}");
    }
}

fn rejects(oracle: &Oracle<'_>, candidate: &str) -> bool {
    variants::of(word(candidate), VariantRules::default()).iter().any(|variant| {
        variant.may_match(MIN_LEFT_EXACT) && oracle.has(&variant.word)
            || variant.may_match(MIN_LEFT_NEAR) && oracle.is_near(&variant.word)
    })
}

#[test]
fn strangers_are_rejected_at_most_at_the_stated_rate() {
    let list = dictionary();
    let policy = Policy { min_length: 1, ..Policy::default() };
    let rules = rules(&list, 2);
    let mut random = Random::new(8);
    let printable: Vec<u8> = (b' '..=b'~').collect();
    let mut rejected = 0;
    for _ in 0..200_000 {
        let candidate: String = (0..12).map(|_| pick(&mut random, &printable)).collect();
        rejected += usize::from(is_rejected(&policy, &rules, &candidate));
    }
    println!("random, 12 characters: {rejected} of 200,000 rejected, stated {DEFAULT_FALSE_REJECTION}");
    assert!(rejected as f64 <= 200_000.0 * DEFAULT_FALSE_REJECTION * 1.1);

    let words = lines(&list);
    let oracle = Oracle::new(&words);
    let passwords = include_str!("../../filters/tests/fixtures/passwords.txt");
    let far: Vec<&str> = passwords.lines().filter(|line| !rejects(&oracle, line)).take(20_000).collect();
    assert!(far.len() > 19_000, "{}", far.len());
    // What they are made of is not the oracle's business.
    let policy = Policy { structure: StructureRules::NONE, ..policy };
    let rejected = far.iter().filter(|candidate| is_rejected(&policy, &rules, candidate)).count();
    println!("word-like: {rejected} of {} rejected", far.len());
    assert!(rejected as f64 <= far.len() as f64 * DEFAULT_FALSE_REJECTION * 1.1);
}
