//! docs/crates.md has every crate that is linked into what runs with rights, and its reading.

use std::fs;

use nearmiss_tests::artifacts::{assert_made_by, workspace};

/// No more crates than this in the module: each is read by somebody, and runs as root.
const CRATES_OF_THE_MODULE: usize = 35;

#[test]
fn the_table_is_that_of_the_locked_crates() {
    assert_made_by("packaging/crates.py");
}

#[test]
fn the_module_has_no_more_crates() {
    let page = fs::read_to_string(workspace().join("docs/crates.md")).expect("the table");
    let count = page.lines().find_map(|line| line.strip_prefix("## Crates of the module: "));
    let count: usize = count.expect("a heading with the number").parse().expect("a number");
    assert!(count <= CRATES_OF_THE_MODULE, "{count} crates in the module");
}
