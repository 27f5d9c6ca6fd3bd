//! The demonstration judges its examples as the README says, with the built-in list and as an ordinary user.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first thing that is wrong"
)]

use std::{fs, process::Command};

use nearmiss_tests::{
    artifacts::{artifacts, workspace},
    filters::make_private,
    pam::{Folder, python, run, unprivileged},
};

#[test]
fn judges_every_example_as_expected() {
    let folder = Folder::new(&artifacts().module);
    let filter = folder.path().join("common.filter");
    let built =
        Command::new(&artifacts().filterctl).args(["build", "--common", "--output"]).arg(&filter).output();
    assert!(built.unwrap().status.success(), "filterctl build --common");
    make_private(&filter);
    let source = fs::read_to_string(workspace().join("packaging/demo/demo.py")).unwrap();
    let mut demo = unprivileged(python());
    let shown = run(demo.arg("-c").arg(source).arg(folder.module()).arg(&filter), b"");
    let count = |word| shown.lines().filter(|line| line.trim_start().starts_with(word)).count();
    assert_eq!((count("refused"), count("accepted")), (10, 2), "{shown}");
    assert!(shown.contains("BAD PASSWORD: "), "{shown}");
}
