//! The module's lines about passwords of logins in the PAM stacks: whether they exist, and in the right
//! order.
//!
//! A line `failed` that a correct password reaches would count the passwords of users; a line `failed` after
//! a line that ends the stack would count nothing; an expiry line after `pam_unix` would come too late.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};
use nearmiss_policy::config::at;

use crate::{
    doctor::remedy,
    host::{pam_stack::StackEntry, text_file::read_lossy},
};

/// Files with the stacks that need these lines, on known distributions.
const STACKS: [&str; 6] =
    ["common-auth", "common-account", "system-auth", "password-auth", "base-auth", "sshd"];
/// The program of the expiry lines.
pub(in crate::doctor) const HELPER: &str = "/usr/libexec/nearmiss/expire";
/// Modules that verify a password.
const VERIFIERS: [&str; 6] =
    ["pam_unix.so", "pam_sss.so", "pam_ldap.so", "pam_krb5.so", "pam_winbind.so", "pam_systemd_home.so"];

const CHECK: &str = "pam lines";

/// True for a line of this module that has this argument.
fn is(line: &StackEntry, module: &str, argument: &str) -> bool {
    line.name() == module && line.has(argument)
}

fn is_ours(line: &StackEntry, word: &str) -> bool {
    line.is_ours() && line.has(word)
}

/// True for an account line that notifies users, by either of its names.
fn tells(line: &StackEntry) -> bool {
    is_ours(line, "notify")
}

/// The stacks of the system below `root`: names and texts.
fn stacks(root: &Path) -> Vec<(String, String)> {
    let folder = root.join("etc/pam.d");
    let read = |name: &str| Some((name.to_owned(), read_lossy(root, &folder.join(name)).ok()?));
    STACKS.iter().filter_map(|name| read(name)).collect()
}

/// True for the line that makes a password expire.
pub(in crate::doctor) fn runs_helper(line: &StackEntry) -> bool {
    is(line, "pam_exec.so", HELPER)
}

fn has_helper(root: &Path) -> bool {
    let helper = at(root, HELPER.as_ref());
    fs::metadata(helper).is_ok_and(|file| file.is_file() && file.uid() == 0 && file.mode() & 0o111 != 0)
}

/// Examines the stacks of the system below `root`.
pub(super) fn examine(root: &Path) -> Vec<Finding> {
    let mut findings = examine_texts(&stacks(root), has_helper(root));
    for finding in &mut findings {
        if finding.state == State::Warning {
            finding.fix = Some(remedy::enable(root, "nearmiss-failed"));
        }
    }
    findings
}

/// The lines about passwords of logins.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a line or an option of one")]
pub(in crate::doctor) struct LoginLines {
    /// An auth line `failed` is there.
    pub(in crate::doctor) failed: bool,
    /// An auth line `passed` is there.
    pub(in crate::doctor) passed: bool,
    /// An account line that notifies users is there.
    pub(in crate::doctor) notify: bool,
    /// One of these has the option `force-change`.
    pub(in crate::doctor) force_change: bool,
    /// File and fault of the lines in the wrong order.
    misplaced: Vec<(String, String)>,
}

impl LoginLines {
    /// The lines of the system below `root`.
    pub(in crate::doctor) fn below(root: &Path) -> LoginLines {
        LoginLines::of(&stacks(root), has_helper(root))
    }

    fn of(stacks: &[(String, String)], has_helper: bool) -> LoginLines {
        let mut found = LoginLines::default();
        for (name, text) in stacks {
            let lines: Vec<StackEntry> = text.lines().filter_map(StackEntry::parse).collect();
            let (auth, account) = (of_kind(&lines, "auth"), of_kind(&lines, "account"));
            found.failed |= auth.iter().any(|line| is_ours(line, "failed"));
            found.passed |= auth.iter().any(|line| is_ours(line, "passed"));
            found.notify |= account.iter().any(|line| tells(line));
            found.force_change |= account.iter().any(|line| tells(line) && line.has("force-change"));
            let problems = passed(&auth).into_iter().chain(expire(&account, has_helper));
            found.misplaced.extend(problems.map(|problem| (name.clone(), problem)));
        }
        found
    }

    /// The lines in the wrong order.
    pub(in crate::doctor) fn misplaced(&self, check: &str) -> impl Iterator<Item = Finding> {
        self.misplaced.iter().map(move |(name, problem)| misplaced(check, name, problem))
    }
}

fn of_kind<'l>(lines: &'l [StackEntry], kind: &str) -> Vec<&'l StackEntry> {
    lines.iter().filter(|line| line.kind == kind).collect()
}

fn misplaced(check: &str, name: &str, problem: &str) -> Finding {
    Finding::wrong(keys::LOGIN_LINES, check, format!("/etc/pam.d/{name}: {problem}"))
        .fix(format!("vi /etc/pam.d/{name}"))
}

fn examine_texts(stacks: &[(String, String)], has_helper: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut is_fed = false;
    for (name, text) in stacks {
        let lines: Vec<StackEntry> = text.lines().filter_map(StackEntry::parse).collect();
        let (auth, account) = (of_kind(&lines, "auth"), of_kind(&lines, "account"));
        is_fed |= auth.iter().any(|line| is_ours(line, "failed"));
        let problems = failed(&auth).into_iter().chain(passed(&auth)).chain(expire(&account, has_helper));
        findings.extend(problems.map(|problem| misplaced(CHECK, name, &problem)));
    }
    if !is_fed {
        let message =
            "no auth line \"pam_nearmiss.so failed\": failed logins are not counted; see pam_nearmiss(8)";
        findings.push(Finding::warning(keys::LOGIN_LINES, CHECK, message));
    } else if findings.is_empty() {
        findings.push(Finding::fine(CHECK, "failed logins are counted, and correct passwords are not"));
    }
    findings
}

/// The line `failed` must come after every line that verifies, and before the line that ends the stack.
fn failed(auth: &[&StackEntry]) -> Option<String> {
    let at = auth.iter().position(|line| is_ours(line, "failed"))?;
    let (before, behind) = (auth.get(..at)?, auth.get(at.saturating_add(1)..)?);
    if before.iter().any(|line| is(line, "pam_faillock.so", "authfail") || line.name() == "pam_deny.so") {
        return Some(
            "the line failed is after pam_faillock authfail or pam_deny and never runs; move it up".into(),
        );
    }
    let verifies = |line: &&&StackEntry| VERIFIERS.contains(&line.name());
    if let Some(line) = behind.iter().find(verifies) {
        return Some(format!(
            "the line failed is before {}: it would count correct passwords; move it down",
            line.name()
        ));
    }
    let mut earlier = before.iter().enumerate().filter(|(_, line)| verifies(line));
    earlier.find_map(|(number, line)| {
        // A line without a jump ends the stack in another way.
        let over: usize = line.success()?.parse().ok()?;
        let lands = number.saturating_add(over).saturating_add(1);
        (lands <= at)
            .then(|| format!("a success of {} reaches the line failed; increase its jump", line.name()))
    })
}

/// The line `passed` must come after `pam_deny`, which only a success gets past.
fn passed(auth: &[&StackEntry]) -> Option<String> {
    let at = auth.iter().position(|line| is_ours(line, "passed"))?;
    let is_behind_deny = auth.get(..at)?.iter().any(|line| line.name() == "pam_deny.so");
    (!is_behind_deny).then(|| {
        "the line passed is before pam_deny: it would notify users because of failed logins of others".into()
    })
}

/// An expiry line must come before `pam_unix`, directly before the helper.
fn expire(account: &[&StackEntry], has_helper: bool) -> Option<String> {
    let at = account.iter().position(|line| tells(line) && line.has("force-change"))?;
    if account.get(..at)?.iter().any(|line| line.name() == "pam_unix.so") {
        return Some(
            "the line notify force-change is after pam_unix, which would refuse the change; move it up"
                .into(),
        );
    }
    if !account.get(at.saturating_add(1)).is_some_and(|line| runs_helper(line)) {
        return Some(format!(
            "the line notify force-change is not followed by pam_exec.so {HELPER}: some programs would lock \
             users out"
        ));
    }
    (!has_helper).then(|| format!("{HELPER} is missing, does not belong to root, or cannot be run"))
}

#[cfg(test)]
mod tests;
