//! Tests that cannot run here say so on one line and count as passed; nothing else does.

use std::{
    io::{self, Write},
    path::Path,
    process::Command,
    sync::OnceLock,
};

/// True when the test has to be skipped; prints the reason where it is seen although the test passes.
pub fn skipped(reason: Option<&str>) -> bool {
    if let Some(reason) = reason {
        let _ = writeln!(io::stderr(), "SKIPPED: {reason}");
    }
    reason.is_some()
}

/// The reason why the real `passwd` cannot be run in a namespace here, if it cannot.
pub fn no_namespace() -> Option<&'static str> {
    static REASON: OnceLock<Option<&'static str>> = OnceLock::new();
    *REASON.get_or_init(|| {
        if !is_root() {
            return Some("needs root: a private mount namespace and setuid programs");
        }
        if !Path::new("/etc/pam.d/common-password").exists() {
            return Some("needs a PAM configuration with /etc/pam.d/common-password, as Debian's");
        }
        let unshared = Command::new("unshare").args(["-m", "--propagation", "private", "true"]).output();
        let works = unshared.is_ok_and(|output| output.status.success());
        (!works).then_some("a mount namespace cannot be made here (unshare -m)")
    })
}

/// The reason why a file cannot be given to another user here, if it cannot.
pub fn no_foreign_owner() -> Option<&'static str> {
    (!is_root()).then_some("needs root: a file that belongs to another user")
}

/// True when the tests run as root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
