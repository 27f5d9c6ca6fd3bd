//! One change, in a process of its own inside the copy: a module may end the process it is loaded into.

use std::io;

use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid};
use serde::{Deserialize, Serialize};

use super::{Actor, Change, End, account, is_inside};
use crate::host::{
    ffi::{self, Libpam, Typed},
    pam_stack::FALLBACK,
};

/// A service that has no file on any machine.
const WITHOUT_FILE: &str = "nearmiss-doctor";

/// An account that no machine has.
const UNKNOWN_USER: &str = "nearmiss-nobody";

/// The command of the process: it reads the change from standard input.
#[derive(clap::Args)]
pub(in crate::doctor) struct Transact {
    /// The uid of the account.
    #[arg(long)]
    uid: u32,
}

/// What the process reports.
#[derive(Serialize, Deserialize)]
pub(super) struct Reported {
    pub(super) error: Option<String>,
    pub(super) end: End,
}

impl Transact {
    /// Runs the change.
    pub(in crate::doctor) fn run(&self) -> impl Serialize {
        match self.try_run() {
            Ok(end) => Reported { error: None, end },
            Err(error) => Reported { error: Some(error), end: End::default() },
        }
    }

    fn try_run(&self) -> Result<End, String> {
        is_inside()?;
        let change: Change = serde_json::from_reader(io::stdin()).map_err(|error| error.to_string())?;
        let libpam = Libpam::find()?;
        let before = account::hash();
        if change.actor == Actor::User {
            become_user(self.uid).map_err(|error| error.desc().to_owned())?;
        }
        let typed = Typed {
            current: change.current.clone(),
            rounds: change.rounds.clone(),
            gives_up: change.gives_up,
            is_batch: change.actor == Actor::Batch,
        };
        let user = if change.is_known_user { account::USER } else { UNKNOWN_USER };
        // libpam runs the lines of that service twice for a program of its name.
        let service = if change.service == FALLBACK { WITHOUT_FILE } else { &change.service };
        let changed = libpam.change(service, user, typed, change.actor == Actor::Login);
        let after = account::hash();
        let is_changed = after != before;
        let set = after.filter(|_| is_changed).and_then(|hash| owner_of(&hash, &change));
        Ok(End {
            is_success: changed.code == 0,
            words: changed.words,
            is_crash: false,
            prompts: changed.prompts,
            errors: changed.errors,
            is_changed,
            set,
        })
    }
}

/// The password among those typed that has this hash.
fn owner_of(hash: &str, change: &Change) -> Option<String> {
    let mut typed = change.rounds.iter().chain([&change.current]);
    typed.find(|password| ffi::crypt(password, hash).is_ok_and(|own| own == hash)).cloned()
}

/// The identity of `passwd` when a user runs it: the user's real uid, root's effective uid.
fn become_user(uid: u32) -> nix::Result<()> {
    let group = Gid::from_raw(uid);
    setgroups(&[])?;
    setresgid(group, group, group)?;
    setresuid(Uid::from_raw(uid), Uid::from_raw(0), Uid::from_raw(0))
}
