//! The fate of an option of another module: the settings that replace it, or the reason why none does.

use std::ops::RangeInclusive;

use nearmiss_policy::policy::MAX_PASSWORD_BYTES;

use super::given::GivenSettings;

/// The reason why rules about kinds of characters have no counterpart.
pub(super) const COMPOSITION: &str = "a rule about kinds of characters; NIST SP 800-63B-4 (section 3.1.1.2) \
                                      forbids such rules";

/// A path that a configuration cannot contain.
pub(super) const NOT_UTF8: &str = "the path is not UTF-8, and is shown as Latin-1; give the file a name in \
                                   UTF-8, and add it to lists in [update]";

/// Words in another encoding.
pub(super) const LATIN_1: &str = "the line is not UTF-8 and was read as Latin-1; check its words";

/// The treatment of an option.
#[derive(Debug, PartialEq)]
pub(super) enum Fate {
    /// These settings mean the same.
    Set(Vec<(String, String)>),
    /// This list becomes part of the packaged filter.
    List(String),
    /// nearmiss always does it, or it has no effect.
    Same,
    /// nearmiss always does part of it.
    Part(String),
    /// The administrator must do this.
    Todo(String),
    /// It has no counterpart.
    None(String),
    /// Its value cannot be parsed, for this reason.
    Unreadable(&'static str),
    /// All of these.
    All(Vec<Fate>),
}

impl Fate {
    /// This setting means the same.
    pub(super) fn set(key: &str, value: &str) -> Fate {
        Fate::Set(vec![(key.to_owned(), value.to_owned())])
    }

    /// nearmiss always does part of it.
    pub(super) fn part(what: impl Into<String>) -> Fate {
        Fate::Part(what.into())
    }

    /// It has no counterpart, for this reason.
    pub(super) fn none(why: impl Into<String>) -> Fate {
        Fate::None(why.into())
    }

    /// Its value cannot be parsed.
    pub(super) fn unreadable(what: &'static str) -> Fate {
        Fate::Unreadable(what)
    }
}

/// A whole number that is a setting of the same meaning.
pub(super) fn whole(key: &str, option: &GivenSettings, range: RangeInclusive<i64>) -> Fate {
    match option.number {
        None => Fate::unreadable("not a whole number"),
        Some(number) if range.contains(&number) => Fate::set(key, &number.to_string()),
        Some(number) => Fate::All(vec![
            Fate::set(key, &number.clamp(*range.start(), *range.end()).to_string()),
            Fate::part(format!("{key} can be {} to {}", range.start(), range.end())),
        ]),
    }
}

/// A minimum length.
pub(super) fn min_length(option: &GivenSettings) -> Fate {
    whole("min_length", option, 1..=i64::try_from(MAX_PASSWORD_BYTES).unwrap_or(i64::MAX))
}

/// The instruction for adding words to the packaged filter.
pub(super) fn of_words(source: &str, name: &str) -> String {
    format!("put {source} into /usr/local/share/dict/{name} and run filterctl update")
}
