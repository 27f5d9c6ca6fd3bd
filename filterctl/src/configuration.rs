//! The configuration, as every command reads it.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    access,
    failure::{self, Failure, printable, say},
    keys, paths,
};
use nearmiss_filters::{
    dictionary::sizing::{FEWEST_CHARACTERS, is_crowded},
    format::Header,
};
use nearmiss_policy::{
    config::{Config, ConfigError, DictionaryRule, UpdateRules, at},
    site::{Cause, Trouble, Unusable},
};

use crate::{
    flags::system::System,
    host::{pam_stack::StackEntry, settings_file::SettingsFile},
};

/// Reads a configuration and its drop-ins.
///
/// # Errors
/// It is missing, not trusted, or has a mistake.
pub(crate) fn load(path: &Path) -> Result<Config, Failure> {
    load_of(&SettingsFile::of_host(path))
}

/// Reads a configuration and its drop-ins; each file that they name is one of the same system.
///
/// # Errors
/// It is missing, not trusted, has a mistake, or leads out of its system.
pub(crate) fn load_of(settings: &SettingsFile) -> Result<Config, Failure> {
    settings.read().map_err(|error| unusable(&error))
}

/// Reads the specification for `filterctl update`.
///
/// # Errors
/// As [`load`], with a mistake in the section `[update]`.
pub(crate) fn update_rules(settings: &SettingsFile) -> Result<UpdateRules, Failure> {
    UpdateRules::load_below(&settings.root, &settings.path).map_err(|error| unusable(&error))
}

/// The source of a command's rules: the settings and the PAM line of a system, another file, or filters named
/// instead.
#[derive(Clone, Copy)]
pub(crate) struct ConfigRequest<'a> {
    /// The system, and the file that is named.
    pub(crate) system: &'a System,
    /// The filters that are named.
    pub(crate) filters: &'a [PathBuf],
}

impl ConfigRequest<'_> {
    /// True if filters are named and no configuration: nothing of this system is used.
    pub(crate) fn is_bare(self) -> bool {
        !self.system.names_conf() && !self.filters.is_empty()
    }

    /// The line of the PAM stack whose options count; none if the command line names settings or filters.
    pub(crate) fn line(self) -> Option<StackEntry> {
        if self.system.names_conf() || !self.filters.is_empty() {
            return None;
        }
        self.system.stack()?.checking_entry().cloned()
    }

    /// The configuration as the module reads it at its line, or with its filters replaced by the named ones.
    ///
    /// # Errors
    /// As [`load`].
    pub(crate) fn config(self) -> Result<Config, Failure> {
        let line = self.line();
        let settings = self.system.conf(line.as_ref());
        let config = if self.is_bare() { Config::default() } else { load_of(&settings)? };
        let mut config = at_line(config, &settings.root, line.as_ref());
        if !self.filters.is_empty() {
            let rule = |path: &PathBuf| DictionaryRule::new(paths::absolute(path));
            config.dictionaries = self.filters.iter().map(rule).collect();
        }
        Ok(config)
    }

    /// Says on standard error which options of the PAM line override the settings, if it has any.
    pub(crate) fn say_line(self) {
        let Some(line) = self.line() else { return };
        let options = line.overriding();
        if !options.is_empty() {
            let (place, options) = (line.place(), options.join(" "));
            say(&printable(&format!("as at {place}: {options} (--conf or --filter uses other settings)")));
        }
    }
}

/// The configuration as the module reads it at its line of the stack, whose level and filter override it.
pub(crate) fn at_line(mut config: Config, root: &Path, line: Option<&StackEntry>) -> Config {
    let Some(options) = line.map(StackEntry::options) else { return config };
    if let Some(level) = options.enforce {
        config.enforce_all(level);
    }
    if let Some(filter) = options.filter {
        (config.dictionaries, config.packaged) = (vec![DictionaryRule::new(at(root, &filter))], false);
    }
    config
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
