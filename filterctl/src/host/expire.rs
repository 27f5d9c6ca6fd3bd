//! The program that makes a password expire, for the line of a stack behind `force-change`.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_policy::config::at;

/// Its path.
pub(crate) const HELPER: &str = "/usr/libexec/nearmiss/expire";

/// True if the system below `root` has it, so that `pam_exec` can run it.
pub(crate) fn has_helper(root: &Path) -> bool {
    let helper = at(root, HELPER.as_ref());
    fs::metadata(helper).is_ok_and(|file| file.is_file() && file.uid() == 0 && file.mode() & 0o111 != 0)
}

/// The words for a system without it.
pub(crate) fn no_helper() -> String {
    format!("{HELPER} is missing, does not belong to root, or cannot be run")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;

    #[test]
    fn the_helper_is_a_program_of_root() {
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
}
