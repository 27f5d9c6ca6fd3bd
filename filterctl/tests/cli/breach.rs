//! Lists of digests in both layouts: one file of `HASH:COUNT` lines, and a folder of range files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::{Folder, build_arguments, run, run_with};

/// Digits of a digest that name its range file.
const PREFIX: usize = 5;

/// Digests of `digits` digits, with counts from 1 to 4, as lines.
fn digests(digits: usize, count: u64) -> Vec<String> {
    let digest = |n: u64| {
        let scattered = |at: u64| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(at as u32 * 7);
        let hex: String = (0..3).map(|at| format!("{:016X}", scattered(at))).collect();
        format!("{}:{}", &hex[..digits], n % 4 + 1)
    };
    (0..count).map(digest).collect()
}

/// The range files of these lines, with the line ends that the service gives.
fn write_ranges(folder: &Folder, name: &str, lines: &[String], suffix: &str, lower: bool) -> PathBuf {
    let mut ranges = BTreeMap::<String, Vec<String>>::new();
    for line in lines {
        let (prefix, rest) = line.split_at(PREFIX);
        let case = |text: &str| if lower { text.to_lowercase() } else { text.to_owned() };
        ranges.entry(format!("{}{suffix}", case(prefix))).or_default().push(case(rest));
    }
    let path = folder.path(name);
    fs::create_dir(&path).unwrap();
    for (name, mut lines) in ranges {
        lines.sort();
        fs::write(path.join(name), lines.join("\r\n")).unwrap();
    }
    path
}

fn build(folder: &Folder, kind: &str, list: &Path, more: &[&str]) -> Vec<u8> {
    let output = folder.path("f");
    let mut arguments = build_arguments(&output, &[list]);
    arguments.extend(["--kind", kind].iter().chain(more).map(PathBuf::from));
    let done = run(&arguments);
    assert_eq!(done.code, 0, "{done:?}");
    fs::read(output).unwrap()
}

#[test]
fn both_layouts_and_cases_give_the_same_filter() {
    for (kind, digits) in [("sha1", 40), ("ntlm", 32)] {
        let folder = Folder::new();
        let lines = digests(digits, 3000);
        let file = folder.file("list", lines.join("\r\n"));
        let lower = folder.file("lower", lines.join("\n").to_lowercase() + "\n");
        let ranges = write_ranges(&folder, "ranges", &lines, "", false);
        fs::write(ranges.join("README"), "no range file").unwrap();
        let text_ranges = write_ranges(&folder, "text", &lines, ".txt", true);
        for more in [&[][..], &["--min-count", "3"], &["--jobs", "5"]] {
            let expected = build(&folder, kind, &file, more);
            for other in [&lower, &ranges, &text_ranges] {
                let more = [more, &["--partial"]].concat();
                assert!(build(&folder, kind, other, &more) == expected, "{kind} {other:?} {more:?}");
            }
        }
        let told = run(["info".as_ref(), folder.path("f").as_os_str(), "--json".as_ref()]).json().remove(0);
        assert_eq!((&told["words"], &told["kind"]), (&3000.into(), &kind.into()));
    }
}

#[test]
fn lines_that_fill_up_a_range_are_left_out() {
    let folder = Folder::new();
    let lines = digests(40, 100);
    let padded: Vec<String> = lines
        .iter()
        .cloned()
        .chain(digests(40, 150).split_off(100).iter().map(|line| {
            let (digest, _) = line.split_once(':').unwrap();
            format!("{digest}:0")
        }))
        .collect();
    let (plain, padded) = (folder.file("plain", lines.join("\n")), folder.file("padded", padded.join("\n")));
    assert!(build(&folder, "sha1", &plain, &[]) == build(&folder, "sha1", &padded, &[]));
}

#[test]
fn malformed_lines_are_told_and_more_than_one_in_a_hundred_is_an_error() {
    let folder = Folder::new();
    let mut lines = digests(40, 1000);
    lines[400] = "not a digest".to_owned();
    lines[777].truncate(39);
    let list = folder.file("list", lines.join("\n"));
    let output = folder.file("old.filter", crate::OLD_FILTER);
    let mut arguments = build_arguments(&output, &[&list]);
    arguments.extend(["--kind", "sha1", "--json"].map(PathBuf::from));
    let told = run(&arguments).json().remove(0);
    let malformed = serde_json::json!([{"reason": "malformed", "lines": 2, "first_line": 401}]);
    assert_eq!(told["lists"][0]["skipped"], malformed);
    fs::write(&output, crate::OLD_FILTER).unwrap();
    for line in lines.iter_mut().skip(500).take(9) {
        line.push('x');
    }
    fs::write(&list, lines.join("\n")).unwrap();
    let told = run(&arguments);
    let message =
        "/list: 11 of 1000 lines are not digests of this kind, first at line 401 [list-not-digests]";
    assert!(told.error_line().ends_with(message), "{told:?}");
    assert_eq!(fs::read(&output).unwrap(), crate::OLD_FILTER);
    assert_eq!(folder.names(), ["list", "old.filter"], "nothing left behind");
}

#[test]
fn a_corpus_with_faults_is_refused_and_each_is_named() {
    let folder = Folder::new();
    let ranges = folder.path("ranges");
    fs::create_dir(&ranges).unwrap();
    let mut suffixes = digests(35, 60);
    suffixes.sort();
    let suffixes = suffixes.join("\n");
    for (name, text) in [
        ("00000", suffixes.clone()),
        ("00001", format!("{suffixes}\n{}", &suffixes[..30])),
        ("00002", String::new()),
        ("00004", format!("\u{feff}{}\r\n\r\n", suffixes.replace('\n', "\r\n"))),
        ("00004.meta", "etag".to_owned()),
        ("00005", "<!DOCTYPE html><p>502".to_owned()),
    ] {
        fs::write(ranges.join(name), text).unwrap();
    }
    let output = folder.file("f", "");
    let mut arguments = build_arguments(&output, &[&ranges]);
    arguments.extend(["--kind", "sha1"].map(PathBuf::from));
    let told = run(&arguments);
    assert_eq!(told.code, 2, "{told:?}");
    assert!(
        told.error_line().ends_with(
            "/ranges: 1,048,571 of 1,048,576 ranges are missing (00003, 00006, 00007, 00008, \
             00009, ...); 1 is empty (00002); 1 is a web page, such as the answer of a server that has no \
             range (00005); 1 is cut short or not a range (00001 line 61); fetch these ranges again; \
             --partial accepts missing, empty and unsorted ones only [list-incomplete]"
        ),
        "{told:?}"
    );
    arguments.push("--partial".into());
    assert_eq!(run(&arguments).code, 2, "a page and a range that is cut");
    assert_eq!(fs::read(&output).unwrap(), b"", "nothing is put in place");
    fs::remove_file(ranges.join("00005")).unwrap();
    fs::write(ranges.join("00001"), &suffixes).unwrap();
    let told = run(&arguments);
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.out.contains("    ranges: 4, missing 1,048,572, empty 1\n"), "{told:?}");
    assert!(told.out.contains("180 of 181 lines"), "{told:?}");
}

#[test]
fn a_part_of_a_corpus_is_refused_unless_that_is_said() {
    let folder = Folder::new();
    let ranges = folder.path("ranges");
    fs::create_dir(&ranges).unwrap();
    fs::write(ranges.join("00000"), digests(35, 1).join("\n")).unwrap();
    let mut arguments = build_arguments(&folder.path("f"), &[&ranges]);
    arguments.extend(["--kind", "sha1"].map(PathBuf::from));
    let told = run(&arguments);
    assert_eq!((told.code, folder.names()), (2, vec!["ranges".to_owned()]), "{told:?}");
    assert!(told.error_line().ends_with(
        "/ranges: 1,048,575 of 1,048,576 ranges are missing (00001, 00002, 00003, 00004, 00005, ...); fetch \
         these ranges again, or use the others with --partial [list-incomplete]"
    ), "{told:?}");
    arguments.push("--partial".into());
    let told = run(&arguments);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{told:?}");
}

#[test]
fn folders_that_are_no_lists() {
    let folder = Folder::new();
    let empty = folder.path("empty");
    fs::create_dir(&empty).unwrap();
    let mut arguments = build_arguments(&folder.path("f"), &[&empty]);
    assert!(run(&arguments).error_line().contains("is a folder; name the files in it"));
    arguments.extend(["--kind", "sha1"].map(PathBuf::from));
    assert!(run(&arguments).error_line().contains("/empty: contains no range files"));
}

/// The digests of "password", by anybody's tool.
#[test]
fn a_leaked_password_is_rejected_in_every_disguise() {
    let folder = Folder::new();
    for (kind, digest) in [
        ("sha1", "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179\n"),
        ("ntlm", "8846F7EAEE8FB117AD06BDD830B7586C:52256179\n"),
    ] {
        let list = folder.file("list", digest);
        build(&folder, kind, &list, &[]);
        let filter = folder.path("f");
        let arguments = ["check", "--json", "--filter", filter.to_str().unwrap()];
        let told = run_with(arguments, b"password\nPassword\nP4ssw0rd2026!\nqvortrupz\n");
        assert_eq!(told.code, 1);
        let reasons: Vec<_> = told.json().iter().map(|verdict| verdict["reason"].clone()).collect();
        assert_eq!(reasons[..3], ["breached", "breached", "breached"], "{told:?}");
        assert!(reasons[3].is_null(), "{told:?}");
        let plain = run_with(arguments.iter().chain(&["--no-variants"]), b"password\nPassword\n");
        assert_eq!(
            (&plain.json()[0]["reason"], &plain.json()[1]["reason"]),
            (&"breached".into(), &().into())
        );
    }
}

#[test]
fn digests_come_from_a_file_or_a_pipe() {
    let folder = Folder::new();
    let text = digests(40, 3000).join("\r\n");
    let list = folder.file("list", &text);
    let with = |list: &Path, capacity: &str| {
        let mut arguments = build_arguments(&folder.path("f"), &[list]);
        arguments.extend(["--kind", "sha1", "--json", "--capacity", capacity].map(PathBuf::from));
        arguments
    };
    let of_file = run(with(&list, "4000"));
    let filter = fs::read(folder.path("f")).unwrap();
    assert_eq!(
        (of_file.json()[0]["words"].as_u64(), of_file.json()[0]["lines"].as_u64()),
        (Some(3000), Some(3000))
    );
    let of_pipe = run_with(with("-".as_ref(), "4000"), text.as_bytes());
    assert_eq!((of_pipe.code, fs::read(folder.path("f")).unwrap() == filter), (0, true), "{of_pipe:?}");
    let of_file = run(with(&list, "2000"));
    assert_eq!(of_file.json()[0]["capacity"].as_u64(), Some(3000), "no less than there are");
    let filter = fs::read(folder.path("f")).unwrap();
    let of_pipe = run_with(with("-".as_ref(), "2000"), text.as_bytes());
    assert_eq!((of_pipe.code, fs::read(folder.path("f")).unwrap() == filter), (0, true), "{of_pipe:?}");
    let of_pipe = run_with(with("-".as_ref(), "2000"), b"PK\x03\x04");
    assert!(of_pipe.error_line().contains("standard input: is a zip archive"), "{of_pipe:?}");
    let of_pipe = run_with(with("-".as_ref(), "2000"), b"no digest\nof any kind\n");
    assert!(of_pipe.error_line().contains("2 of 2 lines are not digests"), "{of_pipe:?}");
    assert!(fs::read(folder.path("f")).unwrap() == filter && folder.names() == ["f", "list"]);
}

/// Repeated digests are not counted again.
#[test]
fn a_long_list_gives_a_filter_no_larger_than_needed() {
    const DIGESTS: u64 = 800_000;
    let folder = Folder::new();
    let text = digests(40, DIGESTS).join("\n") + "\n";
    let pages = |text: &str, words: u64| {
        let mut arguments = build_arguments(&folder.path("f"), &[&folder.file("list", text)]);
        arguments.extend(["--kind", "sha1", "--json"].map(PathBuf::from));
        let report = run(&arguments).json().remove(0);
        // A digest is taken for an earlier one with the false positive rate of the filter.
        let found = report["words"].as_u64().unwrap();
        assert!((words - words / 10_000..=words).contains(&found), "{report}");
        assert!(report["false_rejection"].as_f64().unwrap() <= 0.001, "{report}");
        report["pages"].as_u64().unwrap() as f64
    };
    let plain = pages(&text, DIGESTS);
    let repeated = pages(&(text.clone() + &text[..text.len() / 2]), DIGESTS);
    assert!((0.995..=1.005).contains(&(plain / repeated)), "{plain} {repeated} pages");
}
