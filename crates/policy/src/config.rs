//! `/etc/security/nearmiss.conf`: one TOML file and its drop-ins, read by the module and by `filterctl`
//! alike.
//!
//! Every value has a default. Unknown keys and wrong types are errors that point at the line: a misspelt rule
//! is never silently ignored. Without the file, `VENDOR_PATH` is read, and without either the defaults apply.
//! Files in `nearmiss.conf.d/` whose names end in `.conf` are read after the main file in the order of their
//! names; a value given later replaces the earlier one, and dictionaries are added.

mod apply;
mod document;
mod enforcement;
mod error;
mod fleet;
mod guesses;
mod guidance;
mod keys;
mod load;
mod rooted;
mod settings;
pub mod stack_options;
mod update;

use std::path::{Path, PathBuf};

pub use enforcement::{Enforce, LineRules, LogRule};
pub use error::{ConfigError, Place};
pub use fleet::FleetRules;
pub(crate) use guesses::network_of;
pub use guesses::{GuessRules, Network, Origin, Repeats, SEEN_FAILURES};
pub(crate) use guidance::MAX_SUGGESTIONS;
pub use guidance::{DEFAULT_BITS, DEFAULT_WORDS, Guidance, MAX_BITS, MIN_BITS};
pub use load::{MAX_BYTES, at, drop_in_folder, files, files_below, main_files};
pub use rooted::stays_below;
pub use settings::{Setting, Value, settings};
pub use update::{FILTER_GROUP, LIST_FOLDERS, ListColumns, UpdateRules};

use crate::policy::Policy;
use nearmiss_filters::{format::Match, ladder::LadderFiles};

/// The path of the configuration when no other is named.
pub const DEFAULT_PATH: &str = "/etc/security/nearmiss.conf";

/// The file that is read if it does not exist: that of the maker of an image or a distribution. The drop-ins
/// are still the ones of [`DEFAULT_PATH`].
pub(crate) const VENDOR_PATH: &str = "/usr/share/nearmiss/nearmiss.conf";

/// The dictionary filter used when the configuration names none.
pub const DEFAULT_DICTIONARY: &str = "/var/cache/nearmiss/words.filter";

/// The second packaged filter, which is queried for exact matches only: everyday words and names of many
/// languages, and installed dictionaries that are too large for near matches.
pub const EXACT_DICTIONARY: &str = "/var/cache/nearmiss/exact.filter";

/// The packaged filters, in the order of lookups.
pub const PACKAGED: [&str; 2] = [DEFAULT_DICTIONARY, EXACT_DICTIONARY];

/// True for a filter that `filterctl update` builds.
pub fn is_packaged(file: &Path) -> bool {
    PACKAGED.iter().any(|packaged| file == Path::new(packaged))
}

/// The ladder's array, and its key in another directory.
pub(crate) const DEFAULT_LADDER: &str = "/var/lib/nearmiss/chosen.ladder";

/// See [`DEFAULT_LADDER`].
pub(crate) const DEFAULT_LADDER_KEY: &str = "/etc/nearmiss/ladder.key";

/// The effect of a missing or damaged filter on a password change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Reject the password, and report that the administrator's filter is at fault.
    #[default]
    Reject,
    /// Accept the password and log it.
    Allow,
}

/// A dictionary filter to query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DictionaryRule {
    /// The filter file.
    pub file: PathBuf,
    /// Exact matches only, or near matches too; none for the matching that the filter was built for.
    pub matching: Option<Match>,
    /// The effect of a password that it contains; none for the site's level.
    pub enforce: Option<Enforce>,
    /// True if it is queried at logins, too, for the password as typed.
    pub logins: bool,
}

impl DictionaryRule {
    /// This filter, with the matching that it was built for.
    pub fn new(file: PathBuf) -> DictionaryRule {
        DictionaryRule { file, matching: None, enforce: None, logins: false }
    }
}

/// A site's configuration.
///
/// ```
/// use nearmiss_policy::Config;
/// # use std::path::Path;
///
/// let path = Path::new("/etc/site.conf");
/// assert_eq!(Config::parse(path, b"min_length = 12\n")?.policy.min_length, 12);
/// let error = Config::parse(path, b"min_lenght = 12\n").unwrap_err();
/// assert!(error.to_string().contains("min_lenght"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The rules.
    pub policy: Policy,
    /// A file with further words that a password must not contain; once it is read, the policy has them, too.
    pub forbidden_words_file: Option<PathBuf>,
    /// The effect of an unusable filter.
    pub on_error: OnError,
    /// True if every filter is read completely into private memory, even one that only root may read: for
    /// hosts where another container shares the page cache.
    pub private_copy: bool,
    /// The dictionaries to query, in order.
    pub dictionaries: Vec<DictionaryRule>,
    /// The ladder of chosen passwords.
    pub ladder: LadderFiles,
    /// The effect of an unusable ladder: by default the password is accepted without it, since the ladder is
    /// a second opinion.
    pub ladder_on_error: OnError,
    /// The effect of a password that is found weak.
    pub enforce: Enforce,
    /// The same for the findings of the ladder, if that is configured.
    pub ladder_enforce: Option<Enforce>,
    /// True if the packaged filters are queried in addition to the listed dictionaries.
    pub packaged: bool,
    /// The decisions that are logged.
    pub log: LogRule,
    /// The options that a line of the stack may leave to the configuration.
    pub line: LineRules,
    /// The ladder of guessed passwords, which shares the key of the other ladder.
    pub guesses: GuessRules,
    /// The ladders that this host shares with others.
    pub fleet: FleetRules,
    /// The guidance for users before they type a password.
    pub guidance: Guidance,
    /// True if the log names the account and the address of a login with a password that a filter for logins
    /// contains.
    pub log_users: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            policy: Policy::default(),
            forbidden_words_file: None,
            on_error: OnError::default(),
            private_copy: false,
            dictionaries: PACKAGED.map(|file| DictionaryRule::new(file.into())).into(),
            ladder: LadderFiles { file: DEFAULT_LADDER.into(), key: DEFAULT_LADDER_KEY.into() },
            ladder_on_error: OnError::Allow,
            enforce: Enforce::default(),
            ladder_enforce: None,
            packaged: true,
            log: LogRule::default(),
            line: LineRules::default(),
            guesses: GuessRules::default(),
            fleet: FleetRules::default(),
            guidance: Guidance::default(),
            log_users: false,
        }
    }
}

impl Config {
    /// The files of the ladder of guessed passwords.
    pub fn guess_files(&self) -> LadderFiles {
        LadderFiles { file: self.guesses.file.clone(), key: self.ladder.key.clone() }
    }

    /// The effect of a password that a ladder finds too common or often guessed.
    pub(crate) fn enforce_of_ladder(&self) -> Enforce {
        self.ladder_enforce.unwrap_or(self.enforce)
    }

    /// The effect of a password that this dictionary contains.
    pub(crate) fn enforce_of(&self, rule: &DictionaryRule) -> Enforce {
        rule.enforce.unwrap_or(self.enforce)
    }

    /// The strictest level of any part.
    pub fn strictest(&self) -> Enforce {
        let dictionaries = self.dictionaries.iter().map(|rule| self.enforce_of(rule));
        dictionaries.chain([self.enforce, self.enforce_of_ladder()]).min().unwrap_or_default()
    }

    /// The same level for all parts, overriding their own.
    pub fn enforce_all(&mut self, level: Enforce) {
        (self.enforce, self.ladder_enforce) = (level, None);
        for rule in &mut self.dictionaries {
            rule.enforce = None;
        }
    }
}

#[cfg(test)]
mod tests;
