//! `filterlab spell` on a text with known misspellings, on the project's README, and on every kind of markup.

use std::{collections::HashSet, fs};

use nearmiss_cli::input::{BUILT_IN, ListName};
use nearmiss_filters::{
    dictionary::{Build, Spec, ranks::Ranks},
    format::Match,
    hash::Key,
    ladder::{RandomSource, SeededRandom},
    word::Word,
};
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
    let filter = folder.file("common.filter", filter(ListName::Embedded(&BUILT_IN), Match::Near));
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

/// The counts of words meant that are the first suggestion, and among the first five.
fn meant(filter: &str, pairs: &[(String, String)]) -> (usize, usize) {
    let text: String = pairs.iter().map(|(wrong, _)| format!("{wrong}\n")).collect();
    let told =
        run_with(["spell", "--filter", filter, "--suggest", "--json", "--format", "plain"], text.as_bytes());
    assert_eq!((told.code, told.err.as_str()), (1, ""));
    let findings = findings(&told);
    assert_eq!(findings.len(), pairs.len());
    let place = |(finding, (wrong, right)): (&Value, &(String, String))| {
        assert_eq!(finding["word"], **wrong);
        finding["suggestions"].as_array().unwrap().iter().position(|one| *one == **right)
    };
    let places: Vec<Option<usize>> = findings.iter().zip(pairs).map(place).collect();
    let within = |most: usize| places.iter().flatten().filter(|&&place| place < most).count();
    (within(1), within(5))
}

/// As many words of four letters or more, each with one letter put in, taken out or replaced, or two
/// neighbouring ones swapped, so that it is not a word.
fn slips(count: usize, words: &[&str], known: &HashSet<&str>) -> Vec<(String, String)> {
    let mut random = SeededRandom::new(1964);
    let mut below =
        |bound: usize| random.below(bound as u64).map_or(0, |number| usize::try_from(number).unwrap());
    let mut slips: Vec<(String, String)> = Vec::new();
    while slips.len() < count {
        let word = words[below(words.len())];
        if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
            continue;
        }
        let (at, kind) = (below(word.len()), below(4));
        let letter = char::from(b"abcdefghijklmnopqrstuvwxyz"[below(26)]);
        let (before, after) = (&word[..at], &word[at + 1..]);
        let wrong = match kind {
            0 => format!("{before}{letter}{}", &word[at..]),
            1 => format!("{before}{after}"),
            2 => format!("{before}{letter}{after}"),
            _ => format!(
                "{before}{}{}{}",
                after.get(..1).unwrap_or(""),
                &word[at..=at],
                after.get(1..).unwrap_or("")
            ),
        };
        if !known.contains(wrong.as_str()) && slips.iter().all(|(slip, _)| *slip != wrong) {
            slips.push((wrong, word.to_owned()));
        }
    }
    slips
}

/// With ranks: misspellings that people make, and slips made at random in the 20,000 most common words
/// (fixtures/README.md). SymSpell with frequencies has 72 and 97 of a hundred, hunspell 50 and 84.
#[test]
fn with_ranks_the_word_meant_is_mostly_suggested_first() {
    let folder = Folder::new();
    let common = fs::read(repository("tests/fixtures/english-by-frequency.lst.zst")).unwrap();
    let common = String::from_utf8(zstd::decode_all(common.as_slice()).unwrap()).unwrap();
    let english = fs::read_to_string("/usr/share/dict/american-english").expect("install wamerican");
    let english = english.to_lowercase();
    let ranked: Vec<&str> = common.lines().chain(english.lines()).collect();
    let key = || Key::new([7; 16]);
    let words: Vec<Word> = ranked.iter().map(|word| Word::clean(word.as_bytes()).unwrap()).collect();
    let built = Build::new(Spec::default(), key()).in_memory(&[english.as_bytes()]).unwrap();
    let filter = folder.file("ranked.filter", built);
    let rows = fs::read_to_string(repository("tests/fixtures/misspellings.tsv")).unwrap();
    let pair = |row: &str| row.split_once('\t').map(|(wrong, right)| (wrong.to_owned(), right.to_owned()));
    let people: Vec<_> = rows.lines().map(|row| pair(row).unwrap()).collect();
    let known: HashSet<&str> = english.lines().collect();
    let random = slips(400, &ranked[..20_000], &known);
    for (name, pairs) in [("of people", &people), ("at random", &random)] {
        fs::remove_file(folder.path("ranked.filter.ranks")).ok();
        let (first, five) = meant(&filter, pairs);
        println!("misspellings {name}, without ranks: {first} first, {five} among five, of {}", pairs.len());
        folder.file("ranked.filter.ranks", Ranks::new(key(), &words).encode());
        let (first, five) = meant(&filter, pairs);
        println!("misspellings {name}, with ranks: {first} first, {five} among five, of {}", pairs.len());
        assert!(first * 100 >= pairs.len() * 70, "{first} of {}", pairs.len());
        assert!(five * 100 >= pairs.len() * 95, "{five} of {}", pairs.len());
    }
}

#[test]
fn ranks_of_another_filter_are_reported_and_left_out() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &folder.file("words.txt", WORDS));
    folder.file("words.filter.ranks", Ranks::empty(Key::new([9; 16])).encode());
    let told = run_with(["spell", "--filter", &filter, "--suggest"], b"wrld\n");
    assert_eq!((told.code, told.out.as_str()), (1, "-:1:1: wrld: world\n"));
    assert!(told.err.contains("words.filter.ranks: belongs to another filter"), "{told:?}");
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
    let readme = fs::read_to_string(repository("../../README.md")).unwrap();
    let told = run(["spell", "--filter", &filter, repository("../../README.md").to_str().unwrap()]);
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

/// Two equal neighbouring letters less or more, by themselves and beside the other edits; without the option
/// they are two edits.
#[test]
fn pairs_of_equal_letters_are_one_edit_where_that_is_asked_for() {
    let folder = Folder::new();
    let list = folder.file("words.txt", "acing\nballoon\ncommittee\ncommit\nmeaning\n");
    let filter = folder.filter("words.filter", &list);
    let spell = |more: &[&str], text: &str| {
        let arguments = ["spell", "--filter", &filter, "--color", "never"];
        run_with(arguments.iter().chain(more), text.as_bytes()).out
    };
    for (typed, meant) in [("commiee", "committee"), ("balln", "balloon"), ("meeeaning", "meaning")] {
        assert_eq!(spell(&["--near"], typed), "", "{typed}");
        assert_eq!(spell(&["--near", "--pairs"], typed), format!("-:1:1: {typed}\n"));
        assert_eq!(spell(&["--suggest", "--pairs"], typed), format!("-:1:1: {typed}: {meant}\n"));
    }
    assert_eq!(
        spell(&["--suggest"], "aceing commitee"),
        "-:1:1: aceing: acing\n-:1:8: commitee: committee\n"
    );
    let told = spell(&["--suggest", "--pairs"], "aceing commitee");
    assert_eq!(told, "-:1:1: aceing: acing\n-:1:8: commitee: committee, commit\n");
    assert_eq!(spell(&["--near", "--pairs"], "zebra"), "");
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

/// A document of which nothing was read has no unknown words: that is no answer.
#[test]
fn documents_that_are_no_text_are_refused_with_what_to_do() {
    let folder = Folder::new();
    let filter = folder.filter("words.filter", &folder.file("words.txt", WORDS));
    let text = "wrld and some more text that nobody reads\n".repeat(20);
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let high = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let noise: Vec<u8> = (0..400_u32).map(|n| (n * n % 251) as u8 + 3).collect();
    for (bytes, says) in [
        (wide(&text), "iconv -f UTF-16LE -t UTF-8"),
        (high(&text), "iconv -f UTF-16BE -t UTF-8"),
        (zstd::encode_all(text.as_bytes(), 3).unwrap(), "zstdcat"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01".to_vec(), "zcat"),
        (b"PK\x03\x04\x14\0\0\0".to_vec(), "unzip -p"),
        (format!("%PDF-1.7\n{text}").into_bytes(), "pdftotext"),
        ([b"\x7fELF\x02\x01\0\0", text.as_bytes()].concat(), "binary"),
        (noise, "binary"),
    ] {
        let document = folder.file("document.txt", &bytes);
        for told in
            [run(["spell", "--filter", &filter, &document]), run_with(["spell", "--filter", &filter], &bytes)]
        {
            assert_eq!((told.code, told.out.as_str()), (2, ""), "{says}: {told:?}");
            assert!(told.err.contains(says) && told.err.contains("[list-not-words]"), "{told:?}");
        }
    }
    let marked = format!("\u{feff}{text}");
    for bytes in
        [wide(&marked), high(&marked), marked.into_bytes(), [text.as_bytes(), b"\x0c\x1b[1mwrld"].concat()]
    {
        let told = run_with(["spell", "--filter", &filter], &bytes);
        assert!(told.code == 1 && told.out.starts_with("-:1:1: wrld\n"), "{told:?}");
    }
}
