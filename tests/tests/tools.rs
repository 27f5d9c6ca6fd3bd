//! The scripts by which the tests are run: their reports of failures and of missing programs; and the script
//! that reads the prose of the tree.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
};

use nearmiss_tests::artifacts::{tool, workspace};
use tempfile::TempDir;

/// The output of cargo and two test programs: one with a failed test, one that a signal ended.
const FAILED: &str = "\
     Running unittests src/lib.rs (target/x/deps/nearmiss_filters-0123456789abcdef)
test page::tests::one ... ok
test page::tests::two ... ignored, make torture
test result: ok. 1 passed; 0 failed; finished in 0.10s
     Running tests/passwd.rs (target/x/deps/passwd-0123456789abcdef)
SKIPPED: needs root
test root_is_warned ... FAILED
test result: FAILED. 0 passed; 1 failed; finished in 2.00s
error: test failed, to rerun pass `-p nearmiss-tests --test passwd`
     Running tests/storm.rs (target/x/deps/storm-0123456789abcdef)
error: test failed, to rerun pass `-p nearmiss-tests --test storm`
error: 2 targets failed:
";

/// The same as cargo-nextest reports it.
const REPORT: &str = r#"<?xml version="1.0"?>
<testsuites><testsuite name="nearmiss-tests::e2e">
<testcase name="passwd::root_is_warned" time="2.000"><failure>it was not</failure></testcase>
<testcase name="passwd::is_skipped" time="0.100"><system-err>SKIPPED: needs root
</system-err></testcase>
</testsuite></testsuites>"#;

const UNEXPLAINED: &str = r#"<testsuites><testsuite name="x">
<testcase name="a"><system-out>SKIPPED:
</system-out></testcase></testsuite></testsuites>"#;

/// The end of a stage that left this file, and whether the stage holds.
fn summary(name: &str, text: &str) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("parts"), "tests\t17\n").unwrap();
    fs::write(folder.path().join(name), text).unwrap();
    let run = Command::new(tool("summary.py")).arg(folder.path()).output().unwrap();
    assert!(run.stderr.is_empty(), "{run:?}");
    (String::from_utf8(run.stdout).unwrap(), run.status.success())
}

#[test]
fn the_tests_that_failed_are_named_last() {
    let (said, holds) = summary("log", FAILED);
    let begin = "\ntime of each part:\n      17 s  tests\nslowest:\n\
                 \x20    2.0 s  passwd\n     0.1 s  nearmiss_filters\n";
    let end = "left out, with reasons:\n       1  ignored: make torture\n       1  needs root\n\
               failed:\n    passwd: root_is_warned\n    storm: ended without a result\n";
    assert_eq!((said, holds), ([begin, end].concat(), true));
    let (said, _) = summary("junit.xml", REPORT);
    let end = "left out, with reasons:\n       1  needs root\nfailed:\n    e2e: passwd::root_is_warned\n";
    assert!(said.contains("     2.0 s  e2e: passwd::root_is_warned\n") && said.ends_with(end), "{said}");
}

#[test]
fn a_test_that_is_left_out_without_a_reason_fails_the_stage() {
    for (name, text) in [("log", "test a ... ignored\n"), ("log", "SKIPPED: \n"), ("junit.xml", UNEXPLAINED)]
    {
        let (said, holds) = summary(name, text);
        assert!(!holds && said.contains("left out without a reason: "), "{said}");
    }
    assert!(summary("log", "test a ... ok\n").1);
}

/// A folder of programs: the few that the scripts themselves use, and `rustc` of this release.
fn machine(release: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["sh", "uname", "cut", "sort", "head", "dirname", "id", "env"] {
        symlink(Path::new("/usr/bin").join(name), folder.path().join(name)).unwrap();
    }
    let rust = format!("#!/bin/sh\necho 'rustc {release} (of a test)'\n");
    for name in ["rustc", "cargo"] {
        put(&folder, name, &rust);
    }
    folder
}

fn put(folder: &TempDir, name: &str, text: &str) {
    let file = folder.path().join(name);
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A script's first line on this machine, and its exit status.
fn said(folder: &TempDir, script: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new("/bin/sh");
    let output = command.arg(script).args(arguments).env_clear().env("PATH", folder.path()).output().unwrap();
    assert!(output.stdout.is_empty(), "{output:?}");
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

#[test]
fn what_a_machine_lacks_is_named_before_anything_is_built() {
    let builds = tool("builds.sh");
    let folder = machine("1.85.1");
    assert_eq!(said(&folder, &builds, &["demo", "1.85"]), (String::new(), Some(0)));
    let (line, status) = said(&folder, &builds, &["demo", "1.85", "cc"]);
    assert!(line.starts_with("demo: needs cc, a C compiler") && status == Some(2), "{line}");
    let (line, status) = said(&folder, &builds, &["make test", "1.88"]);
    assert!(line.starts_with("make test: needs Rust 1.88 or later") && status == Some(2), "{line}");
    assert!(line.ends_with("this is 1.85.1\n") && line.contains("https://rustup.rs"), "{line}");
    fs::remove_file(folder.path().join("cargo")).unwrap();
    let (line, status) = said(&folder, &builds, &["demo", "1.85"]);
    assert!(line.starts_with("demo: needs Rust 1.85 or later with cargo") && status == Some(2), "{line}");
    assert_eq!(said(&machine("1.100.0"), &builds, &["demo", "1.85"]).1, Some(0), "not compared as text");
}

#[test]
fn where_nothing_can_be_installed_the_packages_are_named() {
    let folder = machine("1.88.0");
    let (line, status) = said(&folder, &tool("needs.sh"), &[]);
    assert_eq!(status, Some(2), "{line}");
    assert!(line.starts_with("make test: needs these packages:"), "{line}");
    assert!(line.contains(" gcc ") && line.ends_with("; there is no apt-get to install them\n"), "{line}");
}

/// The faults that `phrases.py` finds in a page with these lines.
fn faults(lines: &str) -> (Vec<String>, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    fs::write(&page, lines).unwrap();
    let output = Command::new(tool("phrases.py")).arg(&page).output().unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let places = printed.lines().map(|line| line.rsplit('/').next().unwrap().to_owned());
    (places.collect(), output.status.code())
}

#[test]
fn a_phrase_that_hides_its_noun_is_named_with_its_line() {
    // In two parts, so that this file is clean.
    for phrase in [
        concat!("what be", "came of the list"),
        concat!("What co", "mes of it"),
        concat!("empty; none", " where there is no file"),
        concat!("the agent go", "es on as nobody"),
        concat!("its owner is", " told"),
        concat!("so", " many words as the list has"),
        concat!("a false rate of", " .67"),
        concat!("a phrase that is", "\n  told over two lines"),
    ] {
        let (found, status) = faults(&format!("# A page\n\nHere: {phrase}.\n"));
        assert!(found.len() == 1 && found[0].starts_with("page.md:3: `"), "{phrase}: {found:?}");
        assert_eq!(status, Some(1), "{phrase}");
    }
}

#[test]
fn plain_sentences_and_names_of_files_are_let_through() {
    let plain = "The result of the build; none if it failed. Rates are 0.67 and 1.0, in `.conf` files, \
                 {:.2} and /etc/x.d/.5.\n";
    assert_eq!(faults(plain), (Vec::new(), Some(0)));
}

/// The tests of the packages import from both folders: a name in both would be the wrong one of them.
#[test]
fn no_module_of_python_has_the_name_of_another() {
    let names = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(workspace().join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "py")).collect()
    };
    let (tools, tests) = (names("tests/tools"), names("packaging/tests"));
    assert!(tools.len() > 10 && tests.len() > 30, "{tools:?} {tests:?}");
    let both: Vec<&String> = tests.iter().filter(|name| tools.contains(name)).collect();
    assert!(both.is_empty(), "{both:?}");
}
