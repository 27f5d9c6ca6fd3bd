//! `filterlab study guessing`: an attack on a few accounts that can be followed by hand.

use std::fs;

use serde_json::{Value, json};

use crate::{Folder, Run, run};

/// The guesses in their order, of two words and three rules, by the product of ranks and the word:
/// elephant, Elephant, butterfly, elephant1, Butterfly, butterfly1.
struct Attacked(Folder);

impl Attacked {
    fn new() -> Attacked {
        let folder = Folder::new();
        folder.file("words", "elephant\nbutterfly\nelephant\n");
        folder.file("first.rule", ":\nc\nX\n");
        folder.file("second.rule", ":\n$1\n");
        folder.file(
            "counts",
            "value|occurrence\nelephant|5\nButterfly|3\nbutterfly1|2\nxkqzvwjp|10\nshort|1\n",
        );
        folder.filter("filter", &folder.file("list", "elephant\n"));
        // Accepts what ends with a digit, and answers nothing but the verdict.
        folder
            .file("digit.sh", "while read -r line; do case $line in *[0-9]) echo OK;; *) echo;; esac; done");
        Attacked(folder)
    }

    fn run(&self, more: &[&str]) -> Run {
        let words = "study guessing --counts --accounts counts --rules first.rule --rules second.rule \
                     --filter filter --output out words";
        let path = |word: &str| {
            let is_file = ["counts", "first.rule", "second.rule", "filter", "out", "words"].contains(&word);
            if is_file { self.0.path(word) } else { word.to_owned() }
        };
        run(words.split_whitespace().map(path).chain(more.iter().map(|word| (*word).to_owned())))
    }
}

/// Accounts and passwords.
fn count(accounts: u64, passwords: u64) -> Value {
    json!({"accounts": accounts, "passwords": passwords})
}

#[test]
fn accounts_fall_in_the_order_of_guesses() {
    let attacked = Attacked::new();
    let checker = format!("digit=sh {}", attacked.0.path("digit.sh"));
    let told = attacked.run(&["--most-guesses", "5", "--checker", &checker, "--json"]);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    let told: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(told["accounts"], count(21, 5));
    let sizes = ["words", "rules", "skipped_rules", "guesses"].map(|name| told[name].as_u64().unwrap());
    assert_eq!(sizes, [2, 3, 1, 5]);
    let under = |policy: &str, accepted, fallen: [Value; 3]| {
        let [one, two, five] = fallen;
        json!({"policy": policy, "accepted": accepted, "fallen": [[1, one], [2, two], [5, five]]})
    };
    let none = || count(0, 0);
    assert_eq!(
        told["policies"],
        json!([
            under("no policy", count(21, 5), [count(5, 1), count(5, 1), count(8, 2)]),
            under("8 characters", count(20, 4), [count(5, 1), count(5, 1), count(8, 2)]),
            under("nearmiss", count(15, 3), [none(), none(), count(3, 1)]),
            under("digit", count(2, 1), [none(), none(), none()]),
        ])
    );
}

#[test]
fn shares_are_told_and_drawn() {
    let attacked = Attacked::new();
    let told = attacked.run(&["--most-guesses", "10"]);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    let line = |policy: &str, nth| {
        let line = told.out.lines().filter(|line| line.starts_with(policy)).nth(nth).unwrap();
        line.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).collect::<Vec<f64>>()
    };
    // Of the accepted: 15 of 21 accounts, of which 5 fall to all six guesses. Of all: 5 of 21.
    assert_eq!(line("nearmiss", 0), [71.43, 0.0, 33.333]);
    assert_eq!(line("nearmiss", 1), [71.43, 0.0, 23.81]);
    let csv = fs::read_to_string(attacked.0.path("out/guessing.csv")).unwrap();
    assert_eq!(csv.lines().count(), 1 + 3 * 4, "{csv}");
    assert!(csv.contains("\nnearmiss,5,3,15,21,2.0000e-1,1.4286e-1,1,3,5\n"), "{csv}");
    let svg = fs::read_to_string(attacked.0.path("out/guessing.svg")).unwrap();
    for text in ["no policy", "nearmiss", "8 characters", "of all accounts, %", "21 accounts", "2 words"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn an_account_each_line_is_the_same_as_counts_of_one() {
    let attacked = Attacked::new();
    let plain = attacked.0.file("plain", "Butterfly\nxkqzvwjp\n\nButterfly\n");
    let [rules, filter, out, words] =
        ["first.rule", "filter", "out", "words"].map(|name| attacked.0.path(name));
    let options = ["--rules", &rules, "--filter", &filter, "--output", &out, "--json", &words];
    let told = run(["study", "guessing", "--accounts", &plain].iter().chain(&options));
    let told: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(told["accounts"], count(3, 2));
    assert_eq!(
        told["policies"][0]["fallen"].as_array().unwrap().last(),
        Some(&json!([100_000_000, count(2, 1)]))
    );
}

#[test]
fn what_cannot_be_attacked_is_an_error() {
    let attacked = Attacked::new();
    for (more, expected) in [
        (&["--checker", "mute=true"][..], "cannot run true for mute"),
        (&["--checker", "none=/nonexistent/program"], "cannot run /nonexistent/program for none"),
        (&["--checker", "=true"], "expected NAME=COMMAND"),
        (&["--checker", "name="], "expected NAME=COMMAND"),
        (&["--most-guesses", "0"], "--most-guesses"),
    ] {
        let told = attacked.run(more);
        assert!(told.code == 2 && told.err.contains(expected), "{more:?}: {told:?}");
    }
    attacked.0.file("counts", "elephant|5\nbutterfly\n");
    let told = attacked.run(&[]);
    assert!(told.code == 2 && told.err.contains("line 2 is not VALUE|OCCURRENCE"), "{told:?}");
    attacked.0.file("counts", "");
    let told = attacked.run(&[]);
    assert!(told.code == 2 && told.err.contains("contains no passwords"), "{told:?}");
}
