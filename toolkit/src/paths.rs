//! Paths as the library wants them: absolute, real folders all the way.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The real path of a file named on the command line, symbolic links resolved: whoever typed the name chose the
/// file, and the library then trusts or refuses what is really there. A file that does not exist keeps its name.
pub fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}
