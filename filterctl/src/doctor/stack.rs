//! The PAM stack in force: the lines of a service's password stack, with what they include, in order.

mod change;
mod edits;
mod elsewhere;
mod expiry;
mod faults;
mod homed;
mod includes;
mod leaving_out;
mod lengths;
mod misspelt;
pub(super) mod module_files;
pub(crate) mod modules;
mod options;
mod order;
mod outside;
mod passwords;
mod record_lines;
mod repairs;
mod script;
pub(super) mod services;
mod tries;
mod verdicts;

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_policy::config::Config;

use super::{Subject, remedy};
use crate::host::pam_stack::{self, MODULE, StackEntry};

const CHECK: &str = "PAM stack";

/// The types of lines (pam.d(5)).
const TYPES: [&str; 4] = ["auth", "account", "password", "session"];

/// Examines the password stacks, the options of every line of the module, and changes in a copy.
pub(super) fn examine(subject: &Subject, config: Option<&Config>) -> Vec<Finding> {
    let changes = config.map(|config| verdicts::examine(subject, config));
    let mut findings = match (&subject.stack, &changes) {
        // The lines are not judged by a reader where changes were made.
        (Some(stack), Some(Ok(_))) if subject.line().is_some() => {
            modules::examine(&subject.root, &stack.lines)
        }
        (_, Some(Ok(changes))) => of_service(subject, changes.repair.as_deref()),
        _ => of_service(subject, None),
    };
    findings.extend(fallback(subject));
    findings.extend(subject.stack.iter().flat_map(|stack| includes::examine(&subject.root, stack)));
    findings.extend(subject.stack.iter().filter_map(|stack| homed::examine(&subject.root, stack)));
    findings.extend(options::examine(&subject.root));
    findings.extend(expiry::examine(&subject.root));
    if config.is_some_and(|config| config.ladder.file.exists()) {
        findings.extend(record_lines::examine(&subject.root, &subject.service));
    }
    match changes {
        Some(Ok(changes)) => findings.extend(changes.findings),
        Some(Err(not_judged)) => findings.push(not_judged),
        None => {}
    }
    findings
}

/// Reads the lines of the service and loads their modules: what it takes milliseconds to know. The command
/// `repair` puts a line of the check into a stack without one.
fn of_service(subject: &Subject, repair: Option<&str>) -> Vec<Finding> {
    let service = &subject.service;
    let Some(stack) = &subject.stack else {
        return vec![
            Finding::wrong(keys::PAM_NOT_IN_STACK, CHECK, format!("there is no PAM service '{service}'"))
                .fix("filterctl doctor --service NAME"),
        ];
    };
    let place = stack.file.display();
    let Some(at) = stack.checking() else {
        let first = untyped(&subject.root).or_else(|| misnamed(&subject.root, &stack.lines));
        let first = first.unwrap_or_else(|| {
            let message =
                format!("{place}: no line of its password stack is {MODULE}, so nothing is checked");
            let tool = remedy::tool(&subject.root, "nearmiss").or_else(|| repair.map(str::to_owned));
            Finding::wrong(keys::PAM_NOT_IN_STACK, CHECK, message)
                .fix(tool.unwrap_or_else(|| "man pam_nearmiss".to_owned()))
        });
        // A line with the wrong name has one fault, and one command.
        let modules = modules::examine(&subject.root, &stack.lines);
        let modules: Vec<Finding> = modules.into_iter().filter(|module| module.fix != first.fix).collect();
        return [first].into_iter().chain(modules).collect();
    };
    let mut findings = order::examine(&stack.lines, at);
    findings.extend(leaving_out::of_lines(&stack.lines, at));
    findings.extend(modules::examine(&subject.root, &stack.lines));
    if findings.is_empty() {
        findings.push(Finding::fine(CHECK, format!("{place}: {MODULE} checks before a password is set")));
    }
    findings
}

/// A service that was named, and has no file: what is said of it is true of every other such name.
fn fallback(subject: &Subject) -> Option<Finding> {
    let stack = subject.stack.as_ref().filter(|_| subject.has_named_service)?;
    if stack.file.file_name().is_some_and(|name| name == subject.service.as_str()) {
        return None;
    }
    let (service, file) = (&subject.service, stack.file.display());
    let message = format!("there is no PAM service '{service}': libpam reads {file} for it");
    Some(Finding::warning(keys::PAM_NOT_IN_STACK, CHECK, message).fix("filterctl doctor --service NAME"))
}

/// A line of the check whose first word is no type: libpam has it fail a login in place of checking a change.
/// It may be a word with a byte order mark, which is not seen.
fn untyped(root: &Path) -> Option<Finding> {
    let is_untyped = |line: &StackEntry| line.is_checking() && !TYPES.contains(&line.kind.as_str());
    let line = pam_stack::entries_of_module(root).into_iter().find(is_untyped)?;
    let message = format!("{}: {:?} is no type of line, so nothing is checked", line.place(), line.kind);
    let fix = format!("sed -i '{}s/^[[:space:]]*[^[:space:]]*/password/'", line.number);
    Some(
        Finding::wrong(keys::PAM_NOT_IN_STACK, CHECK, message)
            .fix(remedy::on_files(&fix, [line.file.as_path()])),
    )
}

/// A line whose module probably was to be that of the check.
fn misnamed(root: &Path, lines: &[StackEntry]) -> Option<Finding> {
    let line = lines.iter().find(|line| misspelt::is_so(line))?;
    let is_missing = module_files::absent(root)(line) && !line.is_silent;
    let also = if is_missing { format!("; {}", modules::meaning(line).1) } else { String::new() };
    let message = format!(
        "{}: {} is not {MODULE}, so that no line checks new passwords{also}",
        line.place(),
        line.name()
    );
    Some(Finding::wrong(keys::PAM_NOT_IN_STACK, CHECK, message).fix(misspelt::correction(line)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{doctor::sample, host::pam_stack::Stack};

    #[test]
    fn a_misspelt_module_has_one_finding_with_its_command() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["etc/pam.d", "usr/lib/security"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join("usr/lib/security/pam_unix.so"), "").unwrap();
        let lines = "password requisite pam_naermiss.so retry=3\npassword required pam_unix.so use_authtok\n";
        fs::write(root.path().join("etc/pam.d/passwd"), lines).unwrap();
        let stack = Stack::of_service(root.path(), "passwd");
        let found = of_service(&Subject { stack, ..sample::subject(root.path()) }, None);
        let [finding] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(finding.key.as_deref(), Some(keys::PAM_NOT_IN_STACK.as_str()));
        assert!(finding.message.ends_with("checks new passwords; nobody can change a password"), "{found:?}");
        assert!(finding.fix.as_ref().unwrap().starts_with("sed -i -e '1s/"), "{found:?}");
    }

    #[test]
    fn a_word_that_is_no_type_is_shown_with_what_cannot_be_seen_and_replaced() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("etc/pam.d")).unwrap();
        let file = root.path().join("etc/pam.d/passwd");
        let path = file.display();
        for (line, shown) in [
            ("\u{feff}password requisite pam_nearmiss.so retry=3", r"\u{feff}password"),
            (" pasword requisite pam_nearmiss.so", "pasword"),
        ] {
            fs::write(&file, format!("# first\n{line}\n")).unwrap();
            let found = untyped(root.path()).unwrap();
            assert_eq!(
                (found.message, found.fix),
                (
                    format!("{path}:2: \"{shown}\" is no type of line, so nothing is checked"),
                    Some(format!("sed -i '2s/^[[:space:]]*[^[:space:]]*/password/' {path}"))
                )
            );
        }
        for line in ["-Password requisite pam_nearmiss.so", "x optional pam_nearmiss.so record"] {
            fs::write(&file, line).unwrap();
            assert!(untyped(root.path()).is_none(), "{line}");
        }
    }
}
