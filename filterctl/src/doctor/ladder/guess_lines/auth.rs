//! The lines `failed`, `passed` and `submit` of an auth stack, judged by every way through it: with a failure
//! of each module that verifies a password, and with its success.

use nearmiss_cli::finding::State;

use crate::{
    doctor::walk::{leads, reached, usual},
    host::pam_stack::{Link, StackEntry},
};

/// Modules that verify a password.
const VERIFIERS: [&str; 10] = [
    "pam_unix.so",
    "pam_sss.so",
    "pam_ldap.so",
    "pam_krb5.so",
    "pam_winbind.so",
    "pam_systemd_home.so",
    "pam_radius_auth.so",
    "pam_tacplus.so",
    "pam_tcb.so",
    "pam_userdb.so",
];

/// Modules whose success admits nobody: they look at the account, the time or the place, or do something on
/// the way. A success of any other module may be a login, without a password or with another one.
const ADMIT_NOBODY: [&str; 22] = [
    "pam_access.so",
    "pam_debug.so",
    "pam_deny.so",
    "pam_echo.so",
    "pam_env.so",
    "pam_faildelay.so",
    "pam_faillock.so",
    "pam_group.so",
    "pam_issue.so",
    "pam_listfile.so",
    "pam_localuser.so",
    "pam_nearmiss.so",
    "pam_nologin.so",
    "pam_permit.so",
    "pam_securetty.so",
    "pam_sepermit.so",
    "pam_shells.so",
    "pam_succeed_if.so",
    "pam_tally2.so",
    "pam_time.so",
    "pam_usertype.so",
    "pam_warn.so",
];

/// The module whose success the line `failed` sees by itself, and does not count.
const SEEN: &str = "pam_unix.so";

/// Results of a module that does not accept the password, or does not know the user.
const FAILURES: [&str; 3] = ["auth_err", "user_unknown", "authinfo_unavail"];

/// Options of `pam_sss` with which it verifies a certificate, and no password.
const CERTIFICATE: [&str; 2] = ["try_cert_auth", "require_cert_auth"];

/// True for a line whose module verifies a password.
fn is_of_password(line: &StackEntry) -> bool {
    VERIFIERS.contains(&line.name()) && !CERTIFICATE.iter().any(|option| line.has(option))
}

/// A line in the wrong place, or one that is never reached.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The line to change.
    pub(super) line: StackEntry,
    /// What it does.
    pub(super) words: String,
    /// A warning where the line does its work for other modules.
    pub(super) state: State,
}

/// The lines of an auth stack, with the modules that verify.
pub(super) struct AuthStack<'l> {
    links: &'l [Link],
    is_absent: &'l dyn Fn(&StackEntry) -> bool,
    verifiers: Vec<usize>,
}

impl<'l> AuthStack<'l> {
    /// The stack of these lines; `is_absent` knows the modules that are not installed.
    pub(super) fn new(links: &'l [Link], is_absent: &'l dyn Fn(&StackEntry) -> bool) -> AuthStack<'l> {
        let is_verifier = |line: &StackEntry| is_of_password(line) && !(line.is_silent && is_absent(line));
        let verifiers =
            links.iter().enumerate().filter(|(_, link)| is_verifier(&link.line)).map(|(at, _)| at).collect();
        AuthStack { links, is_absent, verifiers }
    }

    /// True if a module of it is known to verify passwords.
    pub(super) fn verifies(&self) -> bool {
        !self.verifiers.is_empty()
    }

    /// Every fault of the lines `failed`, `passed` and `submit`.
    pub(super) fn faults(&self) -> Vec<Fault> {
        let mut faults = self.of_failed();
        for (mode, effect) in [
            ("passed", "it would notify users because of failed logins of others"),
            ("submit", "it would count the passwords of attackers as chosen ones"),
        ] {
            faults.extend(self.of_success(mode, effect));
        }
        let ours = self.links.iter().map(|link| &link.line).filter(|line| line.is_ours());
        let absent = ours.filter(|line| (self.is_absent)(line)).map(|line| {
            let words = format!("its module {} is not there: the line does nothing", line.module);
            Fault { line: line.clone(), words, state: State::Wrong }
        });
        faults.extend(absent);
        faults
    }

    /// The places of the lines with this option.
    fn places(&self, mode: &str) -> Vec<usize> {
        let has = |link: &Link| link.line.is_ours() && link.line.has(mode);
        self.links.iter().enumerate().filter(|(_, link)| has(link)).map(|(at, _)| at).collect()
    }

    fn line(&self, at: usize) -> Option<&'l StackEntry> {
        self.links.get(at).map(|link| &link.line)
    }

    /// The results of a line whose password is wrong.
    fn failures(&self, at: usize, line: &'l StackEntry) -> Vec<&'l str> {
        match is_of_password(line) {
            true if self.verifiers.contains(&at) => FAILURES.to_vec(),
            // One that is not installed, and need not be.
            true => vec!["ignore"],
            false => usual(line),
        }
    }

    /// The line `failed`: a failure of each verifier reaches it, and no success of one does.
    fn of_failed(&self) -> Vec<Fault> {
        let failed = self.places("failed");
        let Some(first) = failed.first().and_then(|at| self.line(*at)) else { return Vec::new() };
        let fault = |words: String, state| Fault { line: first.clone(), words, state };
        let mut faults = Vec::new();
        let (mut uncounted, mut is_counted) = (Vec::new(), false);
        for verifier in &self.verifiers {
            let Some(name) = self.line(*verifier).map(StackEntry::name) else { continue };
            match self.is_failure_counted(*verifier, &failed) {
                None => continue,
                Some(true) => is_counted = true,
                Some(false) => uncounted.push(name),
            }
            let (after_success, before) = self.successes(*verifier, &failed);
            if before {
                let words = format!("the line failed is before {name}: it would count correct passwords");
                faults.push(fault(words + "; move it down", State::Wrong));
            } else if after_success && name != SEEN {
                let words = format!("a success of {name} reaches the line failed: it would count correct");
                faults.push(fault(words + " passwords; increase its jump", State::Wrong));
            }
        }
        if !is_counted && self.verifies() {
            let words = "no failed login reaches the line failed, so that it never counts one; move it";
            faults.push(fault(words.to_owned(), State::Wrong));
        } else {
            faults.extend(uncounted.into_iter().map(|name| {
                let words = format!("a failure of {name} does not reach the line failed: it is not counted");
                fault(words, State::Warning)
            }));
        }
        faults
    }

    /// True if a wrong password reaches one of these lines behind this verifier; none if the verifier is not
    /// reached.
    fn is_failure_counted(&self, verifier: usize, failed: &[usize]) -> Option<bool> {
        leads(self.links, (verifier, "auth_err"), failed, |at, line| self.failures(at, line))
    }

    /// Whether the correct password of this verifier reaches one of these lines behind it, and before it.
    fn successes(&self, verifier: usize, failed: &[usize]) -> (bool, bool) {
        let ways = reached(self.links, |at, line, memory| {
            if at == verifier {
                return vec![("success", if memory == 0 { 1 } else { 3 })];
            }
            let behind = if failed.contains(&at) && memory == 0 { 2 } else { memory };
            self.failures(at, line).into_iter().map(|result| (result, behind)).collect()
        });
        let has = |at: usize, memory: u8| ways.contains(&(at, memory));
        (failed.iter().any(|at| has(*at, 1)), has(verifier, 2))
    }

    /// A line that is for successes alone: a success reaches it, and nothing else does.
    fn of_success(&self, mode: &str, effect: &str) -> Vec<Fault> {
        let places = self.places(mode);
        let Some(first) = places.first().and_then(|at| self.line(*at)) else { return Vec::new() };
        if !self.verifies() {
            return Vec::new();
        }
        let without = reached(self.links, |at, line, memory| {
            let may_admit = !is_of_password(line) && !ADMIT_NOBODY.contains(&line.name());
            let behind = |result: &str| if may_admit && result == "success" { 1 } else { memory };
            self.failures(at, line).into_iter().map(|result| (result, behind(result))).collect()
        });
        if let Some(line) =
            places.iter().find(|at| without.contains(&(**at, 0))).and_then(|at| self.line(*at))
        {
            let words = format!("the line {mode} is reached without a successful login: {effect}; move it");
            return vec![Fault { line: line.clone(), words, state: State::Wrong }];
        }
        let (mut missed, mut is_reached) = (Vec::new(), false);
        for verifier in &self.verifiers {
            match self.does_success_reach(*verifier, &places) {
                None => {}
                Some(true) => is_reached = true,
                Some(false) => missed.extend(self.line(*verifier).map(StackEntry::name)),
            }
        }
        let state = if is_reached { State::Warning } else { State::Wrong };
        let missed = missed.into_iter().map(|name| {
            let words = format!("a success of {name} does not reach the line {mode}");
            Fault { line: first.clone(), words, state }
        });
        missed.collect()
    }

    /// True if the correct password of this verifier reaches one of these lines; none if the verifier is not
    /// reached.
    fn does_success_reach(&self, verifier: usize, places: &[usize]) -> Option<bool> {
        leads(self.links, (verifier, "success"), places, |at, line| {
            // Another may accept the same password.
            let success = self.verifiers.contains(&at).then_some("success");
            self.failures(at, line).into_iter().chain(success).collect()
        })
    }
}

#[cfg(test)]
mod tests;
