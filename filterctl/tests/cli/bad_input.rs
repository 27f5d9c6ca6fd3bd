//! Bad input: one line that says what and which file, exit 2, the old file intact.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{Folder, build_arguments, run, run_with};

/// Builds over an old file, expects one line that has all these parts, and finds the old file as it was.
fn refuses(list: &Path, input: &[u8], parts: &[&str]) {
    let folder = Folder::new();
    let output = folder.file("old.filter", crate::OLD_FILTER);
    let told = run_with(build_arguments(&output, &[list]), input);
    for part in parts {
        assert!(told.error_line().contains(part), "{told:?} lacks {part:?}");
    }
    assert_eq!(fs::read(&output).unwrap(), crate::OLD_FILTER);
    assert_eq!(folder.names(), ["old.filter"], "nothing left behind");
}

#[test]
fn lists_that_are_none() {
    let folder = Folder::new();
    let file = |name: &str, bytes: &[u8]| folder.file(name, bytes);
    refuses(&folder.path("missing"), b"", &["/missing: cannot be opened: No such file"]);
    refuses(folder.0.path(), b"", &["is a folder; name the files in it"]);
    refuses(&file("empty", b""), b"", &["/empty: is empty: it contains no words"]);
    refuses(&file("blank", b"\n \n\n"), b"", &["/blank: is empty: it contains no words"]);
    refuses(Path::new("/dev/zero"), b"", &["/dev/zero: is a device, not a word list"]);
    refuses(&file("zip", b"PK\x03\x04 and so on"), b"", &["/zip: is a zip archive; unpack it first"]);
    refuses(
        &file("cut.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01"),
        b"",
        &["/cut.gz: the gzip data is damaged"],
    );
    // A frame with a window of 2 GiB.
    refuses(
        &file("long.zst", b"\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"),
        b"",
        &[
            "/long.zst: needs more memory to unpack than is allowed",
            "zstd -dc --long=31 LIST | filterctl build -",
        ],
    );
}

#[test]
fn binary_junk() {
    let program = Path::new(env!("CARGO_BIN_EXE_filterctl"));
    refuses(program, b"", &["filterctl: is not a word list:", "lines contain control characters"]);
    refuses("-".as_ref(), &fs::read(program).unwrap(), &["standard input: is not a word list:"]);
    refuses("-".as_ref(), b"", &["standard input: is empty"]);
    let noise: Vec<u8> = (0..100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    refuses("-".as_ref(), &noise, &["standard input: is not a word list:"]);
}

#[test]
fn one_bad_list_among_good_ones_is_enough() {
    let folder = Folder::new();
    let (good, bad) = (folder.file("good", "one\ntwo\n"), folder.file("bad", [0; 100]));
    let output = folder.file("old.filter", crate::OLD_FILTER);
    let told = run(build_arguments(&output, &[&good, &bad, &good]));
    assert!(told.error_line().contains("/bad: is not a word list: 1 of 1 lines"), "{told:?}");
    assert_eq!(fs::read(&output).unwrap(), crate::OLD_FILTER);
}

#[test]
fn outputs_that_cannot_be_written() {
    let folder = Folder::new();
    let list = folder.file("list", "one\n");
    let told = run(build_arguments(&folder.path("none/f"), &[&list]));
    assert!(told.error_line().contains("none/f: cannot be created: No such file"), "{told:?}");
    let made = format!("; make its folder: mkdir -p {} [", folder.path("none").display());
    assert!(told.error_line().contains(&made), "{told:?}");
    let told = run(build_arguments(folder.0.path(), &[&list]));
    assert!(told.error_line().contains("is a folder; name a file in it"), "{told:?}");
    let told = run(build_arguments(Path::new("/proc/nearmiss.filter"), &[&list]));
    assert!(told.error_line().contains("/proc/nearmiss.filter: cannot be created"), "{told:?}");
    symlink("list", folder.path("link")).unwrap();
    let told = run(build_arguments(&folder.path("link"), &[&folder.file("other", "two\n")]));
    assert!(told.error_line().contains("/link: is a symbolic link, which is not followed"), "{told:?}");
    assert_eq!(fs::read(&list).unwrap(), b"one\n");
}

#[test]
fn a_list_is_not_overwritten_by_its_filter() {
    let folder = Folder::new();
    let list = folder.file("list", "one\n");
    let told = run(build_arguments(&list, &[&list]));
    assert!(told.error_line().contains("/list: is one of the lists; name another output file"), "{told:?}");
    assert_eq!(fs::read(&list).unwrap(), b"one\n");
}

fn asked_of(filter: &Path) -> [Vec<PathBuf>; 3] {
    let path = |text: &str| PathBuf::from(text);
    [
        vec![path("info"), filter.to_owned()],
        vec![path("verify"), filter.to_owned()],
        vec![path("check"), path("--filter"), filter.to_owned()],
    ]
}

#[test]
fn a_filter_of_a_newer_format() {
    let folder = Folder::new();
    let filter = folder.filter("one\ntwo\n");
    let mut bytes = fs::read(&filter).unwrap();
    bytes[8] = 2;
    let newer = folder.file("newer.filter", &bytes);
    for arguments in asked_of(&newer) {
        let told = run(arguments);
        assert!(
            told.error_line().contains("newer.filter: written in format 2, but this program reads format 1"),
            "{told:?}"
        );
    }
    assert_eq!(fs::read(&newer).unwrap(), bytes);
}

#[test]
fn filters_that_are_none() {
    let folder = Folder::new();
    for arguments in asked_of(&folder.path("missing.filter")) {
        let told = run(arguments);
        assert!(told.error_line().contains("/missing.filter: cannot be opened: No such file"), "{told:?}");
    }
    for arguments in asked_of(folder.0.path()) {
        assert!(run(arguments).error_line().contains("is not a regular file"));
    }
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for arguments in asked_of(&pipe) {
        assert!(run(arguments).error_line().contains("/pipe: is not a regular file"));
    }
    let text = folder.file("text", "this is no filter");
    let [info, verify, check] = asked_of(&text);
    for arguments in [info, check] {
        assert!(run(arguments).error_line().contains("/text: is not a dictionary filter; make one with"));
    }
    assert_eq!(run(verify).code, 1, "verify answers no");
}

/// The rules beside a dictionary have a name that nobody typed: a pipe is not waited for.
#[test]
fn rules_that_are_no_file_are_refused() {
    let folder = Folder::new();
    let dictionary = folder.file("xx.dic", "2\nelephant/S\ngiraffe/S\n");
    assert!(Command::new("mkfifo").arg(folder.path("xx.aff")).status().unwrap().success());
    let reason = "/xx.dic: its rules in xx.aff cannot be used: it is not a regular file";
    refuses(&dictionary, b"", &[reason]);
}

#[test]
fn a_damaged_page_gives_no_verdict() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\npassword\n");
    let mut bytes = fs::read(&filter).unwrap();
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    let damaged = folder.file("damaged.filter", &bytes);
    let told = run_with(["check", "--filter", damaged.to_str().unwrap()], b"elephant\n");
    assert!(
        told.error_line().contains("damaged.filter: damaged: the checksum of page 0 is wrong"),
        "{told:?}"
    );
}

#[test]
fn names_cannot_steer_the_terminal() {
    let folder = Folder::new();
    let told = run(build_arguments(&folder.path("f"), &[&folder.path("a\u{1b}[31m\nb")]));
    assert!(told.error_line().contains("a\\u{1b}[31m\\nb: cannot be opened"), "{told:?}");
}
