//! Whether systemd runs a system, and which of its units start with it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nearmiss_filters::storage::{Place, StorageError, make_folders};

use super::shell::quoted;

/// The folder of the administrator's units.
const OWN_UNITS: &str = "etc/systemd/system";

/// The folder of the packages' units.
const PACKAGED_UNITS: &str = "usr/lib/systemd/system";

/// True if systemd runs the system below this root: `sd_booted(3)`.
pub(crate) fn runs(root: &Path) -> bool {
    root.join("run/systemd/system").exists()
}

/// True if this target starts the unit, and the administrator did not mask it.
pub(crate) fn is_enabled(root: &Path, target: &str, unit: &str) -> bool {
    !is_masked(root, unit) && is_wanted(root, target, unit)
}

/// The command that enables the unit of this system, with an option, as its own word.
pub(crate) fn enabling(root: &Path, unit: &str, option: &str) -> String {
    let of_root = if root == Path::new("/") { String::new() } else { format!("--root={} ", quoted(root)) };
    let unmask =
        if is_masked(root, unit) { format!("systemctl {of_root}unmask {unit} && ") } else { String::new() };
    format!("{unmask}systemctl {of_root}enable {option}{unit}")
}

/// True if the administrator masked the unit.
fn is_masked(root: &Path, unit: &str) -> bool {
    fs::read_link(root.join(OWN_UNITS).join(unit)).is_ok_and(|to| to == Path::new("/dev/null"))
}

/// True if this target starts the unit: a link in the target's folder, as `systemctl enable` makes it.
fn is_wanted(root: &Path, target: &str, unit: &str) -> bool {
    [OWN_UNITS, PACKAGED_UNITS].iter().any(|units| fs::read_link(want(root, units, target, unit)).is_ok())
}

/// Lets the target start a unit of a package in a system that systemd does not run now, such as an image:
/// the link of `systemctl --root enable`, which needs no systemctl.
///
/// # Errors
/// [`StorageError`]: the link cannot be created.
pub(crate) fn enable(root: &Path, target: &str, unit: &str) -> Result<(), StorageError> {
    let link = want(root, OWN_UNITS, target, unit);
    make_folders(link.parent().unwrap_or(root), 0o755)?;
    Place::of(&link)?.link_to(&Path::new("/").join(PACKAGED_UNITS).join(unit))
}

/// Takes the link of [`enable`] back, and its folder if nothing else is in it, as systemctl does.
///
/// # Errors
/// [`StorageError`]: the link cannot be removed.
pub(crate) fn disable(root: &Path, target: &str, unit: &str) -> Result<(), StorageError> {
    let link = want(root, OWN_UNITS, target, unit);
    match Place::of(&link).and_then(|link| link.remove()) {
        Err(error) if error.is_missing() => return Ok(()),
        removed => removed?,
    }
    Place::of(link.parent().unwrap_or(root))?.remove_empty_folder();
    Ok(())
}

/// The folder of the links of [`enable`].
pub(crate) fn own_wants(root: &Path, target: &str) -> PathBuf {
    wants(root, OWN_UNITS, target)
}

fn wants(root: &Path, units: &str, target: &str) -> PathBuf {
    root.join(units).join(format!("{target}.wants"))
}

fn want(root: &Path, units: &str, target: &str, unit: &str) -> PathBuf {
    wants(root, units, target).join(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_unit_is_unmasked_first_in_its_own_system() {
        let folder = tempfile::tempdir().unwrap();
        let (root, here) = (folder.path(), Path::new("/"));
        assert_eq!(enabling(here, "no-such.timer", "--now "), "systemctl enable --now no-such.timer");
        let of_root = format!("--root={}", quoted(root));
        assert_eq!(enabling(root, "a.timer", ""), format!("systemctl {of_root} enable a.timer"));
        fs::create_dir_all(root.join(OWN_UNITS)).unwrap();
        std::os::unix::fs::symlink("/dev/null", root.join(OWN_UNITS).join("a.timer")).unwrap();
        let unmask = format!("systemctl {of_root} unmask a.timer && systemctl {of_root} enable a.timer");
        assert_eq!(enabling(root, "a.timer", ""), unmask);
    }

    #[test]
    fn a_unit_is_enabled_and_disabled_where_systemd_does_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let (root, target, unit) = (folder.path(), "timers.target", "a.timer");
        disable(root, target, unit).unwrap();
        for _ in 0..2 {
            assert!(!is_wanted(root, target, unit));
            enable(root, target, unit).unwrap();
            enable(root, target, unit).unwrap();
            assert!(is_wanted(root, target, unit) && !is_wanted(root, "multi-user.target", unit));
            let link = root.join("etc/systemd/system/timers.target.wants/a.timer");
            assert_eq!(fs::read_link(link).unwrap(), Path::new("/usr/lib/systemd/system/a.timer"));
            disable(root, target, unit).unwrap();
            assert!(!root.join("etc/systemd/system/timers.target.wants").exists());
        }
    }
}
