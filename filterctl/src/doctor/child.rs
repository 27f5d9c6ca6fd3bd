//! A process of its own for what might end it, or not end at all: modules are loaded, and a change is run
//! through libpam. It is this program again, with a command that help does not show; it prints JSON.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    os::{fd::AsFd, unix::process::ExitStatusExt},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
};
use nearmiss_filters::text::system_reason;
use nix::unistd::{Gid, Uid, setgroups, setresgid, setresuid};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::retry_on_intr,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    host::ffi::{self, Libpam},
    report::print_bytes,
};

/// The name of the command.
pub(super) const COMMAND: &str = "doctor-child";

/// The timeout of a child: a change waits for a slow hash and reads filters, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// The most bytes that a child may print.
const MAX_BYTES: usize = 1 << 20;

/// A command that only the doctor starts, in a process of its own.
#[derive(clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: ChildAct,
}

#[derive(clap::Subcommand)]
enum ChildAct {
    /// Loads a module.
    Load {
        /// The module.
        module: PathBuf,
    },
    /// Runs a change with each password that standard input has on a line.
    Change(TrialChange),
}

/// A change that is run.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct TrialChange {
    /// The folder that has the service.
    pub(super) folder: PathBuf,
    /// The service.
    pub(super) service: String,
    /// The user.
    pub(super) user: String,
    /// Act for this user, as a setuid program does; default root.
    #[arg(long)]
    pub(super) uid: Option<u32>,
}

/// The state of a module.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Loaded {
    /// The loader's message, if it cannot be loaded.
    pub(super) error: Option<String>,
    /// True if it can set passwords.
    pub(super) sets_passwords: bool,
}

/// The results of the changes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ran {
    /// Why none could be run.
    pub(super) error: Option<String>,
    /// The result of each.
    pub(super) changes: Vec<Ended>,
}

/// The result of a change.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ended {
    /// True if the password would have been set.
    pub(super) is_accepted: bool,
    /// libpam's message.
    pub(super) words: String,
    /// The number of questions.
    pub(super) prompts: u32,
    /// The text shown to the user.
    pub(super) shown: Vec<String>,
}

impl Args {
    /// Does it, in this process.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        ffi::silence_log();
        let json = match &self.act {
            ChildAct::Load { module } => {
                let loaded = ffi::load(module);
                let sets_passwords = loaded.as_ref().is_ok_and(|sets| *sets);
                serde_json::to_vec(&Loaded { error: loaded.err(), sets_passwords })
            }
            ChildAct::Change(change) => serde_json::to_vec(
                &change.run().unwrap_or_else(|error| Ran { error: Some(error), changes: Vec::new() }),
            ),
        };
        print_bytes(&json.map_err(|error| {
            Failure::plain(keys::INTERNAL_ERROR, format!("cannot print the result: {error}"))
        })?)?;
        Ok(Exit::Done)
    }
}

impl TrialChange {
    fn run(&self) -> Result<Ran, String> {
        let libpam = Libpam::find()?;
        let passwords = io::read_to_string(io::stdin()).map_err(|error| error.to_string())?;
        if let Some(uid) = self.uid {
            become_user(uid).map_err(|error| error.desc().to_owned())?;
        }
        let run = |password: &str| libpam.change(&self.folder, &self.service, &self.user, password);
        let ended = |changed: ffi::Changed| Ended {
            is_accepted: changed.code == 0,
            words: changed.words,
            prompts: changed.prompts,
            shown: changed.shown,
        };
        Ok(Ran { error: None, changes: passwords.lines().map(|password| ended(run(password))).collect() })
    }
}

/// The identity of `passwd` when a user runs it: the user's real uid, root's effective uid.
fn become_user(uid: u32) -> nix::Result<()> {
    let group = Gid::from_raw(uid);
    setgroups(&[])?;
    setresgid(group, group, group)?;
    setresuid(Uid::from_raw(uid), Uid::from_raw(0), Uid::from_raw(0))
}

/// Why a child gave no result.
pub(super) enum Failed {
    /// It was not started: nothing is known.
    NotStarted(String),
    /// Its result, in words.
    Ended(String),
}

/// Starts the program again and reads what it prints.
///
/// # Errors
/// [`Failed`]: it printed nothing that can be read.
pub(super) fn ask<T: DeserializeOwned>(arguments: &[&OsStr], input: &str) -> Result<T, Failed> {
    let not_started = |error: io::Error| Failed::NotStarted(system_reason(&error));
    if !ffi::CAN_LOAD {
        return Err(Failed::NotStarted(
            "this filterctl is linked statically and can load nothing".to_owned(),
        ));
    }
    let mut child = start(arguments).map_err(not_started)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A child that ended has told how; there are a few lines, which a pipe has room for.
        let _ = stdin.write_all(input.as_bytes());
    }
    let printed = read_all(&mut child, PATIENCE);
    if printed.is_none() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(not_started)?;
    let Some(printed) = printed else {
        return Err(Failed::Ended(format!("does not end within {} seconds", PATIENCE.as_secs())));
    };
    serde_json::from_slice(&printed).map_err(|_| {
        Failed::Ended(match status.signal() {
            Some(signal) => format!("is ended by {}", name_of(signal)),
            None => "ends without a result".to_owned(),
        })
    })
}

fn start(arguments: &[&OsStr]) -> io::Result<Child> {
    // The file that runs, whatever has taken its place by now.
    let mut command = Command::new("/proc/self/exe");
    command.arg(COMMAND).args(arguments).env_clear().current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}

/// All that a child prints, up to the limit; none if it does not end in this time.
fn read_all(child: &mut Child, patience: Duration) -> Option<Vec<u8>> {
    let mut out = child.stdout.take()?;
    let until = Instant::now().checked_add(patience)?;
    let (mut printed, mut buffer) = (Vec::new(), [0; 4096]);
    while printed.len() < MAX_BYTES {
        let left = until.checked_duration_since(Instant::now())?;
        let timeout = Timespec::try_from(left).ok()?;
        let mut ready = [PollFd::from_borrowed_fd(out.as_fd(), PollFlags::IN)];
        if retry_on_intr(|| poll(&mut ready, Some(&timeout))) == Ok(0) {
            return None;
        }
        match out.read(&mut buffer).ok()? {
            0 => break,
            count => printed.extend_from_slice(buffer.get(..count)?),
        }
    }
    Some(printed)
}

fn name_of(signal: i32) -> String {
    nix::sys::signal::Signal::try_from(signal)
        .map_or_else(|_| format!("signal {signal}"), |signal| signal.as_str().to_owned())
}

/// The arguments of a change.
impl TrialChange {
    pub(super) fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec![
            "change".into(),
            self.folder.clone().into(),
            self.service.clone().into(),
            self.user.clone().into(),
        ];
        arguments.extend(self.uid.map(|uid| format!("--uid={uid}").into()));
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    }

    #[test]
    fn what_a_child_prints_is_read_to_its_end() {
        let mut child = shell("printf one; printf two");
        assert_eq!(read_all(&mut child, PATIENCE).unwrap(), b"onetwo");
        assert!(child.wait().unwrap().success());
    }

    /// A module may print as long as it runs, into the memory of the doctor.
    #[test]
    fn no_more_than_the_limit_is_read_and_the_child_ends_then() {
        let mut child = shell("exec cat /dev/zero");
        let printed = read_all(&mut child, PATIENCE).unwrap().len();
        // The buffer that reaches the limit is the last one.
        assert!((MAX_BYTES..MAX_BYTES + 4096).contains(&printed), "{printed}");
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn a_child_that_falls_silent_is_given_up() {
        let mut child = shell("printf begun; exec cat");
        assert!(read_all(&mut child, Duration::from_millis(100)).is_none());
        // It waits for its input, which ends now.
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn a_signal_is_named_or_is_its_number() {
        assert_eq!([libc::SIGSEGV, libc::SIGBUS].map(name_of), ["SIGSEGV", "SIGBUS"]);
        assert_eq!(name_of(40), "signal 40");
    }
}
