//! The flags of commands that examine a system: the PAM stack and the configuration to read.

use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};
use nearmiss_cli::paths;
use nearmiss_policy::config::{DEFAULT_PATH, at};

use crate::host::{
    pam_stack::{Stack, StackEntry},
    settings_file::SettingsFile,
};

/// A system: its configuration and the PAM stack of a service.
#[derive(clap::Args)]
pub(crate) struct System {
    /// Read this configuration; default: the one that the line of the PAM stack names, or
    /// /etc/security/nearmiss.conf.
    #[arg(long, value_name = "FILE")]
    conf: Option<PathBuf>,
    /// Examine the system below this folder, which contains etc/pam.d: its PAM stack, settings and units,
    /// and the files that they name. If --conf names a file outside this folder, the paths in that file are
    /// paths of the running system.
    #[arg(long, value_name = "DIR", default_value = "/", value_parser = root())]
    pub(crate) root: PathBuf,
    /// The service whose PAM stack is read; default passwd.
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
}

/// The parser of a `--root`: of a folder that is not there, everything would be said that is true of an empty
/// system. It is made absolute: commands that are printed are for any folder.
pub(crate) fn root() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let whole = paths::absolute(&path).components().collect::<PathBuf>();
        if path.is_dir() { Ok(whole) } else { Err("there is no such folder") }
    })
}

impl System {
    /// True if a configuration is named.
    pub(crate) fn names_conf(&self) -> bool {
        self.conf.is_some()
    }

    /// The service whose stack is read.
    pub(crate) fn service(&self) -> &str {
        self.service.as_deref().unwrap_or("passwd")
    }

    /// True if a service is named.
    pub(crate) fn names_service(&self) -> bool {
        self.service.is_some()
    }

    /// The stack of the service, or of `other`; none if the system has neither.
    pub(crate) fn stack(&self) -> Option<Stack> {
        Stack::of_service(&self.root, self.service())
    }

    /// The file of this absolute path, below the folder that is examined.
    pub(crate) fn below_root(&self, path: &str) -> PathBuf {
        at(&self.root, path.as_ref())
    }

    /// The configuration that `line` of the stack reads, unless one is given.
    pub(crate) fn conf(&self, line: Option<&StackEntry>) -> SettingsFile {
        if let Some(named) = &self.conf {
            return SettingsFile::named(&self.root, named);
        }
        let of_line = line.and_then(|line| line.options().conf);
        SettingsFile::below(&self.root, of_line.as_deref().unwrap_or(Path::new(DEFAULT_PATH)))
    }
}
