//! A whole check, with nothing to open: all rules on beside none, and the passwords that cost most.

use std::fs;

use nearmiss_filters::{
    dictionary::{Build, DictionaryFilter, Spec},
    format::{Match, SchemeId},
};
use nearmiss_policy::policy::{
    Context, Examination, Ladders, OpenDictionary, Policy, RULES, Section, StructureRules,
};

use crate::{
    harness::{Contender, ROUNDS, median, processor_time, race},
    lists::{self, Words},
    ours,
    random::Random,
    report::{Target, duration, line, section},
    work::{self, Work},
};

/// Passwords of each kind.
pub const COUNT: usize = 2048;

/// Characters of a random password.
const LENGTH: usize = 12;

const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

/// The dictionary of a check.
pub type Rules = [OpenDictionary<Vec<u8>>; 1];

/// All rules that are on by default, none, and each of `[policy]` alone.
pub fn rules_tried() -> Vec<&'static str> {
    let single = RULES.iter().filter(|rule| rule.section == Section::Policy).map(|rule| rule.key);
    ["all-rules", "no-rules"].into_iter().chain(single).collect()
}

/// The policy with one of [`rules_tried`].
pub fn policy(rules: &str) -> Policy {
    let mut policy = Policy::default();
    if rules != "all-rules" {
        policy.structure = StructureRules::NONE;
        RULES.iter().filter(|rule| rule.key == rules).for_each(|rule| rule.switch_on(&mut policy));
    }
    policy
}

/// True when the password is accepted.
pub fn is_accepted(policy: &Policy, rules: &Rules, password: &[u8]) -> bool {
    let sources = Examination::new(rules, Ladders::default());
    policy.examine(password, &Context::default(), sources).complete().is_ok_and(|finding| finding.is_none())
}

/// A filter as it is built by default.
pub fn settings() -> Build {
    let near = ours::settings(SchemeId::Deletions, ours::near_bits(), 0.001, ours::threads());
    Build { spec: Spec::default(), ..near }
}

/// Runs the measure.
pub fn run(work: &Work) {
    for (name, words) in [("words", work.million_words()), ("passwords", work.passwords(work::PASSWORDS))] {
        let rules = rules(work, name, &words);
        section(&format!("a check, 1 M {name}, near: all rules beside none (processor time)"));
        for (kind, passwords) in kinds(work) {
            ratio(kind, &rules, &passwords);
        }
        for (kind, password) in worst(&words) {
            longest(&kind, &rules, &password);
        }
    }
    section("a check, 1 M words of random letters: every four of them occurs (processor time)");
    let words = random_words();
    let rules = rules(work, "random", &words);
    for (kind, password) in worst(&words) {
        longest(&kind, &rules, &password);
    }
}

/// The dictionary of these words, in memory.
fn rules(work: &Work, name: &str, words: &Words) -> Rules {
    let path = work.filter_file(&format!("checks-{name}.filter"), &lists::text(words), &settings());
    let filter = DictionaryFilter::from_bytes(fs::read(path).expect("a filter")).expect("a filter");
    [OpenDictionary { filter, matching: Match::Near }]
}

/// As many words of 10 to 16 random letters.
fn random_words() -> Words {
    let mut random = Random::new(1016);
    let mut word = || {
        let length = 10 + random.below(7);
        (0..length).map(|_| *random.pick(LETTERS)).collect()
    };
    (0..work::PASSWORDS).map(|_| word()).collect()
}

fn ratio(kind: &str, rules: &Rules, passwords: &[Vec<u8>]) {
    let policies = ["all-rules", "no-rules"].map(policy);
    let contender = |policy| {
        Contender::each(kind, passwords, move |password: &Vec<u8>| is_accepted(policy, rules, password))
    };
    let [all, none] = &policies;
    let times = race(&mut [contender(all), contender(none)]);
    let target = if kind.starts_with("random") { Target::AtMost(1.3) } else { Target::None };
    let other = format!("no rules {}", duration(times[1]));
    line(&format!("{kind}, all ÷ none"), &duration(times[0]), &other, times[0] / times[1], target);
}

/// The time of one password, which is to be at most 2 ms.
fn longest(kind: &str, rules: &Rules, password: &[u8]) {
    let all = policy("all-rules");
    let one = || {
        let start = processor_time();
        is_accepted(&all, rules, password);
        processor_time() - start
    };
    let time = median((0..ROUNDS).map(|_| one()).collect());
    line(&format!("{kind}, ms"), &duration(time), "", time / 1e6, Target::AtMost(2.0));
}

/// Passwords of the kinds that people and generators make.
pub fn kinds(work: &Work) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let symbols: Vec<u8> = (b'!'..=b'~').collect();
    let letters_and_digits: Vec<u8> = symbols.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    let mut random = Random::new(12);
    let mut strings = |symbols: &[u8]| -> Vec<Vec<u8>> {
        (0..COUNT).map(|_| (0..LENGTH).map(|_| *random.pick(symbols)).collect()).collect()
    };
    let word_like = work.strangers().filter(|word| (10..=16).contains(&word.len()));
    vec![
        ("random, 94 symbols", strings(&symbols)),
        ("random, 62 symbols", strings(&letters_and_digits)),
        ("random, lower case", strings(LETTERS)),
        ("word-like", word_like.take(COUNT).map(Vec::from).collect()),
    ]
}

/// The passwords that any rule takes longest for, each with its name.
pub fn worst(words: &Words) -> Vec<(String, Vec<u8>)> {
    let long = words.iter().filter(|word| word.len() == 16 && word.iter().all(u8::is_ascii_lowercase));
    let mut edited: Vec<u8> = long.take(1).flat_map(|word| word.to_vec()).collect();
    edited.iter_mut().rev().step_by(6).take(3).for_each(|byte| *byte = b'e');
    let of = |name: &str, password: &[u8]| (name.to_owned(), password.to_vec());
    vec![
        of("16 letters, three edits from a word", &edited),
        of("16 letters that are common in words", b"seranistelosiner"),
        of("16 letters, all with accents", "séràñîstêlôsïñèr".as_bytes()),
        of("14 letters with accents between digits", "1séràñîstêlôsïñ1".as_bytes()),
        of("dozens of disguises", b"Tr0mbqne-vilk7"),
        of("leet throughout", b"1!|1!5t4nd1n9|!1"),
        of("doubled leet with an accent", "é1!x1!|é1!x1!|".as_bytes()),
        of("one letter 250 times", &[b'e'; 250]),
        of("common letters, 256 characters", &b"estranis".repeat(32)),
        of("512 bytes, none of them UTF-8", &[0xff; 512]),
        of("combining marks, 512 bytes", "e\u{301}\u{323}".repeat(102).as_bytes()),
        of("two words of 255 characters", &b"ab".repeat(127)),
        of("digits, 512 bytes", &b"1234567890".repeat(51)),
        of("digits, 16 bytes", b"9183746501928374"),
        of("leet, 256 bytes", &b"1!|".repeat(85)),
        of("the character that normalises to most", &"\u{fdfa}".repeat(14).into_bytes()),
    ]
}
