//! The configuration, as every command reads it.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    access,
    failure::{self, Failure},
    keys, paths,
};
use nearmiss_filters::{
    dictionary::sizing::{FEWEST_CHARACTERS, is_crowded},
    format::Header,
};
use nearmiss_policy::{
    config::{Config, ConfigError, DEFAULT_PATH, DictionaryRule, UpdateRules},
    site::{Cause, Trouble, Unusable},
};

/// Reads a configuration and its drop-ins.
///
/// # Errors
/// It is missing, not trusted, or has a mistake.
pub(crate) fn load(path: &Path) -> Result<Config, Failure> {
    Config::load(&paths::absolute(path)).map_err(|error| unusable(&error))
}

/// The source of a command's rules: this system's configuration, another file, or filters named instead.
#[derive(Clone, Copy)]
pub(crate) struct ConfigRequest<'a> {
    /// The file that is named.
    pub(crate) conf: Option<&'a Path>,
    /// The filters that are named.
    pub(crate) filters: &'a [PathBuf],
}

impl ConfigRequest<'_> {
    /// True if filters are named and no configuration: nothing of this system is used.
    pub(crate) fn is_bare(self) -> bool {
        self.conf.is_none() && !self.filters.is_empty()
    }

    /// The configuration, with its filters replaced by the named ones.
    ///
    /// # Errors
    /// As [`load`].
    pub(crate) fn config(self) -> Result<Config, Failure> {
        let path = self.conf.unwrap_or(Path::new(DEFAULT_PATH));
        let mut config = if self.is_bare() { Config::default() } else { load(path)? };
        if !self.filters.is_empty() {
            let rule = |path: &PathBuf| DictionaryRule::new(paths::absolute(path));
            config.dictionaries = self.filters.iter().map(rule).collect();
        }
        Ok(config)
    }
}

/// Reads the specification for `filterctl update`.
///
/// # Errors
/// As [`load`], with a mistake in the section `[update]`.
pub(crate) fn update_rules(path: &Path) -> Result<UpdateRules, Failure> {
    UpdateRules::load(&paths::absolute(path)).map_err(|error| unusable(&error))
}

/// The error for a configuration that cannot be used; a terminal shows the line of a mistake.
pub(crate) fn unusable(error: &ConfigError) -> Failure {
    let failure = Failure::plain(error, error.to_string());
    match error.place() {
        Some(place) => failure.with_excerpt(place.to_string()),
        None => failure,
    }
}

/// The fix for a configuration that names a missing filter.
const MISSING: &str =
    "filterctl update builds the system's filter, filterctl build any other, and --filter names one";

/// The error for a part of the site that cannot be used for this act, with the fix.
pub(crate) fn not_usable(act: &str, unusable: &Unusable, is_configured: bool) -> Failure {
    let advice = match (unusable.cause, &unusable.trouble) {
        (Cause::Filter, Trouble::Missing(_)) if is_configured => MISSING.to_owned(),
        (Cause::Filter, Trouble::Denied(path)) => access::advice(path),
        _ => return Failure::new(act, unusable.clone()),
    };
    Failure::plain(unusable.key, format!("{act}: {unusable}; {advice}"))
}

/// Warns that a large near filter rejects short passwords that are near a word by chance, regardless of its
/// false rejection rate, if this configuration allows passwords so short.
pub(crate) fn warn_of_crowding(filter: &Path, header: &Header, conf: &Path) {
    let min_length = Config::load(&paths::absolute(conf)).unwrap_or_default().policy.min_length;
    if is_crowded(header, min_length) {
        let words = crowding(&header.words.to_string(), min_length);
        failure::warn(keys::FILTER_CROWDED, &format!("{}: {words}", filter.display()));
    }
}

/// The effect of a near filter of this many words on short passwords, and the fix.
pub(crate) fn crowding(words: &str, min_length: usize) -> String {
    format!(
        "a near filter of {words} words rejects many random passwords shorter than {FEWEST_CHARACTERS} \
         characters, and min_length is {min_length}; set min_length = {FEWEST_CHARACTERS}, or use it with \
         match = \"exact\" (filterctl build --match exact also makes it smaller)"
    )
}
