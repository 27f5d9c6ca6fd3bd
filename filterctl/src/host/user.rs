//! The facts about the user whose password is checked, and about this computer, as the module has them.

use std::ffi::OsStr;

use nearmiss_filters::keys::{self, Keyed};
use nearmiss_policy::policy::Context;
use nix::unistd::User;
use rustix::{process::geteuid, system::uname};

/// The uids of people (login.defs(5), `UID_MIN` and `UID_MAX`).
pub(crate) const PEOPLE: std::ops::Range<u32> = 1000..60_000;

/// The texts that a password must not be near; empty if not known.
pub(crate) struct UserFacts {
    /// The user name.
    pub(crate) user: Vec<u8>,
    /// The GECOS field.
    pub(crate) gecos: Vec<u8>,
    /// The computer's name.
    pub(crate) host: Vec<u8>,
}

impl UserFacts {
    /// The same, borrowed. The old password is not known.
    pub(crate) fn context(&self) -> Context<'_> {
        Context { user: &self.user, gecos: &self.gecos, host: &self.host, ..Context::default() }
    }
}

/// The GECOS field of an account; empty when there is no such account.
pub(crate) fn gecos(name: &OsStr) -> Vec<u8> {
    let account = name.to_str().and_then(|name| User::from_name(name).ok().flatten());
    account.map_or_else(Vec::new, |account| account.gecos.to_bytes().to_vec())
}

/// This computer's name.
pub(crate) fn host_name() -> Vec<u8> {
    uname().nodename().to_bytes().to_vec()
}

/// True for an error that root would not have: its subject is unknown to this user, and not at fault.
pub(crate) fn is_unseen(error: impl Keyed) -> bool {
    error.key() == keys::FILE_DENIED && !geteuid().is_root()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn the_real_name_is_that_of_the_list_of_accounts() {
        let accounts = std::fs::read_to_string("/etc/passwd").unwrap();
        let root = accounts.lines().find(|line| line.starts_with("root:")).unwrap();
        assert_eq!(gecos(OsStr::new("root")), root.split(':').nth(4).unwrap().as_bytes());
        assert!(gecos(OsStr::new("no such user")).is_empty() && gecos(OsStr::from_bytes(b"\xff")).is_empty());
        assert!(!host_name().is_empty());
    }
}
