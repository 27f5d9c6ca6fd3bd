//! Why a configuration cannot be used.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a text of at most 64 KiB")]

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    keys::{self, Keyed, MessageKey},
    storage::StorageError,
};

use super::document::Mistake;

/// An error in a configuration file.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read or is not trusted.
    Storage(StorageError),
    /// The file is not UTF-8 text.
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
    /// The text is not TOML, a key is unknown or missing, or a value has a wrong type or is invalid.
    Value {
        /// The file.
        path: PathBuf,
        /// The position and the error.
        place: Place,
    },
}

/// The position of an error in a configuration file.
#[derive(Debug)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The first character of the value in its line, from 1.
    pub column: usize,
    /// The length of the value, in characters.
    pub width: usize,
    /// The line as written in the file.
    pub text: String,
    /// What is wrong.
    pub words: String,
}

impl Place {
    fn new(text: &str, mistake: Mistake) -> Place {
        let before = text.get(..mistake.span.start).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let lead = before.get(start..).unwrap_or_default().chars().count();
        let value = text.get(mistake.span).and_then(|value| value.lines().next()).unwrap_or_default();
        Place {
            line: before.matches('\n').count() + 1,
            column: lead + 1,
            width: value.chars().count().max(1),
            text: line.to_owned(),
            words: mistake.words,
        }
    }
}

/// The line, with marks below the value, for a terminal.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, lead) = (self.line.to_string(), self.column.saturating_sub(1));
        let gutter = " ".repeat(number.len());
        writeln!(f, "{gutter} |\n{number} | {}", self.text)?;
        write!(f, "{gutter} | {}{}", " ".repeat(lead), "^".repeat(self.width))
    }
}

impl ConfigError {
    pub(super) fn value(path: &Path, text: &str, mistake: Mistake) -> ConfigError {
        ConfigError::Value { path: path.to_owned(), place: Place::new(text, mistake) }
    }

    /// The position of the error, if it is an error in the text.
    pub fn place(&self) -> Option<&Place> {
        match self {
            ConfigError::Value { place, .. } => Some(place),
            ConfigError::Storage(_) | ConfigError::NotUtf8 { .. } => None,
        }
    }
}

/// One sentence that names file and line.
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Storage(error) => write!(f, "{error}"),
            ConfigError::NotUtf8 { path } => write!(f, "{}: is not UTF-8 text", path.display()),
            ConfigError::Value { path, place } => {
                write!(f, "{}: line {}: {}", path.display(), place.line, place.words)
            }
        }
    }
}

impl Keyed for ConfigError {
    fn key(&self) -> MessageKey {
        match self {
            ConfigError::Storage(error) => error.key(),
            ConfigError::NotUtf8 { .. } | ConfigError::Value { .. } => keys::CONFIGURATION_MISTAKE,
        }
    }
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ConfigError::Storage(error) => Some(error),
            ConfigError::NotUtf8 { .. } | ConfigError::Value { .. } => None,
        }
    }
}
