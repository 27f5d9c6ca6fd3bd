//! The main file of a configuration, of the running system or of another one.

use std::path::{Path, PathBuf};

use nearmiss_cli::paths;
use nearmiss_policy::config::{Config, ConfigError, at};

/// The main file of a configuration, and the root of the system whose files it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    /// `/`, or the folder of another system.
    pub(crate) root: PathBuf,
    /// The file, below the root.
    pub(crate) path: PathBuf,
}

impl SettingsFile {
    /// A file of the running system.
    pub(crate) fn of_host(path: &Path) -> SettingsFile {
        SettingsFile { root: "/".into(), path: paths::absolute(path) }
    }

    /// The file of this path of the system below `root`.
    pub(crate) fn below(root: &Path, path: &Path) -> SettingsFile {
        let root = paths::absolute(root);
        SettingsFile { path: at(&root, path), root }
    }

    /// A file that the command line names: one below `root` is of that system, any other of the running one.
    pub(crate) fn named(root: &Path, path: &Path) -> SettingsFile {
        let (root, path) = (paths::absolute(root), paths::absolute(path));
        if path.starts_with(&root) { SettingsFile { root, path } } else { SettingsFile::of_host(&path) }
    }

    /// The configuration and its drop-ins; each file that they name is one of the same system.
    ///
    /// # Errors
    /// It is missing, not trusted, has a mistake, or leads out of its system.
    pub(crate) fn read(&self) -> Result<Config, ConfigError> {
        Config::load_below(&self.root, &self.path)
    }
}
