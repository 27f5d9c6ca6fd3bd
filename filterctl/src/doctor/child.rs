//! A process of its own for what might end it, or not end at all: modules are loaded, and a change is run
//! through libpam. It is this program again, with a command that help does not show; it prints JSON.

use std::{
    ffi::OsStr,
    io::{self, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::process::ExitStatusExt,
    },
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use nearmiss_filters::text::system_reason;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, retry_on_intr},
    process::{Pid, PidfdFlags, Signal, pidfd_open, set_parent_process_death_signal},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::host::ffi;

/// The name of the command.
pub(super) const COMMAND: &str = "doctor-child";

/// The timeout of one act: a change waits for a slow hash and reads filters, on a machine that is busy.
pub(super) const ONE: Duration = Duration::from_secs(60);

/// The timeout of a script of changes.
pub(super) const MANY: Duration = Duration::from_secs(600);

/// The most bytes that a child may print.
const MAX_BYTES: usize = 1 << 20;

/// The state of a module.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LoadedModule {
    /// The loader's message, if it cannot be loaded.
    pub(super) error: Option<String>,
    /// True if it can set passwords.
    pub(super) sets_passwords: bool,
}

/// Ends this process when the one that started it ends.
///
/// # Errors
/// The kernel refuses.
pub(super) fn end_with_parent() -> rustix::io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))
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
pub(super) fn ask<T: DeserializeOwned>(
    arguments: &[&OsStr],
    input: &str,
    timeout: Duration,
) -> Result<T, Failed> {
    let not_started = |error: io::Error| Failed::NotStarted(system_reason(&error));
    if !ffi::CAN_LOAD {
        return Err(Failed::NotStarted(
            "this filterctl is linked statically and can load nothing".to_owned(),
        ));
    }
    let mut child = start(arguments).map_err(not_started)?;
    if let Some(mut stdin) = child.stdin.take() {
        // If the child has ended, its status explains why. The input is shorter than a pipe's buffer.
        let _ = stdin.write_all(input.as_bytes());
    }
    let until = Instant::now().checked_add(timeout);
    let printed = until.and_then(|until| read_all(&mut child, until).filter(|_| ends(&child, until)));
    if printed.is_none() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(not_started)?;
    let Some(printed) = printed else {
        return Err(Failed::Ended(format!("does not end within {} seconds", timeout.as_secs())));
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

/// All that a child prints, up to the limit; none if it goes on printing.
fn read_all(child: &mut Child, until: Instant) -> Option<Vec<u8>> {
    let out = child.stdout.take()?;
    let (mut printed, mut buffer) = (Vec::new(), [0; 4096]);
    while printed.len() < MAX_BYTES {
        if !is_ready(out.as_fd(), until) {
            return None;
        }
        match retry_on_intr(|| rustix::io::read(&out, &mut buffer)).ok()? {
            0 => break,
            count => printed.extend_from_slice(buffer.get(..count)?),
        }
    }
    Some(printed)
}

/// True if the child ends by then: one that closes its output may go on.
fn ends(child: &Child, until: Instant) -> bool {
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let handle = process.and_then(|process| pidfd_open(process, PidfdFlags::empty()).ok());
    handle.is_some_and(|handle| is_ready(handle.as_fd(), until))
}

/// Waits until there is something to read, or the time is over.
fn is_ready(file: BorrowedFd<'_>, until: Instant) -> bool {
    loop {
        let left = until.checked_duration_since(Instant::now());
        let Some(left) = left.and_then(|left| Timespec::try_from(left).ok()) else { return false };
        let mut ready = [PollFd::from_borrowed_fd(file, PollFlags::IN)];
        match poll(&mut ready, Some(&left)) {
            Err(Errno::INTR) => {}
            polled => return polled.is_ok_and(|count| count > 0),
        }
    }
}

fn name_of(signal: i32) -> String {
    nix::sys::signal::Signal::try_from(signal)
        .map_or_else(|_| format!("signal {signal}"), |signal| signal.as_str().to_owned())
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
        let until = Instant::now() + ONE;
        assert_eq!(read_all(&mut child, until).unwrap(), b"onetwo");
        assert!(ends(&child, until) && child.wait().unwrap().success());
    }

    /// A module may print as long as it runs, into the memory of the doctor.
    #[test]
    fn no_more_than_the_limit_is_read_and_the_child_ends_then() {
        let mut child = shell("exec cat /dev/zero");
        let printed = read_all(&mut child, Instant::now() + ONE).unwrap().len();
        // The buffer that reaches the limit is the last one.
        assert!((MAX_BYTES..MAX_BYTES + 4096).contains(&printed), "{printed}");
        assert!(!child.wait().unwrap().success());
    }

    #[test]
    fn a_child_that_falls_silent_is_given_up() {
        let mut child = shell("printf begun; exec cat");
        assert!(read_all(&mut child, Instant::now() + Duration::from_millis(100)).is_none());
        // It waits for its input, which ends now.
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    /// A module may close its output, and then hang.
    #[test]
    fn a_child_that_has_no_output_left_is_given_up() {
        let mut child = shell("exec >&-; read line");
        assert_eq!(read_all(&mut child, Instant::now() + ONE).unwrap(), b"");
        assert!(!ends(&child, Instant::now() + Duration::from_millis(100)));
        drop(child.stdin.take());
        child.wait().unwrap();
    }

    #[test]
    fn a_signal_is_named_or_is_its_number() {
        assert_eq!([libc::SIGSEGV, libc::SIGBUS].map(name_of), ["SIGSEGV", "SIGBUS"]);
        assert_eq!(name_of(40), "signal 40");
    }
}
