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
    let git = |what: &str| {
        let said = Command::new("git").arg("-C").arg(workspace()).args(["rev-parse", what]).output();
        said.ok().filter(|said| said.status.success()).map(|said| first_line(&said))
    };
    // A repository around an unpacked archive is another project's.
    let head = git("--show-prefix").filter(String::is_empty).and_then(|_| git("HEAD"));
    let Some(head) = head else {
        skipped(Some("the source is in no repository of its own"));
        return;
    };
    let commit: String = head.chars().take(12).collect();
    let version = Command::new(&artifacts().filterctl).arg("--version").output().unwrap();
    let wanted = format!("filterctl {} ({commit})", env!("CARGO_PKG_VERSION"));
    assert_eq!(first_line(&version), wanted);
}
