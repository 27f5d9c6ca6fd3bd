//! A copy of this machine in which passwords are changed for real, and which is thrown away: the stack in
//! use, with the modules in use.
//!
//! A child process gets namespaces of its own for mounts, network, IPC, host name and processes (`mounts`),
//! and starts the first process of the new PID namespace (`inside`), which adds an account (`account`) and
//! runs each change in a further process (`change`). What is written goes to memory: folders that a change
//! may write are overlays, everything else is read-only, sockets are gone. All of it ends with the child,
//! however that ends, since nothing outside its namespaces refers to it.

mod account;
mod change;
mod inside;
mod mounts;
mod table;
mod writable;

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub(super) use self::{
    account::{CURRENT, USER},
    change::Transact,
    inside::run as run_inside,
    mounts::make,
};
use super::child::{self, Failed};

/// The changes to run in a copy, and what differs there from this machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Request {
    /// Files with other content.
    pub(super) edits: Vec<Edit>,
    /// Files that are not in the copy.
    pub(super) hidden: Vec<PathBuf>,
    /// The changes, in their order.
    pub(super) changes: Vec<Change>,
}

/// A file of the copy that has this content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Edit {
    pub(super) file: PathBuf,
    pub(super) content: String,
}

/// The program that a change is run as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Actor {
    /// `passwd` run by the user: the user's real uid, root's effective uid.
    User,
    /// `passwd USER` run by root.
    Root,
    /// A program of root that answers every prompt with the new password, as `chpasswd` does.
    Batch,
    /// A login that demands a change: root's uids, and the current password is prompted for.
    Login,
}

/// One change of a password.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Change {
    pub(super) service: String,
    pub(super) actor: Actor,
    /// False: the change is of an account that does not exist.
    pub(super) is_known_user: bool,
    /// True if the account is as it was at first; else as the change before left it.
    pub(super) is_fresh: bool,
    /// The current password that is typed.
    pub(super) current: String,
    /// The new password of each round of prompts.
    pub(super) rounds: Vec<String>,
    /// True if the user gives up where the new password is typed.
    pub(super) gives_up: bool,
}

/// The end of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct End {
    /// True if libpam reported success.
    pub(super) is_success: bool,
    /// libpam's words for its code; the signal that ended the process, if one did.
    pub(super) words: String,
    /// True if no result was reported: a module ended the process, or did not end.
    pub(super) is_crash: bool,
    /// The texts of the prompts.
    pub(super) prompts: Vec<String>,
    /// The errors that were shown.
    pub(super) errors: Vec<String>,
    /// True if the account has another hash than before.
    pub(super) is_changed: bool,
    /// The password that the new hash belongs to, if it is one of those that were typed.
    pub(super) set: Option<String>,
}

/// What a child reports.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Report {
    /// The reason why there is no copy.
    error: Option<String>,
    ends: Vec<End>,
}

/// A file that a copy has and the machine has not: each copy makes its own folder of devices.
const MARK: &str = "/dev/.nearmiss-doctor";

/// Refuses to act outside a copy: the acts of its processes would change this machine.
///
/// # Errors
/// This process is not in a copy.
fn is_inside() -> Result<(), String> {
    let is_marked = Path::new(MARK).exists();
    is_marked.then_some(()).ok_or_else(|| "this process is not in a copy of the machine".to_owned())
}

/// Runs the changes in a copy of the machine; an end for each.
///
/// # Errors
/// Why no copy can be made.
pub(super) fn run(request: &Request) -> Result<Vec<End>, String> {
    let input = serde_json::to_string(request).map_err(|error| error.to_string())?;
    match child::ask::<Report>(&[OsStr::new("copy")], &input, child::MANY) {
        Ok(Report { error: None, ends }) => Ok(ends),
        Ok(Report { error: Some(reason), .. }) | Err(Failed::NotStarted(reason)) => Err(reason),
        Err(Failed::Ended(ended)) => Err(format!("the process that makes the copy {ended}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Root may type what the doctor starts: outside a copy it would add an account and end every process.
    #[test]
    fn the_acts_of_a_copy_are_refused_outside_one() {
        assert!(is_inside().unwrap_err().contains("not in a copy of the machine"));
    }
}
