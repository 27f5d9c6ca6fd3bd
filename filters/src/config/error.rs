//! Why a configuration cannot be used.

use std::{error::Error, fmt, path::PathBuf};

use crate::storage::StorageError;

/// What is wrong with a configuration file.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read or is not trusted.
    Storage(StorageError),
    /// The file is no UTF-8 text.
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
    /// The text is no TOML, or has an unknown key, a wrong type or an impossible value.
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and what, with the line.
        source: Box<toml::de::Error>,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Storage(error) => write!(f, "{error}"),
            ConfigError::NotUtf8 { path } => write!(f, "{}: is not UTF-8 text", path.display()),
            ConfigError::Parse { path, source } => {
                write!(f, "{}: {}", path.display(), source.to_string().trim_end())
            }
        }
    }
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ConfigError::Storage(error) => Some(error),
            ConfigError::NotUtf8 { .. } => None,
            ConfigError::Parse { source, .. } => Some(source),
        }
    }
}
