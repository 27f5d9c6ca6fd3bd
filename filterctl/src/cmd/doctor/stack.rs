//! The PAM stack in force: the lines of a service's password stack, with what they include, in order.

use std::{fs, path::Path};

use super::{Finding, State};
use crate::pam_stack::{Line, MODULE, Stack};

const CHECK: &str = "PAM stack";

/// Where modules are looked for.
const MODULES: [&str; 5] = [
    "lib/security",
    "lib64/security",
    "usr/lib/security",
    "usr/lib64/security",
    "lib/x86_64-linux-gnu/security",
];

/// True for a module that asks for a new password, or takes one that was asked for.
fn sets(line: &Line) -> bool {
    line.name() == "pam_unix.so"
}

/// Examines the password stack of a service.
pub(super) fn examine(root: &Path, service: &str, stack: Option<&Stack>) -> Vec<Finding> {
    let Some(stack) = stack else {
        return vec![Finding::wrong(CHECK, format!("there is no PAM service '{service}'"))];
    };
    let (place, lines) = (stack.file.display().to_string(), &stack.lines);
    let Some(at) = stack.checking() else {
        let told = format!(
            "{place}: no line of its password stack is {MODULE}, so nothing is checked; see pam_nearmiss(8), \
             or on Debian run pam-auth-update"
        );
        return vec![Finding::wrong(CHECK, told)];
    };
    let mut findings = order(&place, lines, at);
    findings.extend(module_file(root, lines));
    if findings.is_empty() {
        findings.push(Finding::fine(CHECK, format!("{place}: {MODULE} checks before a password is set")));
    }
    findings
}

/// What is wrong with the checking line at this place.
fn order(place: &str, lines: &[Line], at: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut wrong = |told: String| findings.push(Finding::wrong(CHECK, format!("{place}: {told}")));
    let (before, after) = lines.split_at(at);
    let Some((line, after)) = after.split_first() else { return findings };
    if before.iter().any(sets) {
        wrong(format!(
            "{MODULE} stands behind pam_unix, which has set the password by then; move it before it"
        ));
    }
    if ["optional", "sufficient"].contains(&line.control.as_str()) {
        wrong(format!(
            "{MODULE} is '{}', so that its verdict does not count; make it 'requisite'",
            line.control
        ));
    }
    let is_existing = |line: &Line| line.has("use_authtok") || line.has("use_first_pass");
    if is_existing(line) && before.is_empty() {
        wrong(format!("{MODULE} has use_authtok, and nothing before it asks; put retry=3 in its place"));
    }
    if let Some(next) =
        after.iter().find(|next| sets(next) && !is_existing(next) && !next.has("try_first_pass"))
    {
        let module = &next.module;
        wrong(format!(
            "{module} behind it has no use_authtok: it may ask again for a password that is not checked"
        ));
    }
    if is_existing(line) && !before.is_empty() {
        let told = format!(
            "{place}: {MODULE} has use_authtok, so that a user whose password it rejects has no second try; \
             put it first with retry=3, and use_authtok on the other module"
        );
        findings.push(Finding::new(CHECK, State::Warning, told));
    }
    findings
}

/// A stack that names a module that is not there lets nobody change a password.
fn module_file(root: &Path, lines: &[Line]) -> Option<Finding> {
    let line = lines.iter().find(|line| line.is_ours())?;
    let named = Path::new(&line.module);
    let is_there = if named.is_absolute() {
        root.join(named.strip_prefix("/").unwrap_or(named)).exists()
    } else {
        let multiarch = fs::read_dir(root.join("usr/lib")).into_iter().flatten().flatten();
        let multiarch = multiarch.map(|entry| entry.path().join("security"));
        MODULES
            .iter()
            .map(|folder| root.join(folder))
            .chain(multiarch)
            .any(|folder| folder.join(named).exists())
    };
    (!is_there).then(|| {
        Finding::wrong(CHECK, format!("{}: is not installed, so nobody can change a password", line.module))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIX: &str = "password [success=1 default=ignore] pam_unix.so obscure use_authtok try_first_pass\n";

    fn told(common: &str) -> Vec<(State, String)> {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("etc/pam.d")).unwrap();
        fs::create_dir_all(root.path().join("usr/lib/x86_64-linux-gnu/security")).unwrap();
        fs::write(root.path().join("usr/lib/x86_64-linux-gnu/security").join(MODULE), "").unwrap();
        fs::write(root.path().join("etc/pam.d/passwd"), "@include common-password\n").unwrap();
        fs::write(root.path().join("etc/pam.d/common-password"), common).unwrap();
        let stack = Stack::of_service(root.path(), "passwd");
        examine(root.path(), "passwd", stack.as_ref())
            .into_iter()
            .map(|finding| (finding.state, finding.told))
            .collect()
    }

    #[test]
    fn the_stack_of_the_packages_is_fine() {
        let good = format!(
            "# comment\npassword requisite pam_nearmiss.so retry=3\n{UNIX}password optional \
             pam_nearmiss.so record\n"
        );
        let found = told(&good);
        assert_eq!((found.len(), found[0].0), (1, State::Fine), "{found:?}");
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
            let found = told(&common);
            assert!(
                found.iter().any(|(state, told)| *state == State::Wrong && told.contains(says)),
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
        let found = told(&behind);
        assert_eq!((found.len(), found[0].0), (1, State::Warning), "{found:?}");
    }
}
