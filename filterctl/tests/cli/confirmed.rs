//! `filterctl check --list`: rejections confirmed by the lists, and false positives of hashing named.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use crate::{Folder, Run, build_arguments, run, run_with};

/// A filter of this list that rejects a good part of everything.
fn hasty(folder: &Folder, list: &Path, more: &[&str]) -> PathBuf {
    let filter = folder.path("hasty.filter");
    let mut arguments = build_arguments(&filter, &[list]);
    arguments.extend(more.iter().map(PathBuf::from));
    let done = run(&arguments);
    assert_eq!(done.code, 0, "{done:?}");
    filter
}

fn check(filter: &Path, lists: &[&Path], more: &[&str], candidates: &str) -> Run {
    let fixed = ["check", "--filter", filter.to_str().unwrap(), "--list"];
    let lists = lists.iter().map(|list| list.to_str().unwrap());
    run_with(fixed.into_iter().chain(lists).chain(more.iter().copied()), candidates.as_bytes())
}

/// As many strings that are in no list.
fn strangers(count: u32) -> String {
    (0..count).map(|n| format!("Zqwv{:07x}Kxjn\n", n.wrapping_mul(40_503))).collect()
}

const EXACT: [&str; 6] = ["--match", "exact", "--bits", "32736", "--probes", "1"];

#[test]
fn words_are_confirmed_and_accidents_are_named() {
    let folder = Folder::new();
    let words: String = (0..9000).map(|n| format!("elephant{n}\n")).collect();
    let list = folder.file("list", &words);
    let filter = hasty(&folder, &list, &EXACT);
    let candidates = strangers(400) + "elephant77\n7elephant77\n";
    let told = check(&filter, &[&list], &["--json", "--explain", "--no-variants"], &candidates);
    assert_eq!(told.code, 1, "{told:?}");
    let verdicts = told.json();
    assert_eq!(verdicts.len(), 402);
    let (strangers, known) = verdicts.split_at(400);
    let rejected: Vec<_> = strangers.iter().filter(|verdict| verdict["verdict"] == "reject").collect();
    assert!(rejected.len() > 60, "{}", rejected.len());
    for verdict in &rejected {
        let of_words = ["dictionary", "two-words", "mostly-word"];
        let is_of_a_dictionary = of_words.iter().any(|&reason| verdict["reason"] == reason);
        assert!(is_of_a_dictionary && verdict["confirmed"] == false, "{verdict}");
        assert!(!verdict["missing"].as_array().unwrap().is_empty(), "{verdict}");
    }
    assert_eq!(known[0]["confirmed"], true, "{known:?}");
    let summary = check(&filter, &[&list], &["--json", "--summary", "--no-variants"], &candidates).json();
    let (confirmed, accidents) =
        (summary[0]["confirmed"].as_u64().unwrap(), summary[0]["accidents"].as_u64());
    assert!(confirmed >= 1 && accidents.unwrap() >= rejected.len() as u64, "{summary:?}");
}

/// Without an explanation no word is shown: it is nearly the password.
#[test]
fn the_missing_words_are_shown_with_the_explanation_alone() {
    let folder = Folder::new();
    let words: String = (0..20_000).map(|n| format!("elephant{n}\n")).collect();
    let list = folder.file("list", &words);
    let filter = hasty(&folder, &list, &EXACT);
    let stranger = strangers(40);
    let told = check(&filter, &[&list], &["--no-variants", "--only", "weak"], &stranger);
    assert!(told.out.contains("    lists: a false positive of hashing\n"), "{told:?}");
    let told = check(&filter, &[&list], &["--no-variants", "--only", "weak", "--explain"], &stranger);
    assert!(told.out.contains("    lists: a false positive of hashing: no list has "), "{told:?}");
}

#[test]
fn near_words_of_every_scheme_are_confirmed_by_compressed_lists_of_any_columns() {
    let folder = Folder::new();
    let list = folder.file("list", "elephant\nrhinoceros\nhorse\ncart\n");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(b"   7 elephant\n   5 rhinoceros\n   4 horse\n   2 cart\n").unwrap();
    let counted = folder.file("counted", encoder.finish().unwrap());
    let candidates = "elephqnt12\nrhiqocexos\nhorsecart\nVq7#mzt0Lp2x\n1234567890\n";
    for scheme in ["deletions", "paper"] {
        let filter = hasty(&folder, &list, &["--scheme", scheme]);
        let told =
            check(&filter, &[&counted], &["--json", "--list-columns", "count,word"], candidates).json();
        let confirmed: Vec<_> = told.iter().map(|verdict| verdict["confirmed"].as_bool()).collect();
        let expected = match scheme {
            "deletions" => [Some(true), Some(true), Some(true), None, None],
            _ => [Some(true), None, None, None, None],
        };
        assert_eq!(confirmed, expected, "{scheme}: {told:?}");
        let other = folder.file("other", "unrelated\n");
        let told = check(&filter, &[&other], &["--json"], candidates).json();
        assert_eq!(told[0]["confirmed"], false, "{scheme}");
    }
}

#[test]
fn digests_are_compared_with_lists_of_digests() {
    let folder = Folder::new();
    let password = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:9\n";
    let list = folder.file("list", password);
    let other = folder.file("other", "0000000000000000000000000000000000000001:9\n");
    let filter = hasty(&folder, &list, &["--kind", "sha1"]);
    let confirmed = |list: &Path, kind: &str, candidate: &str| {
        let told = check(&filter, &[list], &["--json", "--kind", kind], candidate);
        told.json()[0]["confirmed"].as_bool()
    };
    assert_eq!(confirmed(&list, "sha1", "password\n"), Some(true));
    assert_eq!(confirmed(&list, "sha1", "p4ssw0rd99\n"), Some(true));
    assert_eq!(confirmed(&other, "sha1", "password\n"), Some(false));
    let words = folder.file("words", "password\n");
    assert_eq!(confirmed(&words, "words", "password\n"), None, "lists of another kind");
}

#[test]
fn lists_that_cannot_be_compared_with_are_errors() {
    let folder = Folder::new();
    let list = folder.file("list", "elephant\n");
    let filter = hasty(&folder, &list, &[]);
    let told = check(&filter, &[Path::new("-")], &[], "elephant\n");
    assert!(told.error_line().contains("standard input contains the passwords"), "{told:?}");
    let told = check(&filter, &[&folder.path("none")], &[], "elephant\n");
    assert!(told.error_line().contains("cannot compare"), "{told:?}");
    let arguments = ["check", "--json", "--common", "--filter", filter.to_str().unwrap()];
    assert_eq!(run_with(arguments, b"elephant\n").json()[0]["confirmed"], true);
}
