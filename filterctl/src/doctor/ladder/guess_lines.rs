//! The module's lines about passwords of logins in the PAM stacks: whether they exist, and in the right
//! order.
//!
//! A line `failed` that a correct password reaches would count the passwords of users; one that no failure
//! reaches counts nothing; an expiry line after `pam_unix` would come too late. Each service's stack is read
//! with its includes, and every result of a module is followed to the end (`auth`).

mod auth;

use std::path::Path;

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};

use self::auth::AuthStack;
use crate::{
    doctor::{
        remedy,
        stack::{module_files, services},
        walk::is_read,
    },
    host::{
        expire::{HELPER, has_helper, no_helper},
        pam_stack::{self, Chain, FALLBACK, Link, StackEntry},
    },
};

/// Files with stacks that services include, on known distributions: no service has these names.
const SHARED: [&str; 5] = ["common-auth", "common-account", "system-auth", "password-auth", "base-auth"];
/// The service at which passwords are guessed.
const GUESSED_AT: &str = "sshd";

const CHECK: &str = "pam lines";

fn is_ours(line: &StackEntry, word: &str) -> bool {
    line.is_ours() && line.has(word)
}

/// True for an account line that notifies users, by either of its names.
fn tells(line: &StackEntry) -> bool {
    is_ours(line, "notify")
}

/// The auth and account lines of a service.
struct Service {
    name: String,
    auth: Option<Chain>,
    account: Option<Chain>,
}

/// The services of the system below `root`. Files that others include are none, but are all there is where no
/// service has a file.
fn of_system(root: &Path) -> Vec<Service> {
    let names = services::names(root);
    let included: Vec<String> = ["auth", "account", "password"]
        .iter()
        .flat_map(|kind| names.iter().flat_map(|name| pam_stack::included(root, name, kind)))
        .collect();
    let is_service =
        |name: &&String| !SHARED.contains(&name.as_str()) && !included.contains(name) && *name != FALLBACK;
    let services: Vec<&String> = names.iter().filter(is_service).collect();
    let services = if services.is_empty() { names.iter().collect() } else { services };
    let of = |name: &String, kind| Chain::of_service(root, name, kind);
    services
        .into_iter()
        .map(|name| Service { name: name.clone(), auth: of(name, "auth"), account: of(name, "account") })
        .collect()
}

fn lines(chain: Option<&Chain>) -> Vec<&StackEntry> {
    chain.iter().flat_map(|chain| chain.links.iter().map(|link| &link.line)).collect()
}

impl Service {
    fn has(&self, mode: &str) -> bool {
        lines(self.auth.as_ref()).iter().any(|line| is_ours(line, mode))
    }

    /// Why the auth lines cannot be judged.
    fn unjudged(&self, stack: &AuthStack<'_>) -> Option<String> {
        let chain = self.auth.as_ref()?;
        if let Some(line) = chain.missing.first() {
            return Some(format!("{}: {} is not there", line.place(), line.module));
        }
        if let Some(Link { line, .. }) = chain.links.iter().find(|link| !is_read(&link.line.control)) {
            return Some(format!("{}: {} is no control that is known", line.place(), line.control));
        }
        if chain.is_cut {
            return Some("the includes are too deep".to_owned());
        }
        (!stack.verifies()).then(|| "no module of the stack is known to verify passwords".to_owned())
    }

    /// The findings on its lines with one of these options.
    fn examine(&self, modes: &[&str], is_absent: &dyn Fn(&StackEntry) -> bool) -> Vec<Finding> {
        let Some(chain) = self.auth.as_ref().filter(|_| modes.iter().any(|mode| self.has(mode))) else {
            return Vec::new();
        };
        let stack = AuthStack::new(&chain.links, is_absent);
        if let Some(why) = self.unjudged(&stack) {
            let ours = |line: &&StackEntry| modes.iter().any(|mode| is_ours(line, mode));
            let place = lines(self.auth.as_ref()).into_iter().find(ours).map(StackEntry::place);
            let place = place.unwrap_or_else(|| chain.file.display().to_string());
            let message = format!("{place}: which logins reach this line is not judged: {why}");
            return vec![Finding::unjudged(keys::PAM_NOT_JUDGED, CHECK, message)];
        }
        let faults = stack.faults().into_iter().filter(|fault| modes.iter().any(|mode| fault.line.has(mode)));
        faults.map(|fault| found(&fault.line, &fault.words, fault.state)).collect()
    }
}

fn found(line: &StackEntry, words: &str, state: State) -> Finding {
    let message = format!("{}: {words}", line.place());
    Finding::new(keys::LOGIN_LINES, CHECK, state, message).fix(remedy::edit(line))
}

/// Adds findings that are not there yet: several services have the same lines.
fn add(findings: &mut Vec<Finding>, more: impl IntoIterator<Item = Finding>) {
    for finding in more {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
}

/// Examines the lines about guesses of the system below `root`.
pub(super) fn examine(root: &Path) -> Vec<Finding> {
    let (services, is_absent, has_helper) = (of_system(root), module_files::absent(root), has_helper(root));
    let mut findings = Vec::new();
    for service in &services {
        add(&mut findings, service.examine(&["failed", "passed"], &is_absent));
        add(&mut findings, expire(&lines(service.account.as_ref()), has_helper));
    }
    let guessed_at = services.iter().find(|service| service.name == GUESSED_AT);
    let is_fed = match guessed_at {
        Some(service) => service.has("failed"),
        None => services.iter().any(|service| service.has("failed")),
    };
    if !is_fed {
        let service = guessed_at.map_or_else(String::new, |service| format!("{}: ", service.name));
        let message = format!(
            "{service}no auth line \"pam_nearmiss.so failed\": failed logins are not counted; see \
             pam_nearmiss(8)"
        );
        let enable = remedy::enable(root, "nearmiss-failed");
        findings.push(Finding::warning(keys::LOGIN_LINES, CHECK, message).fix(enable));
    } else if findings.is_empty() {
        findings.push(Finding::fine(CHECK, "failed logins are counted, and correct passwords are not"));
    }
    findings
}

/// Examines the lines `submit`, which count passwords of logins for the ladder of chosen passwords.
pub(super) fn submitted(root: &Path) -> Vec<Finding> {
    let is_absent = module_files::absent(root);
    let mut findings = Vec::new();
    for service in of_system(root) {
        add(&mut findings, service.examine(&["submit"], &is_absent));
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
    /// The lines `passed` and `notify` in the wrong place.
    misplaced: Vec<Finding>,
}

impl LoginLines {
    /// The lines of the services of the system below `root`.
    pub(in crate::doctor) fn below(root: &Path) -> LoginLines {
        let (is_absent, has_helper) = (module_files::absent(root), has_helper(root));
        let mut found = LoginLines::default();
        for service in of_system(root) {
            let account = lines(service.account.as_ref());
            found.failed |= service.has("failed");
            found.passed |= service.has("passed");
            found.notify |= account.iter().any(|line| tells(line));
            found.force_change |= account.iter().any(|line| tells(line) && line.has("force-change"));
            add(&mut found.misplaced, service.examine(&["passed"], &is_absent));
            add(&mut found.misplaced, expire(&account, has_helper));
        }
        found
    }

    /// The lines in the wrong place.
    pub(in crate::doctor) fn misplaced(&self, check: &str) -> impl Iterator<Item = Finding> {
        self.misplaced.iter().map(move |finding| Finding { check: check.to_owned(), ..finding.clone() })
    }
}

/// An expiry line must come before `pam_unix`, directly before the helper.
fn expire(account: &[&StackEntry], has_helper: bool) -> Option<Finding> {
    let at = account.iter().position(|line| tells(line) && line.has("force-change"))?;
    let words = if account.get(..at)?.iter().any(|line| line.name() == "pam_unix.so") {
        "the line notify force-change is after pam_unix, which would refuse the change; move it up".to_owned()
    } else if !account.get(at.saturating_add(1)).is_some_and(|line| line.runs_helper()) {
        format!(
            "the line notify force-change is not followed by pam_exec.so {HELPER}: some programs would lock \
             users out"
        )
    } else if has_helper {
        return None;
    } else {
        no_helper()
    };
    Some(found(account.get(at)?, &words, State::Wrong))
}

#[cfg(test)]
mod tests;
