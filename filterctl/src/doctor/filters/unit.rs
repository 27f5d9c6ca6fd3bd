//! The unit that builds the filter if the system starts without one.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};

use crate::host::systemd;

const CHECK: &str = "unit";

/// The unit that builds the filter if the system starts without one.
const UNIT: &str = "nearmiss-filter.service";

/// Checks that the filter is rebuilt at boot if `/var/cache` was emptied; none if systemd does not run.
pub(super) fn examine(root: &Path) -> Option<Finding> {
    if !systemd::runs(root) {
        return None;
    }
    if systemd::is_enabled(root, "multi-user.target", UNIT) {
        let message = format!("{UNIT} builds the filter if the system starts without one");
        return Some(Finding::fine(CHECK, message));
    }
    let message = format!(
        "{UNIT} is not enabled: if /var/cache is emptied, users cannot change passwords until filterctl \
         update is run"
    );
    Some(Finding::warning(keys::UNIT_DISABLED, CHECK, message).fix(systemd::enabling(root, UNIT, "")))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;
    use nearmiss_cli::finding::State;

    #[test]
    fn a_unit_that_is_not_enabled_or_is_masked_is_a_warning_where_systemd_runs() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(examine(root).is_none());
        fs::create_dir_all(root.join("run/systemd/system")).unwrap();
        let state = || examine(root).unwrap().state;
        assert_eq!(state(), State::Warning);
        let wants = root.join("usr/lib/systemd/system/multi-user.target.wants");
        fs::create_dir_all(&wants).unwrap();
        symlink("../nearmiss-filter.service", wants.join(UNIT)).unwrap();
        assert_eq!(state(), State::Fine);
        fs::create_dir_all(root.join("etc/systemd/system")).unwrap();
        symlink("/dev/null", root.join("etc/systemd/system").join(UNIT)).unwrap();
        assert_eq!(state(), State::Warning);
    }
}
