//! A mount namespace of a test's own: what a script mounts there, the machine does not see.

use std::process::Command;

/// The command that runs this script as root in such a namespace, with the arguments that are added as its
/// own. Where there is no such namespace to be had, says so and gives none.
pub(crate) fn private_mounts(script: &str) -> Option<Command> {
    let can = Command::new("unshare").args(["-m", "true"]).output().is_ok_and(|done| done.status.success());
    if !can {
        eprintln!("SKIPPED: needs root and a private mount namespace");
        return None;
    }
    let mut command = Command::new("unshare");
    command.args(["-m", "--propagation", "private", "sh", "-euc", script, "sh"]);
    Some(command)
}

/// What such a command prints, which ends well.
pub(crate) fn printed(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}
