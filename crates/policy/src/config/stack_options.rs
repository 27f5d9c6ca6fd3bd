//! The arguments of the module's line in `/etc/pam.d`, for the module and for programs that examine a stack.
//!
//! A mistake in them must not prevent users from changing a password: the module reports it to the system
//! log, the default applies, and the rest of the line is used.

use std::{
    error::Error,
    ffi::OsStr,
    fmt,
    ops::RangeInclusive,
    os::unix::ffi::OsStrExt,
    path::{Component, Path, PathBuf},
    str::FromStr,
};

use nearmiss_filters::keys::{self, Keyed, MessageKey};

use super::{Enforce, LineRules, LogRule, MAX_SUGGESTIONS, document::nearest};

/// The highest value of `retry=`.
const MAX_TRIES: u32 = 100;

/// The task of the module on a line of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Prompt for the new password and check it.
    #[default]
    Check,
    /// `record`: after the password was set, count it in the ladder, and judge it if it was not checked.
    Record,
    /// `submit`: at a login, count a password that was set before the ladder existed.
    Submit,
    /// `failed`: after a login failed, count its password as a guess.
    Failed,
    /// `passed`: after a successful login, check whether its password is often guessed, or leaked.
    Passed,
    /// `notify`: warn the owner of such a password.
    Notify,
}

/// The options on one line of the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a separate switch on the line")]
pub struct Options {
    /// The task of the line.
    pub mode: Mode,
    /// `debug`: log each decision with its reason.
    pub debug: bool,
    /// `retry=N`: the number of attempts that the user has.
    pub tries: u32,
    /// True if the line sets `retry`.
    pub has_retry: bool,
    /// `enforce=LEVEL`: the effect of a weak password, overriding the configuration.
    pub enforce: Option<Enforce>,
    /// The decisions that are logged: set by the configuration, not by the line.
    pub log: LogRule,
    /// `use_authtok` or `use_first_pass`: check the password that an earlier module set, and never prompt for
    /// one.
    pub use_existing_password: bool,
    /// `enforce_for_root`: root's passwords are rejected like any user's.
    pub enforce_for_root: bool,
    /// `local_users_only`: users who are not in `/etc/passwd` are not checked.
    pub local_users_only: bool,
    /// `codes`: append the reason code to each reason shown to the user.
    pub codes: bool,
    /// `force-change`: with `notify`, require the user to change the password; with `record`, have one that
    /// bypassed the check expire.
    pub force_change: bool,
    /// `hint`: show the requirements for a new password before the first prompt.
    pub hint: bool,
    /// `suggest=N`: the number of passphrases to suggest; by default the configured one.
    pub suggest: Option<usize>,
    /// `conf=/path`: another configuration file.
    pub conf: Option<PathBuf>,
    /// `filter=/path`: this one dictionary filter instead of the configured ones.
    pub filter: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            mode: Mode::Check,
            debug: false,
            tries: 1,
            has_retry: false,
            enforce: None,
            log: LogRule::default(),
            use_existing_password: false,
            enforce_for_root: false,
            local_users_only: false,
            codes: false,
            force_change: false,
            hint: false,
            suggest: None,
            conf: None,
            filter: None,
        }
    }
}

/// An argument that is not understood; the rest of the line still counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// There is no such option.
    Unknown(String),
    /// The value of an option is invalid.
    BadValue {
        /// The whole argument.
        argument: String,
        /// The valid values.
        wanted: &'static str,
    },
}

/// Options without a value.
const WORDS: &str = "codes debug enforce_for_root failed force-change hint local_users_only notify passed \
                     record submit try_first_pass use_authtok use_first_pass";

/// Options with a value.
const NAMES: &str = "authtok_type conf enforce filter retry suggest";

impl Mistake {
    /// The argument as written on the line.
    pub fn argument(&self) -> &str {
        match self {
            Mistake::Unknown(argument) | Mistake::BadValue { argument, .. } => argument,
        }
    }

    /// The argument that was probably meant, if there is one.
    pub fn meant(&self) -> Option<String> {
        let lower = self.argument().to_ascii_lowercase().replace('-', "_").replace(':', "=");
        let spelt = match lower.split_once('=') {
            None => nearest(&lower, WORDS)?.to_owned(),
            Some((name, value)) => match nearest(name, NAMES)? {
                "enforce" => format!("enforce={}", nearest(value, Enforce::NAMES)?),
                // The case of a path counts.
                name @ ("conf" | "filter") => format!("{name}={}", self.argument().split_once(['=', ':'])?.1),
                name => format!("{name}={value}"),
            },
        };
        let (_, mistakes) = Options::parse([spelt.as_bytes()]);
        (mistakes.is_empty() && spelt != self.argument()).then_some(spelt)
    }
}

impl Keyed for Mistake {
    fn key(&self) -> MessageKey {
        keys::OPTION_IGNORED
    }
}

impl Error for Mistake {}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::Unknown(argument) => write!(f, "unknown option ignored: {argument}"),
            Mistake::BadValue { argument, wanted } => {
                write!(f, "option ignored: {argument}: expected {wanted}")
            }
        }
    }
}

impl Options {
    /// Reads the arguments; later ones win over earlier ones.
    pub fn parse<'a>(arguments: impl IntoIterator<Item = &'a [u8]>) -> (Options, Vec<Mistake>) {
        let mut options = Options::default();
        let parsed = arguments.into_iter().filter_map(|argument| options.take(argument).err());
        let mistakes = parsed.collect();
        (options, mistakes)
    }

    fn take(&mut self, argument: &[u8]) -> Result<(), Mistake> {
        match split(argument) {
            (b"debug", None) => self.debug = true,
            (b"record", None) => self.mode = Mode::Record,
            (b"submit", None) => self.mode = Mode::Submit,
            (b"failed", None) => self.mode = Mode::Failed,
            (b"passed", None) => self.mode = Mode::Passed,
            (b"notify", None) => self.mode = Mode::Notify,
            (b"force-change", None) => self.force_change = true,
            (b"use_authtok" | b"use_first_pass", None) => self.use_existing_password = true,
            (b"enforce_for_root", None) => self.enforce_for_root = true,
            (b"local_users_only", None) => self.local_users_only = true,
            (b"codes", None) => self.codes = true,
            (b"hint", None) => self.hint = true,
            (b"suggest", Some(value)) => self.suggest = Some(suggestions(argument, value)?),
            // libpam does this anyway (`try_first_pass`), or reads it from the line itself (`authtok_type`).
            (b"try_first_pass", None) | (b"authtok_type", Some(_)) => {}
            (b"retry", Some(value)) => {
                self.tries = number(argument, value, 1..=MAX_TRIES, "a number from 1 to 100")?;
                self.has_retry = true;
            }
            (b"enforce", Some(value)) => self.enforce = Some(enforce(argument, value)?),
            (b"conf", Some(value)) => self.conf = Some(path(argument, value)?),
            (b"filter", Some(value)) => self.filter = Some(path(argument, value)?),
            _ => return Err(Mistake::Unknown(lossy(argument))),
        }
        Ok(())
    }

    /// The same with the options of the configuration; those on the line win.
    #[must_use]
    pub fn with_rules(&self, rules: LineRules, log: LogRule) -> Options {
        let retry = rules.retry.filter(|_| !self.has_retry);
        Options {
            tries: retry.and_then(|tries| u32::try_from(tries).ok()).unwrap_or(self.tries),
            enforce_for_root: self.enforce_for_root || rules.enforce_for_root,
            local_users_only: self.local_users_only || rules.local_users_only,
            codes: self.codes || rules.codes,
            debug: self.debug || rules.debug,
            log,
            ..self.clone()
        }
    }
}

fn enforce(argument: &[u8], value: &[u8]) -> Result<Enforce, Mistake> {
    let wanted = "reject, warn or audit";
    Enforce::of(value).ok_or_else(|| Mistake::BadValue { argument: lossy(argument), wanted })
}

fn split(argument: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut parts = argument.splitn(2, |&byte| byte == b'=');
    (parts.next().unwrap_or_default(), parts.next())
}

fn suggestions(argument: &[u8], value: &[u8]) -> Result<usize, Mistake> {
    number(argument, value, 0..=MAX_SUGGESTIONS, "a number from 0 to 9")
}

fn number<N: FromStr + PartialOrd>(
    argument: &[u8],
    value: &[u8],
    range: RangeInclusive<N>,
    wanted: &'static str,
) -> Result<N, Mistake> {
    let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| Mistake::BadValue { argument: lossy(argument), wanted })
}

fn path(argument: &[u8], value: &[u8]) -> Result<PathBuf, Mistake> {
    let path = Path::new(OsStr::from_bytes(value));
    let climbs = path.components().any(|part| part == Component::ParentDir);
    if path.is_absolute() && !climbs {
        return Ok(path.to_owned());
    }
    Err(Mistake::BadValue { argument: lossy(argument), wanted: "an absolute path without '..'" })
}

fn lossy(argument: &[u8]) -> String {
    String::from_utf8_lossy(argument).into_owned()
}

#[cfg(test)]
mod tests;
