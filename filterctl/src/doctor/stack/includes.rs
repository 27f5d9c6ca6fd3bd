//! Lines that include a file which is not there.

use std::path::Path;

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};

use super::{CHECK, edits::Edits, services};
use crate::{
    doctor::remedy,
    host::pam_stack::{Stack, StackEntry},
};

/// Such a line fails, as one of a module that is missing does: libpam needs every file.
pub(super) fn examine(root: &Path, stack: &Stack) -> Vec<Finding> {
    let finding = |line: &StackEntry| {
        let message = format!(
            "{}: includes {}, which does not exist; nobody can change a password",
            line.place(),
            line.module
        );
        let without = Edits::default().comment(line).command();
        let fix = if is_checked_without(root, line) { without } else { remedy::edit(line) };
        Finding::new(keys::PAM_MODULE, CHECK, State::Wrong, message).fix(fix)
    };
    stack.missing.iter().map(finding).collect()
}

/// True if every service whose stack has the line has a check besides: without the line, a stack that has
/// none would set whatever is typed.
fn is_checked_without(root: &Path, line: &StackEntry) -> bool {
    let groups = services::groups(root, "passwd");
    let mut stacks = groups.iter().map(|group| &group.stack);
    let has_line = |stack: &Stack| stack.missing.iter().any(|own| own.place() == line.place());
    stacks.all(|stack| stack.checking().is_some() || !has_line(stack))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_line_of_a_missing_file_becomes_a_comment_where_a_check_is_left() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("etc/pam.d");
        fs::create_dir_all(&folder).unwrap();
        let unix = "password required pam_unix.so use_authtok\n";
        let include = "password include gone\n";
        let check = "password requisite pam_nearmiss.so retry=3\n";
        let path = folder.join("passwd").display().to_string();
        for (text, fix) in [
            (format!("{check}{include}{unix}"), format!("sed -i -e '2s/^/#/' {path}")),
            (format!("{include}{unix}"), format!("vi +1 {path}")),
        ] {
            fs::write(folder.join("passwd"), &text).unwrap();
            let stack = Stack::of_service(root.path(), "passwd").unwrap();
            let [found] = <[Finding; 1]>::try_from(examine(root.path(), &stack)).unwrap();
            assert_eq!(found.fix, Some(fix), "{text}");
        }
        // A shared file: what is left of each service counts.
        fs::write(folder.join("common"), format!("{include}{unix}")).unwrap();
        fs::write(folder.join("passwd"), format!("{check}@include common\n")).unwrap();
        let stack = Stack::of_service(root.path(), "passwd").unwrap();
        for (login, command) in [(check, "sed "), ("", "vi ")] {
            fs::write(folder.join("login"), format!("{login}@include common\n")).unwrap();
            let fix = examine(root.path(), &stack).remove(0).fix.unwrap();
            assert!(fix.starts_with(command), "{login:?}: {fix}");
        }
    }
}
