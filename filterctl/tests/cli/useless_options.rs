//! Options that would be ignored: they are refused, with what they need.

use clap::error::ErrorKind;

use crate::{Folder, run};

#[test]
fn options_for_lists_of_the_other_kind_are_refused() {
    let folder = Folder::new();
    let words = folder.file("words", "elephant\nzebrapassword\n");
    let digests = folder.file("digests", format!("{}:3\n", "A7".repeat(20)));
    let filter = folder.path("f");
    let [words, digests, filter] = [&words, &digests, &filter].map(|path| path.to_str().unwrap());
    for (kind, list, option) in [
        ("words", words, &["--min-count", "50"][..]),
        ("words", words, &["--partial"]),
        ("sha1", digests, &["--columns", "word"]),
        ("sha1", digests, &["--form", "plain"]),
        ("sha1", digests, &["--charset", "latin1"]),
        ("sha1", digests, &["--as-written"]),
    ] {
        let build = ["build", "--kind", kind, "--output", filter, list];
        let told = run([&build[..], option].concat());
        let says = format!("{} is for lists of", option[0]);
        assert!(told.error_line().contains(&says), "{option:?}: {told:?}");
        assert!(!folder.path("f").exists());
        let told = run(build);
        assert_eq!(told.code, 0, "{told:?}");
        let told = run([&["add", filter, list], option].concat());
        assert!(told.error_line().contains(&says), "{option:?}: {told:?}");
        std::fs::remove_file(folder.path("f")).unwrap();
    }
}

/// Each line is the word, and a column of it would be ignored.
#[test]
fn columns_of_lines_that_are_words_are_refused() {
    let folder = Folder::new();
    let list = folder.file("list", "anna,elephant\nbert,zebrapassword\n");
    let filter = folder.path("f");
    let [list, filter] = [&list, &filter].map(|path| path.to_str().unwrap());
    let build =
        |columns: &str| run(["build", "--output", filter, "--form", "plain", "--columns", columns, list]);
    for columns in ["2", "password", "user,word"] {
        let line = build(columns).error_line().to_owned();
        assert!(line.contains("--form plain takes each line") && line.ends_with("[arguments]"), "{line}");
        assert!(!folder.path("f").exists(), "{columns}");
    }
    assert_eq!(build("word").code, 0);
    let check = ["check", "--filter", filter, "--list", list, "--list-form", "plain", "--list-columns", "2"];
    let told = run(check);
    assert!(told.error_line().contains("--list-form plain takes"), "{told:?}");
}

/// Each command line has an option that needs another one. They are only parsed: a mistake of the program
/// must not make a ladder on this machine.
#[test]
fn options_that_need_another_one_are_refused_without_it() {
    for arguments in [
        "ladder plan --false-positive 1e-12",
        "ladder plan --users 5000 --certainty 0.99",
        "ladder plan --detect 1e-6 --ignore 2e-8 --bits 2^20",
        "ladder init --false-positive 1e-12",
        "ladder init --guessed --slow-hash-ms 60",
        "ladder init --guessed --slow-hash-memory-kib 20000",
        "fleet init --guessed --store-user x",
        "fleet init --guessed --store-password-file /dev/null",
        "fleet init --guessed --agent-conf /dev/null",
        "check --list-columns 2",
    ] {
        let line = ["filterctl"].into_iter().chain(arguments.split(' '));
        let error = filterctl::command().try_get_matches_from(line).err();
        let error = error.unwrap_or_else(|| panic!("{arguments}: is accepted"));
        let kinds = [ErrorKind::ArgumentConflict, ErrorKind::MissingRequiredArgument];
        assert!(kinds.contains(&error.kind()), "{arguments}: {error}");
    }
}

#[test]
fn an_account_of_the_store_needs_an_examination_of_it() {
    for arguments in [
        "doctor --only filters --store-user x",
        "doctor --only filters --agent-conf /dev/null",
        "doctor --store-password-file /dev/null",
    ] {
        let told = run(arguments.split(' '));
        assert!(told.error_line().contains("needs --only fleet"), "{arguments}: {told:?}");
    }
}

#[test]
fn a_report_is_of_the_ladder_that_is_named() {
    let folder = Folder::new();
    let [file, key] = ["ladder", "keys/key"].map(|name| folder.path(name));
    std::fs::create_dir(folder.path("keys")).unwrap();
    let [file, key] = [&file, &key].map(|path| path.to_str().unwrap());
    let place = ["--file", file, "--key", key];
    let made = run([&["ladder", "init", "--guessed"][..], &place].concat());
    assert_eq!(made.code, 0, "{made:?}");
    let told = run([&["ladder", "report", "--json"][..], &place].concat());
    assert_eq!(told.code, 0, "{told:?}");
    let density = told.json()[0]["density"].as_f64().unwrap_or_default();
    assert!((0.4..0.6).contains(&density), "{told:?}");
}
