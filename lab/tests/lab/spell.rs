//! `filterlab spell` on a text with known misspellings, on the project's README, and on every kind of markup.

use std::fs;

use nearmiss_filters::format::Match;
use nearmiss_toolkit::input::ListName;
use serde_json::Value;

use crate::{Folder, Run, filter, repository, run, run_with};

fn findings(run: &Run) -> Vec<Value> {
    let objects: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(objects.iter().all(|object| object["schema"] == 1), "{run:?}");
    objects
}

fn place(finding: &Value) -> (u64, u64) {
    (finding["line"].as_u64().unwrap(), finding["column"].as_u64().unwrap())
}

fn suggests(finding: &Value, word: &str) -> bool {
    let suggestions = finding["suggestions"].as_array().unwrap();
    suggestions.iter().any(|suggestion| suggestion.as_str().unwrap().eq_ignore_ascii_case(word))
}

/// The text and its 200 misspellings are made by tests/fixtures/misspell.py.
#[test]
fn every_misspelling_is_found_in_its_place_and_the_word_meant_is_suggested() {
    let folder = Folder::new();
    let filter = folder.file("common.filter", filter(ListName::BuiltIn, Match::Near));
    let text = repository("tests/fixtures/misspelt.txt");
    let told = run(["spell", "--filter", &filter, "--suggest", "--near", "--json", text.to_str().unwrap()]);
    assert_eq!((told.code, told.err.as_str()), (1, ""));
    let findings = findings(&told);
    let rows = fs::read_to_string(repository("tests/fixtures/misspelt.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split('\t').collect()).collect();
    assert_eq!((rows.len(), findings.len()), (200, 200));
    let mut meant = 0;
    for (row, finding) in rows.iter().zip(&findings) {
        assert_eq!(place(finding), (row[0].parse().unwrap(), row[1].parse().unwrap()), "{finding}");
        assert_eq!((finding["word"].as_str(), finding["near"].as_bool()), (Some(row[2]), Some(true)));
        meant += usize::from(suggests(finding, row[3]));
    }
    assert!(meant >= 198, "{meant} of 200");
}

/// Names and units are the only words of the README that a dictionary may not have; the names of the programs
/// that it speaks of are in a list of their own.
#[test]
fn the_readme_gives_few_false_alarms() {
    let folder = Folder::new();
    let list = "/usr/share/dict/american-english";
    assert!(fs::exists(list).unwrap(), "install the package wamerican");
    let names = fs::read_to_string(repository("tests/fixtures/names.txt")).unwrap();
    let words = folder.file("words.txt", fs::read_to_string(list).unwrap() + &names);
    let filter = folder.filter("american.filter", &words);
    let readme = fs::read_to_string(repository("../README.md")).unwrap();
    let told = run(["spell", "--filter", &filter, repository("../README.md").to_str().unwrap()]);
    let words = readme.split_whitespace().count();
    assert!(told.code <= 1 && told.out.lines().count() * 50 <= words, "of {words} words: {}", told.out);
}

const WORDS: &str = "a\nalgorithm\nand\ncafé\ndog\nin\nis\nof\nother\nthe\nword\nwords\nworld\n";

/// Runs `spell` on standard input against [`WORDS`].
fn spell(arguments: &[&str], text: &str) -> Run {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &folder.file("words.txt", WORDS));
    run_with(["spell", "--filter", &filter].iter().chain(arguments), text.as_bytes())
}

#[test]
fn known_words_are_0_and_unknown_ones_1() {
    let told = spell(&[], "The dog's world, the CAFÉ and other words.\n");
    assert_eq!((told.code, told.out.as_str(), told.err.as_str()), (0, "", ""));
    let told = spell(&[], "the wrld\nis é zebra's\n");
    assert_eq!((told.code, told.out.as_str()), (1, "-:1:5: wrld\n-:2:6: zebra\n"));
}

#[test]
fn near_leaves_out_what_is_far() {
    let told = spell(&["--near"], "zebra\nwrld\n");
    assert_eq!((told.code, told.out.as_str()), (1, "-:2:1: wrld\n"));
    assert_eq!(spell(&["--near"], "zebra\n").code, 0);
}

#[test]
fn suggestions_come_in_their_order_and_case() {
    let told = spell(&["--suggest"], "Teh words wordl WOORLD zebra\n");
    let expected =
        "-:1:1: Teh: The\n-:1:11: wordl: world, words, word\n-:1:17: WOORLD: WORLD\n-:1:24: zebra\n";
    assert_eq!(told.out, expected);
    let told = spell(&["--suggest", "--most", "1"], "wordl\n");
    assert_eq!(told.out, "-:1:1: wordl: world\n");
}

#[test]
fn markup_is_told_by_name_content_or_flag() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &folder.file("words.txt", WORDS));
    let latex = folder.file("a.tex", "% commnt\nthe \\emph{wrld} $xyzq$ of \\cite{knuht} caf\\'e\n");
    let bibtex = folder.file("b.bib", "@book{knuht,\n  author = {Xyz Abcq},\n  title = {The {A}lgoritm}}\n");
    let markdown = folder.file("c.md", "the `wrld`\n\n    wrld\n\n* wrdl\n");
    let told = run(["spell", "--filter", &filter, &latex, &bibtex, &markdown]);
    assert_eq!(told.out, format!("{latex}:2:11: wrld\n{bibtex}:3:17: Algoritm\n{markdown}:5:3: wrdl\n"));
    assert_eq!(spell(&[], "\\documentclass{x}\\begin{document}the $xyzq$ word").code, 0);
    assert_eq!(spell(&["--format", "plain"], "the $xyzq word \\fooo").code, 0);
    assert_eq!(spell(&["--format", "latex"], "the wrld").code, 1);
}

#[test]
fn colours_are_for_those_who_want_them() {
    let told = spell(&["--color", "always"], "wrld");
    assert!(told.out.contains("\u{1b}[1m\u{1b}[31mwrld\u{1b}[0m"), "{told:?}");
    assert_eq!(spell(&["--color", "auto"], "wrld").out, "-:1:1: wrld\n");
}

#[test]
fn filters_that_cannot_tell_are_errors() {
    let folder = Folder::new();
    let list = folder.file("words.txt", WORDS);
    let exact = folder.file("exact.filter", filter(ListName::Path(list.clone().into()), Match::Exact));
    assert_eq!(run_with(["spell", "--filter", &exact], b"wrld").code, 1);
    let told = run_with(["spell", "--filter", &exact, "--near"], b"wrld");
    assert!(told.code == 2 && told.err.contains("--match near"), "{told:?}");
    let told = run(["spell", "--filter", &folder.path("none.filter")]);
    assert!(told.code == 2 && told.err.contains("filterctl build --output FILE"), "{told:?}");
    let filter = folder.filter("words.filter", &list);
    let told = run(["spell", "--filter", &filter, &folder.path("none.txt")]);
    assert!(told.code == 2 && told.err.contains("cannot read"), "{told:?}");
}
