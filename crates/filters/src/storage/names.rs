//! Names of files that belong to another.

use std::path::{Path, PathBuf};

/// The path with this ending appended: `words.filter` and `.sources` give `words.filter.sources`.
pub fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
