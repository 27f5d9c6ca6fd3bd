//! The first process of the copy: it adds the account and starts a process for each change.

use std::{ffi::OsStr, fs, io, path::Path};

use nearmiss_filters::text::system_reason;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::{
    mount::{MountFlags, mount, mount_bind},
    process::getpid,
};
use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use super::{
    Change, Edit, End, Report, Request, account::CopiedAccount, change::Reported, is_inside, mounts,
};
use crate::doctor::child::{self, Failed};

/// Adds the account and runs the changes of the request on standard input.
pub(in crate::doctor) fn run() -> impl serde::Serialize {
    match try_run() {
        Ok(ends) => Report { error: None, ends },
        Err(error) => Report { error: Some(error), ends: Vec::new() },
    }
}

fn try_run() -> Result<Vec<End>, String> {
    let request: Request = serde_json::from_reader(io::stdin()).map_err(|error| error.to_string())?;
    is_inside()?;
    if !getpid().is_init() {
        return Err("this process is not the first one of a copy".to_owned());
    }
    child::end_with_parent().map_err(|error| system_reason(&error.into()))?;
    // The folder of the processes that are here, not of all. Nothing may write settings of the kernel.
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None)
        .map_err(|error| format!("/proc: {}", system_reason(&error.into())))?;
    refuse_audit()?;
    for file in &request.hidden {
        mounts::remove(file);
    }
    request.edits.iter().enumerate().try_for_each(|(number, edit)| put(number, edit))?;
    let account = CopiedAccount::add()?;
    request.changes.iter().map(|change| run_one(&account, change)).collect()
}

/// Records of the audit system reach the log of the machine from every namespace. Without the socket, libpam
/// and `pam_unix` go on as on a kernel that lacks the system.
fn refuse_audit() -> Result<(), String> {
    let reason = |error: &dyn std::fmt::Display| format!("records of audit cannot be kept out: {error}");
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| reason(&error))?;
    let is = |argument, value: libc::c_int| {
        SeccompCondition::new(
            argument,
            SeccompCmpArgLen::Dword,
            SeccompCmpOp::Eq,
            value.unsigned_abs().into(),
        )
    };
    let conditions = [is(0, libc::AF_NETLINK), is(2, libc::NETLINK_AUDIT)];
    let conditions: Result<Vec<_>, _> = conditions.into_iter().collect();
    let rule = conditions.and_then(SeccompRule::new).map_err(|error| reason(&error))?;
    let rules = [(libc::SYS_socket, vec![rule])].into_iter().collect();
    let error = SeccompAction::Errno(libc::EPROTONOSUPPORT.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, error, arch);
    let program: seccompiler::BpfProgram =
        filter.and_then(TryInto::try_into).map_err(|error| reason(&error))?;
    seccompiler::apply_filter(&program).map_err(|error| reason(&error))
}

/// Lays a file with other content over the one that is there, which may lie where nothing can be written.
fn put(number: usize, edit: &Edit) -> Result<(), String> {
    let reason = |error: io::Error| format!("{}: {}", edit.file.display(), system_reason(&error));
    // No other user can have put a link in this folder, which the copy made.
    let content = Path::new("/dev").join(format!(".nearmiss-edit-{number}"));
    fs::write(&content, &edit.content).map_err(reason)?;
    let place = edit.file.canonicalize().map_err(reason)?;
    mount_bind(&content, place).map_err(|error| reason(error.into()))
}

fn run_one(account: &CopiedAccount, change: &Change) -> Result<End, String> {
    if change.is_fresh {
        account.restore().map_err(|error| system_reason(&error))?;
    }
    let input = serde_json::to_string(change).map_err(|error| error.to_string())?;
    let uid = format!("--uid={}", account.uid);
    let ended = match child::ask::<Reported>(&[OsStr::new("change"), OsStr::new(&uid)], &input, child::ONE) {
        Ok(Reported { error: None, end }) => Ok(end),
        Ok(Reported { error: Some(reason), .. }) | Err(Failed::NotStarted(reason)) => Err(reason),
        Err(Failed::Ended(words)) => Ok(End { words, is_crash: true, ..End::default() }),
    };
    // Whatever a module started; this process is the first one, and is left out.
    let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
    ended
}
