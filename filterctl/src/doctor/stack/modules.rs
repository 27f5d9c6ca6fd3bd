//! The modules that the lines name.

use std::{fs, path::Path};

use super::CHECK;
use crate::{finding::Finding, pam_stack::Line};

/// Where modules are looked for.
const MODULES: [&str; 5] = [
    "lib/security",
    "lib64/security",
    "usr/lib/security",
    "usr/lib64/security",
    "lib/x86_64-linux-gnu/security",
];

/// A stack that names a module that is not there lets nobody change a password.
pub(super) fn examine(root: &Path, lines: &[Line]) -> Option<Finding> {
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
