//! The configuration, as every command reads it.

use std::path::{Path, PathBuf};

use nearmiss_filters::{
    config::{Config, ConfigError, DEFAULT_PATH, UpdateRules},
    site::{Trouble, Unusable},
};

use crate::{access, failure::Failure, pam_stack::Line, paths};

/// Reads a configuration and its drop-ins.
///
/// # Errors
/// It is missing, not trusted, or has a mistake.
pub(crate) fn load(path: &Path) -> Result<Config, Failure> {
    Config::load(&paths::real(path)).map_err(|error| unusable(&error))
}

/// The configuration that this line of the PAM stack reads, unless one is `given`.
pub(crate) fn in_force(given: Option<&Path>, line: Option<&Line>) -> PathBuf {
    let of_line = || line.and_then(|line| line.value("conf")).map(Path::new);
    given.or_else(of_line).unwrap_or(Path::new(DEFAULT_PATH)).to_owned()
}

/// Reads what `filterctl update` builds.
///
/// # Errors
/// As [`load`], with a mistake in the section `[update]`.
pub(crate) fn update_rules(path: &Path) -> Result<UpdateRules, Failure> {
    UpdateRules::load(&paths::real(path)).map_err(|error| unusable(&error))
}

/// Why it cannot be used; a terminal shows the line of a mistake.
pub(crate) fn unusable(error: &ConfigError) -> Failure {
    let failure = Failure::plain(error.to_string());
    match error.place() {
        Some(place) => failure.with_excerpt(place.to_string()),
        None => failure,
    }
}

/// What to do where the configuration names a filter that is not there.
const MISSING: &str =
    "filterctl update builds the system's filter, filterctl build any other, and --filter names one";

/// A part of the site cannot be used for this act, with what to do about it.
pub(crate) fn not_usable(act: &str, unusable: &Unusable, is_configured: bool) -> Failure {
    let advice = match &unusable.trouble {
        Trouble::Missing(_) if is_configured => MISSING.to_owned(),
        Trouble::Denied(path) => access::advice(path),
        _ => return Failure::new(act, unusable.clone()),
    };
    Failure::plain(format!("{act}: {unusable}; {advice}"))
}
