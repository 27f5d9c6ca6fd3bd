//! The Debian packages around the artefacts under test: installed on a throw-away copy of this machine's
//! Debian, used with the real `passwd`, removed and purged, by `packaging/tests/short.sh`.

use std::process::Command;

use nearmiss_tests::{
    artifacts::{artifacts, workspace},
    skip::skipped,
};

#[test]
fn packages_work_and_leave_nothing_behind() {
    let binaries = artifacts().module.parent().expect("an artefact lies in a folder");
    let test = workspace().join("packaging/tests/short.sh");
    let output = Command::new(&test).arg(binaries).output().expect("the package test can be run");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    let reason = told.lines().find_map(|line| line.strip_prefix("SKIPPED: "));
    if !skipped(reason) {
        assert!(told.contains("PAM configuration and state included"), "{told}");
    }
}
