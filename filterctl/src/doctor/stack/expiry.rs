//! The line `record force-change`, whose result makes the next line expire a password. Without that line the
//! result is that of the stack: the change reports an error although the password is set.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};

use super::{CHECK, edits::Edits};
use crate::host::{
    expire::{HELPER, has_helper, no_helper},
    pam_stack::{self, StackEntry},
};

/// Examines the lines of all services.
pub(super) fn examine(root: &Path) -> Vec<Finding> {
    examined(root, has_helper(root))
}

fn examined(root: &Path, has_helper: bool) -> Vec<Finding> {
    let lines = pam_stack::entries_of_module(root);
    let is_expiring =
        |line: &&StackEntry| line.kind == "password" && line.has("record") && line.has("force-change");
    let of_line = |line: &StackEntry| match is_followed(root, line) {
        false => Some(missing(line)),
        true if !has_helper => Some(without_helper(line)),
        true => None,
    };
    lines.iter().filter(is_expiring).filter_map(of_line).collect()
}

/// True if the next line of the same kind runs the helper.
fn is_followed(root: &Path, line: &StackEntry) -> bool {
    let lines = pam_stack::entries_of_file(root, &line.file);
    let next = lines.iter().find(|next| next.number > line.number && next.kind == line.kind);
    next.is_some_and(StackEntry::runs_helper)
}

fn missing(line: &StackEntry) -> Finding {
    let message = format!(
        "{}: the line record force-change is not followed by pam_exec.so {HELPER}: a change would report an \
         error although the password is set",
        line.place()
    );
    let helper = format!("password optional pam_exec.so quiet seteuid {HELPER}");
    Finding::wrong(keys::PAM_ORDER, CHECK, message).fix(Edits::default().after(line, &helper).command())
}

/// A password that was not checked would stay as it is.
fn without_helper(line: &StackEntry) -> Finding {
    let message =
        format!("{}: the line record force-change expires no password: {}", line.place(), no_helper());
    Finding::wrong(keys::PAM_ORDER, CHECK, message)
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use super::*;

    const STACK: &str = "\
        password requisite pam_nearmiss.so retry=3\n\
        password required pam_unix.so use_authtok\n\
        password [default=1 new_authtok_reqd=ignore] pam_nearmiss.so record force-change\n\
        session optional pam_umask.so\n\
        password optional pam_permit.so\n";

    #[test]
    fn the_line_that_expires_a_password_follows_or_is_put_there() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("etc/pam.d")).unwrap();
        let file = root.path().join("etc/pam.d/passwd");
        let found = |text: &str| {
            fs::write(&file, text).unwrap();
            examined(root.path(), true)
        };
        assert_eq!(found(&STACK.replace(" force-change", "")).len(), 0);
        let findings = found(STACK);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.contains("passwd:3: the line record force-change is not followed"));
        let fix = findings[0].fix.as_ref().unwrap();
        assert!(Command::new("sh").args(["-c", fix]).status().unwrap().success(), "{fix}");
        let expected = STACK.replace(
            "force-change\n",
            "force-change\npassword optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire\n",
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
        assert_eq!(examined(root.path(), true).len(), 0);
        let lacking = examine(root.path());
        assert!(lacking[0].message.contains("/usr/libexec/nearmiss/expire is missing"), "{lacking:?}");
    }

    #[test]
    fn a_line_that_goes_on_in_the_next_one_stays_whole() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("etc/pam.d")).unwrap();
        let file = root.path().join("etc/pam.d/passwd");
        fs::write(&file, STACK.replace("record force-change", "record \\\n  force-change \\\n  debug"))
            .unwrap();
        let fix = examined(root.path(), true).remove(0).fix.unwrap();
        assert!(Command::new("sh").args(["-c", &fix]).status().unwrap().success(), "{fix}");
        assert_eq!(examined(root.path(), true).len(), 0);
        let lines = pam_stack::entries_of_file(Path::new("/"), &file);
        assert!(lines.iter().any(|line| line.has("record") && line.has("debug")), "{fix}");
    }
}
