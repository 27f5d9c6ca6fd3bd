//! The version that the administrator's program prints.

use std::process::{Command, Output};

use nearmiss_tests::{
    artifacts::{artifacts, workspace},
    skip::skipped,
};

fn first_line(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned()
}

#[test]
fn names_the_commit_of_the_source() {
    let mut git = Command::new("git");
    let head = git.arg("-C").arg(workspace()).args(["rev-parse", "HEAD"]).output();
    let head = head.ok().filter(|head| head.status.success());
    if skipped(head.is_none().then_some("no repository around the source")) {
        return;
    }
    let commit: String = head.iter().map(first_line).collect::<String>().chars().take(12).collect();
    let version = Command::new(&artifacts().filterctl).arg("--version").output().unwrap();
    let wanted = format!("filterctl {} ({commit})", env!("CARGO_PKG_VERSION"));
    assert_eq!(first_line(&version), wanted);
}
