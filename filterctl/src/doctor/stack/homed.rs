//! Accounts of systemd-homed: `pam_systemd_home` sets their passwords, which a check behind it does not see.
//! The account of a copy is in the files of the machine, so that no change there shows it.

use std::{fs, path::Path};

use nearmiss_cli::{finding::Finding, keys};

use super::{
    CHECK,
    edits::{self, Edits},
};
use crate::{
    doctor::remedy,
    host::pam_stack::{MODULE, Stack, StackEntry},
};

const HOMED: &str = "pam_systemd_home.so";

/// The records of accounts, each in a file of its own (homectl(1)).
const RECORDS: &str = "var/lib/systemd/home";

/// What is wrong with a stack, if this system has such accounts.
pub(super) fn examine(root: &Path, stack: &Stack) -> Option<Finding> {
    let (before, rest) = stack.lines.split_at_checked(stack.checking()?)?;
    let (check, at) = (rest.first()?, before.iter().position(|line| line.name() == HOMED)?);
    let homed = before.get(at)?;
    let records = fs::read_dir(root.join(RECORDS)).ok()?.flatten();
    let is_record = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|end| end == "identity");
    if !records.into_iter().any(|entry| is_record(&entry)) {
        return None;
    }
    let message = format!(
        "{}: {HOMED} sets the passwords of accounts of systemd-homed before {MODULE} checks them",
        homed.place()
    );
    let moved = moved(homed, check, before.len().saturating_sub(at));
    let fix = moved.map_or_else(|| remedy::edit(homed), |edits| edits.command());
    Some(Finding::wrong(keys::PAM_ORDER, CHECK, message).fix(fix))
}

/// The check before that line, with a jump over the check that is shorter by it; none if it takes an editor:
/// a check in another file is that of other services, too.
fn moved(homed: &StackEntry, check: &StackEntry, distance: usize) -> Option<Edits> {
    if check.has("use_authtok") || check.has("use_first_pass") || check.file != homed.file {
        return None;
    }
    let edits = Edits::default().before(homed, &edits::text_of(check)).delete(check);
    let Some((_, rest)) = homed.control.split_once("[success=") else { return Some(edits) };
    let jump = rest.split([' ', ']']).next().and_then(|text| text.parse::<usize>().ok());
    match jump.filter(|jump| *jump >= distance) {
        None => Some(edits),
        Some(1) => None,
        Some(jump) => {
            let shorter = format!("[success={}", jump.saturating_sub(1));
            Some(edits.word(homed, &format!("[success={jump}"), &shorter))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The finding for this stack where there is an account, and the stack after its fix.
    fn found(text: &str) -> Option<(String, String)> {
        let root = tempfile::tempdir().unwrap();
        for folder in ["etc/pam.d", RECORDS] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let file = root.path().join("etc/pam.d/passwd");
        fs::write(&file, text).unwrap();
        let stack = Stack::of_service(root.path(), "passwd").unwrap();
        assert!(examine(root.path(), &stack).is_none(), "there is no account");
        fs::write(root.path().join(RECORDS).join("ann.identity"), "{}").unwrap();
        let finding = examine(root.path(), &stack)?;
        let fix = finding.fix.unwrap();
        if fix.starts_with("sed ") {
            assert!(Command::new("sh").args(["-c", &fix]).status().unwrap().success());
        }
        assert!(finding.message.contains("passwd:1: pam_systemd_home.so sets"), "{}", finding.message);
        Some((fix, fs::read_to_string(file).unwrap()))
    }

    #[test]
    fn the_check_is_moved_before_the_module_that_sets_their_passwords() {
        let (check, unix) =
            ("password requisite pam_nearmiss.so retry=3\n", "password required pam_unix.so\n");
        for (before, after) in [
            ("-password [success=2 default=ignore] pam_systemd_home.so\n", Some("success=1 ")),
            ("-password sufficient pam_systemd_home.so\n", Some("sufficient")),
            ("password [success=1 default=ignore] pam_systemd_home.so\n", None),
        ] {
            let (fix, text) = found(&format!("{before}{check}{unix}")).unwrap();
            match after {
                Some(control) => {
                    let fixed = before.replace("success=2 ", control);
                    assert_eq!(text, format!("{check}{fixed}{unix}"), "{fix}");
                }
                None => assert!(fix.starts_with("vi +1 "), "{fix}"),
            }
        }
        assert!(found(&format!("{check}-password sufficient pam_systemd_home.so\n{unix}")).is_none());
    }

    #[test]
    fn the_check_is_not_taken_out_of_a_file_that_other_services_read() {
        let line = |file: &str, text: &str| StackEntry {
            file: file.into(),
            number: 1,
            ..StackEntry::parse(text).unwrap()
        };
        let homed = line("/etc/pam.d/login", "password sufficient pam_systemd_home.so");
        let check = |file: &str| line(file, "password requisite pam_nearmiss.so retry=3");
        assert!(moved(&homed, &check("/etc/pam.d/common-password"), 1).is_none());
        assert!(moved(&homed, &check("/etc/pam.d/login"), 1).is_some());
    }
}
