//! `filterctl suggest`: what is drawn, what is checked, and what is refused.

use std::{
    collections::{HashMap, HashSet},
    fs,
};

use nearmiss_cli::input::common_passwords;

use crate::{Folder, run, run_with};

const WORDS: &str = include_str!("../../../packaging/wordlists/suggest.lst");

/// The list that is part of the program.
fn built_in() -> Vec<String> {
    let list = common_passwords(usize::MAX).into_iter();
    list.map(|word| String::from_utf8(word).unwrap().to_lowercase()).collect()
}

/// True if at most one edit turns one text into the other.
fn is_near(a: &[char], b: &[char]) -> bool {
    let same_ahead = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[same_ahead..], &b[same_ahead..]);
    let same_behind = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    a.len().max(b.len()) - same_behind <= 1
}

#[test]
fn ten_thousand_are_accepted_distinct_far_from_every_word_and_equally_likely() {
    let folder = Folder::new();
    let filter = folder.path("common.filter");
    let filter = filter.to_str().unwrap();
    let built = run(["build", "--common", "--quiet", "--output", filter]);
    assert_eq!(built.code, 0, "{built:?}");
    let suggested = run(["suggest", "--count", "10000", "--quiet", "--filter", filter]);
    assert_eq!((suggested.code, suggested.err.as_str()), (0, ""));
    let lines: Vec<&str> = suggested.out.lines().collect();
    assert_eq!(lines.len(), 10_000);
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), 10_000, "distinct");
    let judged = run_with(["check", "--summary", "--json", "--filter", filter], suggested.out.as_bytes());
    assert_eq!(judged.code, 0, "all accepted: {judged:?}");

    let list: Vec<&str> = WORDS.lines().collect();
    let mut counts: HashMap<&str, u32> = list.iter().map(|word| (*word, 0)).collect();
    for line in &lines {
        let words: Vec<&str> = line.split('-').collect();
        assert_eq!(words.len(), 5, "{line}");
        for word in &words {
            *counts.get_mut(word).unwrap() += 1;
        }
    }
    let (freedom, expected) = ((list.len() - 1) as f64, 50_000.0 / list.len() as f64);
    let chi_square: f64 =
        counts.values().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
    let deviations = (chi_square - freedom) / (2.0 * freedom).sqrt();
    assert!(deviations.abs() < 6.0, "{deviations} standard deviations");

    let long: Vec<Vec<char>> = built_in().iter().map(|word| word.chars().collect()).collect();
    let long: Vec<_> = long.into_iter().filter(|word: &Vec<char>| word.len() >= 18).collect();
    for line in &lines {
        let line: Vec<char> = line.chars().collect();
        assert!(!long.iter().any(|word| is_near(word, &line)), "{line:?}");
    }
}

#[test]
fn every_word_is_in_the_built_in_list_once() {
    let list: HashSet<String> = built_in().into_iter().collect();
    let words: Vec<&str> = WORDS.lines().collect();
    assert!(words.is_sorted() && words.iter().collect::<HashSet<_>>().len() == words.len());
    let strange: Vec<_> = words.iter().filter(|word| !list.contains(**word)).collect();
    assert!(strange.is_empty(), "{strange:?}");
}

#[test]
fn bits_are_stated_and_at_least_what_is_asked_for() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    let filter = filter.to_str().unwrap();
    for (bits, words) in [("50", 5), ("60", 5), ("72", 6), ("128", 11)] {
        let run = run(["suggest", "--bits", bits, "--json", "--filter", filter]);
        let line = &run.json()[0];
        assert_eq!(line["passphrase"].as_str().unwrap().split('-').count(), words);
        let stated = line["bits"].as_f64().unwrap();
        assert!(stated >= bits.parse().unwrap() && line["words"] == words, "{line}");
    }
    let plain = run(["suggest", "--filter", filter]);
    assert!(plain.err.starts_with("filterctl: 61.0 bits: 5 words drawn from "), "{plain:?}");
    assert_eq!(plain.out.lines().count(), 1);
    for bits in ["49", "257", "x"] {
        assert_eq!(run(["suggest", "--bits", bits, "--filter", filter]).code, 2);
    }
}

#[test]
fn the_policy_of_the_configuration_is_asked() {
    let folder = Folder::new();
    let (filter, conf) = (folder.filter("elephant\n"), folder.path("n.conf"));
    let text =
        |more: &str| format!("packaged = false\n{more}[[dictionary]]\nfile = \"{}\"\n", filter.display());
    let suggest = |more: &str| {
        fs::write(&conf, text(more)).unwrap();
        run(["suggest", "--quiet", "--conf", conf.to_str().unwrap()])
    };
    assert!(suggest("min_length = 40\n").out.trim().len() >= 40);
    assert_eq!(suggest("suggest_bits = 90\n").out.split('-').count(), 8);
    let missing = suggest("suggest_words = \"/nonexistent/words\"\n");
    assert!(missing.error_line().contains("/nonexistent"), "{missing:?}");
}

#[test]
fn nothing_is_suggested_unchecked() {
    let none = run(["suggest", "--filter", "/nonexistent/words.filter"]);
    assert!(none.error_line().contains("/nonexistent"), "{none:?}");
}

#[test]
fn a_list_of_ones_own_is_read_and_a_bad_one_named() {
    let folder = Folder::new();
    let (filter, list) = (folder.filter("elephant\n"), folder.path("own.lst"));
    let (filter, list) = (filter.to_str().unwrap(), list.to_str().unwrap());
    let letter = |digit: usize| char::from(b'a' + u8::try_from(digit % 26).unwrap());
    let word =
        |n: usize| -> String { ['z', letter(n / 676), letter(n / 26), letter(n), '\n'].iter().collect() };
    fs::write(list, (0..1024).map(word).collect::<String>()).unwrap();
    let arguments = ["suggest", "--words", list, "--filter", filter, "--json"];
    let good = run(arguments);
    assert_eq!((good.json()[0]["words"].as_u64(), good.json()[0]["bits"].as_f64()), (Some(6), Some(60.0)));
    fs::write(list, "few\n").unwrap();
    assert!(run(arguments).error_line().contains("has 1 words"));
    fs::write(list, "Two Words\n").unwrap();
    assert!(run(arguments).error_line().contains("line 1 is not a word"));
}
