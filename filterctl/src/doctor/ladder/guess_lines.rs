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

/// The number of lines that a success of this one jumps over.
fn jump(line: &StackEntry) -> Option<usize> {
    let control = line.control.trim_matches(['[', ']']);
    control.split_whitespace().find_map(|part| part.strip_prefix("success=")?.parse().ok())
}

/// True for an account line that notifies users, by either of its names.
fn tells(line: &StackEntry) -> bool {
    is_ours(line, "notify")
}

/// The stacks of the system below `root`: names and texts.
fn stacks(root: &Path) -> Vec<(String, String)> {
    let folder = root.join("etc/pam.d");
    let read = |name: &str| Some((name.to_owned(), read_lossy(&folder.join(name)).ok()?));
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

/// The lines about logins that succeed.
pub(in crate::doctor) struct LoginLines {
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
        let mut found =
            LoginLines { passed: false, notify: false, force_change: false, misplaced: Vec::new() };
        for (name, text) in stacks {
            let lines: Vec<StackEntry> = text.lines().filter_map(StackEntry::parse).collect();
            let (auth, account) = (of_kind(&lines, "auth"), of_kind(&lines, "account"));
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
        let lands = number.saturating_add(jump(line)?).saturating_add(1);
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
mod tests {
    use super::*;

    const DEBIAN: &str = "\
        auth [success=5 default=ignore] pam_unix.so nullok # a comment\n\
        auth [success=4 default=ignore] pam_sss.so use_first_pass\n\
        auth [default=ignore] pam_nearmiss.so failed\n\
        auth [default=die] pam_faillock.so authfail\n\
        auth sufficient pam_faillock.so authsucc\n\
        auth requisite pam_deny.so\n\
        auth required pam_permit.so\n\
        auth optional pam_nearmiss.so passed\n\
        account [default=1 new_authtok_reqd=ignore] pam_nearmiss.so notify force-change\n\
        account optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire\n\
        account [success=1 default=ignore] pam_unix.so\n";
    const RHEL: &str = "\
        auth required pam_faillock.so preauth silent\n\
        auth sufficient /lib64/security/pam_unix.so nullok\n\
        auth [default=ignore] pam_nearmiss.so failed\n\
        auth required pam_faillock.so authfail\n\
        auth required pam_deny.so\n";

    #[test]
    fn the_helper_is_a_program_of_root() {
        use std::os::unix::fs::{PermissionsExt, chown};

        let root = tempfile::tempdir().unwrap();
        let helper = root.path().join(HELPER.trim_start_matches('/'));
        assert!(!has_helper(root.path()));
        fs::create_dir_all(&helper).unwrap();
        assert!(!has_helper(root.path()), "a folder");
        fs::remove_dir(&helper).unwrap();
        fs::write(&helper, "").unwrap();
        for (mode, runs) in [(0o644, false), (0o755, true), (0o100, true), (0o666, false)] {
            fs::set_permissions(&helper, fs::Permissions::from_mode(mode)).unwrap();
            let is_roots = fs::metadata(&helper).unwrap().uid() == 0;
            assert_eq!(has_helper(root.path()), runs && is_roots, "{mode:o}");
        }
        fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
        if chown(&helper, Some(4242), None).is_ok() {
            assert!(!has_helper(root.path()), "another user's");
        }
    }

    #[test]
    fn a_missing_line_is_enabled_by_a_command_and_a_misplaced_one_is_edited() {
        let root = tempfile::tempdir().unwrap();
        let stack = root.path().join("etc/pam.d/common-auth");
        fs::create_dir_all(stack.parent().unwrap()).unwrap();
        let found = |text: &str| -> Vec<(State, Option<String>)> {
            fs::write(&stack, text).unwrap();
            examine(root.path()).into_iter().map(|finding| (finding.state, finding.fix)).collect()
        };
        assert_eq!(found(RHEL), [(State::Fine, None)]);
        let early = "auth optional pam_nearmiss.so failed\nauth required pam_unix.so\n";
        assert_eq!(found(early), [(State::Wrong, Some("vi /etc/pam.d/common-auth".to_owned()))]);
        let tool = root.path().join("usr/sbin/pam-auth-update");
        fs::create_dir_all(tool.parent().unwrap()).unwrap();
        fs::write(tool, "").unwrap();
        let enable = "pam-auth-update --enable nearmiss-failed".to_owned();
        assert_eq!(found("auth required pam_unix.so\n"), [(State::Warning, Some(enable))]);
    }

    fn problems(text: &str, has_helper: bool) -> Vec<(State, String)> {
        let found = examine_texts(&[("common-auth".to_owned(), text.to_owned())], has_helper);
        found
            .into_iter()
            .filter(|finding| finding.state != State::Fine)
            .map(|f| (f.state, f.message))
            .collect()
    }

    fn wrong(text: &str) -> String {
        let found = problems(text, true);
        assert_eq!((found.len(), found[0].0), (1, State::Wrong), "{found:?}");
        found[0].1.clone()
    }

    #[test]
    fn the_lines_about_logins_that_succeed_are_found() {
        let of = |text: &str| LoginLines::of(&[("common".to_owned(), text.to_owned())], true);
        let seen = |lines: &LoginLines| [lines.passed, lines.notify, lines.force_change];
        assert_eq!(seen(&of(DEBIAN)), [true; 3]);
        assert_eq!(of(DEBIAN).misplaced(CHECK).count(), 0);
        assert_eq!(seen(&of(&DEBIAN.replace(" force-change", ""))), [true, true, false]);
        assert_eq!(seen(&of(RHEL)), [false; 3]);
        let early: String = DEBIAN.lines().rev().flat_map(|line| [line, "\n"]).collect();
        let found: Vec<String> = of(&early).misplaced(CHECK).map(|finding| finding.message).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].contains("passed is before pam_deny") && found[1].contains("notify force-change"),
            "{found:?}"
        );
    }

    #[test]
    fn the_orders_of_the_manual_are_right() {
        assert_eq!(problems(DEBIAN, true), []);
        assert_eq!(problems(RHEL, false), []);
    }

    #[test]
    fn a_line_in_the_wrong_place_is_named() {
        let moved = |line: &str, before: &str| {
            let (rest, line): (Vec<&str>, _) = (DEBIAN.lines().filter(|l| !l.contains(line)).collect(), line);
            let moved = DEBIAN.lines().find(|l| l.contains(line)).unwrap();
            let at = rest.iter().position(|l| l.contains(before)).unwrap();
            [&rest[..at], &[moved], &rest[at..]].concat().join("\n")
        };
        assert!(wrong(&moved("failed", "authsucc")).contains("never runs"));
        assert!(wrong(&moved("failed", "pam_sss")).contains("before pam_sss.so"));
        assert!(wrong(&DEBIAN.replace("success=4", "success=0")).contains("increase its jump"));
        assert!(wrong(&moved("passed", "pam_deny")).contains("before pam_deny"));
        assert!(wrong(&moved("account [success=1", "notify force-change")).contains("after pam_unix"));
        assert!(wrong(&moved("pam_exec", "auth required pam_permit")).contains("lock users out"));
        assert!(problems(DEBIAN, false)[0].1.contains("is missing"));
    }

    #[test]
    fn a_ladder_that_nothing_feeds_is_a_warning() {
        let found = problems("# auth optional pam_nearmiss.so failed\nauth required pam_unix.so\n", true);
        assert_eq!((found.len(), found[0].0), (1, State::Warning));
        assert!(found[0].1.contains("failed logins are not counted"));
    }
}
