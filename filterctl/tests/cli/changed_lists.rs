//! `filterctl update` where a list keeps its size and has other words, or its words in another form.

use std::fs;

use crate::{lost_lists::Site, run_with};

/// A word as a list has it.
type Form = fn(&str) -> String;

/// Words that look like no others, one a line.
fn words(from: u32, count: u32, form: Form) -> String {
    let letter = |n: u32| char::from_u32(u32::from('a') + n % 26).unwrap();
    let word = |n: u32| -> String { [n / 676, n / 26, n, n * 7, n * 11, n * 5].map(letter).iter().collect() };
    (from..from + count).map(|n| format!("{}\n", form(&format!("{}zqx", word(n * 31))))).collect()
}

fn built(count: u32) -> Site {
    let site = Site::new();
    site.folder.file("company", words(0, count, str::to_owned));
    assert_eq!(site.update(&[]).code, 0);
    site
}

fn rejects(site: &Site, list: &str) -> bool {
    let filter = site.filter.to_str().unwrap();
    run_with(["check", "--no-variants", "--filter", filter], list.lines().next().unwrap().as_bytes()).code
        == 1
}

#[test]
fn a_list_with_other_words_is_lost_until_that_is_accepted() {
    let forms: [(&str, Form); 4] = [
        ("a letter before each", |word| format!("x{word}")),
        ("each twice", |word| format!("{word}{word}")),
        ("reversed", |word| word.chars().rev().collect()),
        ("of another site", |word| format!("q{word}w")),
    ];
    for (name, form) in forms {
        let site = built(2000);
        let before = fs::read(&site.filter).unwrap();
        site.folder.file("company", words(0, 2000, form));
        let told = site.update(&[]);
        assert_eq!(told.code, 2, "{name}: {told:?}");
        let line = told.err.lines().last().unwrap();
        assert!(
            line.contains("/company (") && line.ends_with("--drop-missing [list-lost]"),
            "{name}: {line}"
        );
        assert!(fs::read(&site.filter).unwrap() == before, "{name}");
        assert!(rejects(&site, &words(0, 1, str::to_owned)), "{name}");
        assert_eq!(site.update(&["--force"]).code, 2, "{name}");
        let told = site.update(&["--drop-missing"]);
        assert_eq!((told.code, &told.json()[0]["rebuilt"]), (0, &true.into()), "{name}: {told:?}");
        assert_eq!(site.update(&[]).code, 0, "{name}");
    }
}

/// A list that grows, is sorted anew or loses some words stays one; a short one is edited by hand, a new one
/// has nothing to lose, and one that has left its folder was removed on purpose.
#[test]
fn a_list_that_changes_as_lists_do_is_taken() {
    let plain: fn(u32, u32) -> String = |from, count| words(from, count, str::to_owned);
    let reversed: String = plain(0, 2000).lines().rev().map(|line| format!("{line}\n")).collect();
    for (name, list) in [
        ("grown", plain(0, 2600)),
        ("grown twelvefold", plain(0, 24_000)),
        ("in another order", reversed),
        ("half of it new", plain(900, 2000)),
        ("with counts", words(0, 2000, |word| format!("{word}\t17"))),
    ] {
        let site = built(2000);
        site.folder.file("company", list);
        site.folder.file("dict/more", words(9000, 2000, str::to_owned));
        let told = site.update(&[]);
        assert_eq!((told.code, &told.json()[0]["rebuilt"]), (0, &true.into()), "{name}: {told:?}");
    }
    let site = built(9);
    site.folder.file("company", plain(100, 9));
    assert_eq!(site.update(&[]).code, 0, "a few words");
    fs::write(&site.filter, b"no filter").unwrap();
    let site = built(2000);
    site.folder.file("company", plain(5000, 2000));
    fs::write(&site.filter, b"no filter").unwrap();
    assert_eq!(site.update(&["--force"]).code, 0, "a damaged filter has nothing to keep");
}
