//! Why a configuration cannot be used.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a text of at most 64 KiB")]

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

use super::document::Mistake;
use crate::storage::StorageError;

/// What is wrong with a configuration file.
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
    /// A key is unknown or missing, or a value has a wrong type or is an impossible one.
    Value {
        /// The file.
        path: PathBuf,
        /// Where and what.
        place: Place,
    },
    /// The text is not TOML.
    Parse {
        /// The file.
        path: PathBuf,
        /// Where and what, with the line.
        message: String,
    },
}

/// A value in a configuration file that is not what it has to be.
#[derive(Debug)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The first character of the value in its line, from 1.
    pub column: usize,
    /// How many characters of the line belong to the value.
    pub width: usize,
    /// The line as it stands in the file.
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

/// As toml's own errors.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, lead) = (self.line.to_string(), self.column.saturating_sub(1));
        let gutter = " ".repeat(number.len());
        writeln!(f, "TOML parse error at line {number}, column {}", self.column)?;
        writeln!(f, "{gutter} |\n{number} | {}", self.text)?;
        writeln!(f, "{gutter} | {}{}", " ".repeat(lead), "^".repeat(self.width))?;
        write!(f, "{}", self.words)
    }
}

impl ConfigError {
    pub(super) fn value(path: &Path, text: &str, mistake: Mistake) -> ConfigError {
        ConfigError::Value { path: path.to_owned(), place: Place::new(text, mistake) }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Storage(error) => write!(f, "{error}"),
            ConfigError::NotUtf8 { path } => write!(f, "{}: is not UTF-8 text", path.display()),
            ConfigError::Value { path, place } => write!(f, "{}: {place}", path.display()),
            ConfigError::Parse { path, message } => write!(f, "{}: {message}", path.display()),
        }
    }
}

impl Error for ConfigError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ConfigError::Storage(error) => Some(error),
            ConfigError::NotUtf8 { .. } | ConfigError::Value { .. } | ConfigError::Parse { .. } => None,
        }
    }
}
