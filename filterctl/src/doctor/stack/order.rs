//! The order of the lines: does the check come before the password is set, does its verdict count, and does
//! nothing behind it ask again?

use nearmiss_cli::{finding::Finding, keys};

use super::CHECK;
use crate::{
    doctor::remedy,
    host::pam_stack::{MODULE, StackEntry},
};

/// True for a module that asks for a new password, or takes one that was asked for.
fn sets(line: &StackEntry) -> bool {
    line.name() == "pam_unix.so"
}

/// The faults of the checking line at this place.
pub(super) fn examine(lines: &[StackEntry], at: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (before, after) = lines.split_at(at);
    let Some((line, after)) = after.split_first() else { return findings };
    // Each finding names the line that is to be edited, which may be in an included file.
    let mut wrong = |line: &StackEntry, message: String| {
        let message = format!("{}: {message}", line.place());
        findings.push(Finding::wrong(keys::PAM_ORDER, CHECK, message).fix(remedy::edit(line)));
    };
    if before.iter().any(sets) {
        wrong(
            line,
            format!("{MODULE} stands behind pam_unix, which has set the password by then; move it before it"),
        );
    }
    if ["optional", "sufficient"].contains(&line.control.as_str()) {
        wrong(
            line,
            format!(
                "{MODULE} is '{}', so that its verdict does not count; make it 'requisite'",
                line.control
            ),
        );
    }
    let is_existing = |line: &StackEntry| line.has("use_authtok") || line.has("use_first_pass");
    if is_existing(line) && before.is_empty() {
        wrong(
            line,
            format!("{MODULE} has use_authtok, and nothing before it asks; put retry=3 in its place"),
        );
    }
    if let Some(next) =
        after.iter().find(|next| sets(next) && !is_existing(next) && !next.has("try_first_pass"))
    {
        let module = &next.module;
        wrong(
            next,
            format!(
                "{module} behind {MODULE} has no use_authtok: it may ask again for a password that is not \
                 checked"
            ),
        );
    }
    if is_existing(line) && !before.is_empty() {
        let message = format!(
            "{}: {MODULE} has use_authtok, so that a user whose password it rejects has no second try; put \
             it first with retry=3, and use_authtok on the other module",
            line.place()
        );
        findings.push(Finding::warning(keys::PAM_ORDER, CHECK, message).fix(remedy::edit(line)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{
        doctor::{Subject, sample, stack},
        host::{pam_module::tests::object, pam_stack::Stack},
    };
    use nearmiss_cli::finding::State;

    const UNIX: &str = "password [success=1 default=ignore] pam_unix.so obscure use_authtok try_first_pass\n";

    fn message(common: &str) -> Vec<(State, String)> {
        found(common).into_iter().map(|finding| (finding.state, finding.message)).collect()
    }

    fn found(common: &str) -> Vec<Finding> {
        let root = tempfile::tempdir().unwrap();
        let modules = root.path().join("usr/lib/x86_64-linux-gnu/security");
        for folder in [&root.path().join("etc/pam.d"), &modules] {
            fs::create_dir_all(folder).unwrap();
        }
        for module in [MODULE, "pam_unix.so", "pam_pwquality.so"] {
            fs::write(modules.join(module), object(true, false)).unwrap();
        }
        fs::write(root.path().join("etc/pam.d/passwd"), "@include common-password\n").unwrap();
        fs::write(root.path().join("etc/pam.d/common-password"), common).unwrap();
        let stack = Stack::of_service(root.path(), "passwd");
        let subject = Subject { stack, ..sample::subject(root.path()) };
        stack::of_service(&subject, None)
    }

    /// The editor opens where the message says that something is wrong.
    #[test]
    fn each_finding_is_about_the_line_that_its_command_opens() {
        let ours = "password requisite pam_nearmiss.so";
        let pwquality = "password requisite pam_pwquality.so retry=3";
        for (common, number) in [
            (format!("{ours} retry=3\npassword required pam_unix.so yescrypt\n"), 2),
            (format!("{UNIX}# a remark\n{ours} retry=3\n"), 3),
            (format!("# a remark\npassword optional pam_nearmiss.so retry=3\n{UNIX}"), 2),
            (format!("{ours} use_authtok\n{UNIX}"), 1),
            (format!("{pwquality}\n{ours} use_authtok\n{UNIX}"), 2),
        ] {
            let found = found(&common);
            let [finding] = found.as_slice() else { panic!("{common}{found:?}") };
            let (place, _) = finding.message.split_once(": ").unwrap();
            let (file, line) = place.rsplit_once(':').unwrap_or((place, ""));
            assert!(file.ends_with("etc/pam.d/common-password"), "{common}{finding:?}");
            assert_eq!(line, number.to_string(), "{common}{finding:?}");
            assert_eq!(finding.fix, Some(format!("vi +{number} {file}")), "{common}");
        }
    }

    #[test]
    fn the_stack_of_the_packages_is_fine() {
        let good = format!(
            "# comment\npassword requisite pam_nearmiss.so retry=3\n{UNIX}password optional \
             pam_nearmiss.so record\n"
        );
        // What stands before the check is no matter where the module asks for the password itself.
        let behind = format!("password optional pam_pwquality.so local_users_only\n{good}");
        for stack in [&good, &behind] {
            let found = message(stack);
            assert_eq!((found.len(), found[0].0), (1, State::Fine), "{stack}{found:?}");
        }
    }

    #[test]
    fn what_is_not_checked_is_wrong_and_says_why() {
        let ours = "password requisite pam_nearmiss.so retry=3\n";
        for (common, says) in [
            (UNIX.to_owned(), "nothing is checked"),
            (format!("{UNIX}{ours}"), "behind pam_unix"),
            (format!("password optional pam_nearmiss.so retry=3\n{UNIX}"), "does not count"),
            (format!("password requisite pam_nearmiss.so use_authtok\n{UNIX}"), "nothing before it asks"),
            (format!("{ours}password required pam_unix.so yescrypt\n"), "may ask again"),
            (format!("password requisite /nonexistent/pam_nearmiss.so\n{UNIX}"), "is not installed"),
            (format!("password optional pam_nearmiss.so record\n{UNIX}"), "nothing is checked"),
        ] {
            let found = message(&common);
            assert!(
                found.iter().any(|(state, message)| *state == State::Wrong && message.contains(says)),
                "{common}{found:?}"
            );
        }
    }

    #[test]
    fn one_try_behind_another_module_is_a_warning() {
        let behind = format!(
            "password requisite pam_pwquality.so retry=3\npassword requisite pam_nearmiss.so \
             use_authtok\n{UNIX}"
        );
        let found = message(&behind);
        assert_eq!((found.len(), found[0].0), (1, State::Warning), "{found:?}");
    }
}
