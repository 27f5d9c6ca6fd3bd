//! The configuration, as every command reads it.

use std::path::Path;

use nearmiss_filters::config::{Config, ConfigError};

use crate::{failure::Failure, paths};

/// Reads a configuration and its drop-ins.
///
/// # Errors
/// It is missing, not trusted, or has a mistake.
pub(crate) fn load(path: &Path) -> Result<Config, Failure> {
    Config::load(&paths::real(path)).map_err(|error| unusable(&error))
}

/// A configuration error is several lines that show the place; here they are joined.
fn unusable(error: &ConfigError) -> Failure {
    let text = error.to_string();
    let parts: Vec<&str> = text.lines().map(str::trim).filter(|line| !matches!(*line, "" | "|")).collect();
    Failure::plain(parts.join(": "))
}
