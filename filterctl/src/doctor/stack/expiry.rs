//! The line `record force-change`, whose result makes the next line expire a password. Without that line the
//! result is that of the stack: the change reports an error although the password is set.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};

use super::{CHECK, edits::Edits};
use crate::host::pam_stack::{self, HELPER, StackEntry};

/// Examines the lines of all services.
pub(super) fn examine(root: &Path) -> Vec<Finding> {
    let lines = pam_stack::entries_of_module(root);
    let is_expiring =
        |line: &&StackEntry| line.kind == "password" && line.has("record") && line.has("force-change");
    lines.iter().filter(is_expiring).filter(|line| !is_followed(root, line)).map(missing).collect()
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
            examine(root.path())
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
        assert_eq!(examine(root.path()).len(), 0);
    }

    #[test]
    fn a_line_that_goes_on_in_the_next_one_stays_whole() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("etc/pam.d")).unwrap();
        let file = root.path().join("etc/pam.d/passwd");
        fs::write(&file, STACK.replace("record force-change", "record \\\n  force-change \\\n  debug"))
            .unwrap();
        let fix = examine(root.path()).remove(0).fix.unwrap();
        assert!(Command::new("sh").args(["-c", &fix]).status().unwrap().success(), "{fix}");
        assert_eq!(examine(root.path()).len(), 0);
        let lines = pam_stack::entries_of_file(Path::new("/"), &file);
        assert!(lines.iter().any(|line| line.has("record") && line.has("debug")), "{fix}");
    }
}
