//! Lists of JSON and dictionaries of hunspell: no element or entry is left out in silence, and the words are
//! those that are meant.

use std::fmt::Write;

use crate::{Folder, Run, run, run_with};

fn build(name: &str, files: &[(&str, &[u8])], more: &[&str]) -> (Folder, Run) {
    let folder = Folder::new();
    for (name, text) in files {
        folder.file(name, text);
    }
    let [list, filter] = [folder.path(name), folder.path("f")].map(|path| path.to_str().unwrap().to_owned());
    let run = run([&["build", "--match", "exact", "--output", &filter, &list][..], more].concat());
    (folder, run)
}

fn rejects(folder: &Folder, word: &str) -> bool {
    let filter = folder.path("f");
    let check = ["check", "--no-variants", "--min-length", "4", "--filter", filter.to_str().unwrap()];
    run_with(check, word.as_bytes()).code == 1
}

fn rows(count: u32, row: fn(u32) -> String) -> String {
    (0..count).map(row).collect::<Vec<_>>().join(",")
}

/// The first and the last word of documents of 1,000.
#[test]
fn the_words_of_documents_are_found_however_deep() {
    let entry = |n: u32| {
        format!(
            r#"{{"id": "i{n}", "name": "Site {n}", "login": {{"user": "u{n}", "password": "pass{n}word"}}}}"#
        )
    };
    for (document, more) in [
        (format!(r#"{{"encrypted": false, "items": [{}]}}"#, rows(1000, entry)), &[][..]),
        (format!("[{}]", rows(1000, entry)), &["--columns", "login.password"]),
        (format!("[{}]", rows(1000, entry)), &["--columns", "password"]),
        (
            format!(
                r#"{{"common": [{}], "more": {{"a": ["pass999word"]}}}}"#,
                rows(999, |n| format!("\"pass{n}word\""))
            ),
            &[],
        ),
        (
            format!(
                r#"{{"lists": [{{"lang": "de", "words": [{}]}}]}}"#,
                rows(1000, |n| format!("\"pass{n}word\""))
            ),
            &[],
        ),
    ] {
        let (folder, told) = build("list", &[("list", document.as_bytes())], more);
        assert_eq!((told.code, told.err.as_str()), (0, ""), "{more:?}: {told:?}");
        assert!(rejects(&folder, "pass0word") && rejects(&folder, "pass999word"), "{more:?}: {told:?}");
        assert!(!rejects(&folder, "Site 7"), "{more:?}: {told:?}");
    }
}

#[test]
fn elements_without_a_word_are_reported_or_refused() {
    let half = |n: u32| {
        let name = if n % 2 == 0 { "password" } else { "secret" };
        format!(r#"{{"{name}": "pass{n}word", "user": "u{n}"}}"#)
    };
    let some = |n: u32| {
        let name = if n % 20 == 0 { "secret" } else { "password" };
        format!(r#"{{"{name}": "pass{n}word", "user": "u{n}"}}"#)
    };
    let (_, told) = build("list", &[("list", format!("[{}]", rows(1000, half)).as_bytes())], &[]);
    let line = told.error_line();
    assert!(line.contains("500 of 1,000 elements") && line.contains("--columns"), "{line}");
    let (_, told) = build("list", &[("list", format!("[{}]", rows(1000, some)).as_bytes())], &["-q"]);
    assert!(told.code == 0 && told.err.contains("50 of its 1,000 elements are left out"), "{told:?}");
    for general in ["name", "entry", "value", "text"] {
        let row = |n: u32| format!(r#"{{"NAME": "Site {n}", "secret": "pass{n}word"}}"#);
        let document = format!("[{}]", rows(1000, row)).replace("NAME", general);
        let (_, told) = build("list", &[("list", document.as_bytes())], &[]);
        assert!(told.error_line().contains("--columns"), "{general}: {told:?}");
        let (folder, told) = build("list", &[("list", document.as_bytes())], &["--columns", "secret"]);
        assert!(told.code == 0 && rejects(&folder, "pass7word"), "{general}: {told:?}");
    }
}

#[test]
fn a_path_names_a_field_in_objects_within_objects() {
    let row = |n: u32| format!(r#""site{n}": {{"login": {{"secret": "pass{n}word", "user": "u{n}"}}}}"#);
    let document = format!("{{{}}}", rows(500, row));
    let (folder, told) = build("list", &[("list", document.as_bytes())], &["--columns", "login.secret"]);
    assert!(told.code == 0 && rejects(&folder, "pass7word"), "{told:?}");
}

#[test]
fn the_most_common_words_of_documents_are_those_with_the_highest_counts() {
    for (document, more) in [
        (format!("{{{}}}", rows(500, |n| format!("\"pass{n}word\": {n}"))), &[][..]),
        (format!("[{}]", rows(500, |n| format!("[\"pass{n}word\", {n}]"))), &[]),
        (format!("[{}]", rows(500, |n| format!("{{\"word\": \"pass{n}word\", \"count\": {n}}}"))), &[]),
    ] {
        let more = [more, &["--top", "50"]].concat();
        let (folder, told) = build("list", &[("list", document.as_bytes())], &more);
        assert_eq!(told.code, 0, "{told:?}");
        assert!(rejects(&folder, "pass499word") && !rejects(&folder, "pass0word"), "{document:.40}");
    }
}

/// Entries of which every second has more than ASCII, with or without flags.
fn dictionary(word: &str, flags: &str) -> String {
    let mut text = "1000\n".to_owned();
    for n in 0..1000 {
        let word = if n % 2 == 0 { "plain" } else { word };
        let letter = |n: u32| char::from_u32(u32::from('a') + n % 26).unwrap();
        writeln!(text, "{word}{}{}{}{flags}", letter(n / 676), letter(n / 26), letter(n)).unwrap();
    }
    text
}

#[test]
fn a_dictionary_in_another_charset_than_its_rules_is_refused() {
    let (rules, latin) = ("SFX S Y 1\nSFX S 0 land .\n", |text: &str| -> Vec<u8> {
        text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
    });
    let text = dictionary("sch\u{f6}n", "/S");
    for (set, stored) in [("UTF-8", latin(&text)), ("ISO8859-1", text.clone().into_bytes())] {
        let rules = format!("SET {set}\n{rules}");
        let files = [("x.dic", stored.as_slice()), ("x.aff", rules.as_bytes())];
        let (_, told) = build("x.dic", &files, &[]);
        assert_eq!(told.error_line().rsplit(' ').next(), Some("[list-form]"), "{set}: {told:?}");
    }
    for (set, stored) in [("UTF-8", text.clone().into_bytes()), ("ISO8859-1", latin(&text))] {
        let rules = format!("SET {set}\n{rules}");
        let files = [("x.dic", stored.as_slice()), ("x.aff", rules.as_bytes())];
        let (folder, told) = build("x.dic", &files, &[]);
        assert_eq!((told.code, told.err.as_str()), (0, ""), "{set}: {told:?}");
        assert!(rejects(&folder, "sch\u{f6}naabland"), "{set}: {told:?}");
    }
}

#[test]
fn flags_without_their_rules_are_reported() {
    let text = dictionary("zebra", "/S");
    let (_, told) = build("x.dic", &[("x.dic", text.as_bytes())], &["-q"]);
    assert!(told.code == 0 && told.err.contains("only the stems"), "{told:?}");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
    let rules = b"SET UTF-8\nSFX S Y 1\nSFX S 0 land .\n";
    let files = [("x.dic.gz", &*packed.finish().unwrap()), ("x.aff", &rules[..])];
    let (folder, told) = build("x.dic.gz", &files, &["-q"]);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
    assert!(rejects(&folder, "zebraaabland"), "{told:?}");
}
