//! The table of mutants: each pattern that is left out has its reason, and a survivor without a row is named.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    process::{Command, Stdio},
};

use nearmiss_tests::artifacts::{tool, workspace};

/// The first cells of the rows under this heading.
fn rows(table: &str, heading: &str) -> BTreeSet<String> {
    let (_, part) = table.split_once(&format!("\n## {heading}\n")).unwrap();
    let part = part.split("\n## ").next().unwrap();
    let cell = |line: &str| Some(line.strip_prefix("| `")?.split_once("` |")?.0.replace("\\|", "|"));
    part.lines().filter_map(cell).collect()
}

#[test]
fn every_pattern_that_is_left_out_has_its_reason() {
    let table = fs::read_to_string(workspace().join("tests/MUTANTS.md")).unwrap();
    let settings = fs::read_to_string(workspace().join(".cargo/mutants.toml")).unwrap();
    let quoted = |line: &str| Some(line.strip_prefix("    \"")?.strip_suffix("\",")?.replace("\\\\", "\\"));
    let patterns: BTreeSet<String> = settings.lines().filter_map(quoted).collect();
    assert!(patterns.len() > 20, "{patterns:?}");
    assert_eq!(rows(&table, "Left out"), patterns);
}

/// What the script says of these survivors, and whether it fails.
fn known(table: &str, survivors: &str) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("MUTANTS.md");
    fs::write(&file, table).unwrap();
    let mut command = Command::new(tool("mutants_known.py"));
    let mut running =
        command.arg(file).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 is there");
    running.stdin.take().unwrap().write_all(survivors.as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), !output.status.success())
}

#[test]
fn a_survivor_without_a_row_is_named_and_fails() {
    let table = "\
## Explained
| `a/b.rs` | `replace \\| with ^ in flags` | the same value |
| `a/b.rs` | `replace … in prepare` | speed only |
## Open
| `a/c.rs` | `…Store::put…` | 2 |
";
    let sums = |explained, open, new| {
        format!("torture: mutants: of the survivors {explained} are explained, {open} open, {new} new\n")
    };
    let flags = "a/b.rs:7:12: replace | with ^ in flags\n";
    let put = "a/c.rs:1:1: replace Store::put -> bool with true\n";
    let prepare = "a/b.rs:80:3: replace == with != in prepare\n";
    assert_eq!(known(table, &[flags, put, prepare].concat()), (sums(2, 1, 0), false));
    assert_eq!(known(table, ""), (sums(0, 0, 0), false));
    let other_file = "a/d.rs:7:12: replace | with ^ in flags\n";
    let other_function = "a/b.rs:80:3: replace == with != in prepared\n";
    for new in [other_file, other_function] {
        assert_eq!(known(table, new), (sums(0, 0, 1) + new, true));
    }
}
