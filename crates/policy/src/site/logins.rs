//! Successful logins: whether the password is in a list of leaked ones.
//!
//! The password as typed is looked up in the filters marked for it, one page each, and nothing else: no
//! variants, no neighbours. Words are stored and looked up without case.

use std::path::Path;

use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, FilterError},
    digest::digest_of,
    storage::mapped::Mapped,
    word::Word,
};

use super::{
    Site, Unusable,
    error::OpenError,
    login_counts::{LoginCount, LoginCounts},
    open,
};
use crate::{
    config::{DictionaryRule, Enforce, LogRule, OnError},
    policy::MAX_PASSWORD_BYTES,
};

/// The result of looking up a password in lists of leaked ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Listed {
    /// No filter contains it, or none could be queried.
    #[default]
    No,
    /// A filter contains it.
    Likely,
    /// A filter contains it whose false positive rate is low enough to demand a change: see
    /// [`DictionaryFilter::may_demand_for`].
    Surely,
}

/// The result for the password of a login.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoginLookup {
    /// The result of the filters that could be queried.
    pub listed: Listed,
    /// The first filter that failed.
    pub unusable: Option<Unusable>,
}

/// The log entry for a login with a leaked password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginLog {
    /// Nothing.
    Nothing,
    /// The event only.
    Nobody,
    /// The account and the address, too.
    User,
}

impl Site {
    /// Looks up the password of a login; none if there is no filter for logins, or no filter could contain
    /// the password. No result prevents a login.
    pub fn look_up_login(&self, password: &[u8]) -> Option<LoginLookup> {
        let is_possible = (1..=MAX_PASSWORD_BYTES).contains(&password.len());
        let mut lookup = None;
        for rule in self.login_rules().filter(|_| is_possible) {
            let LoginLookup { listed, unusable } = lookup.get_or_insert_default();
            match self.login_filter(rule).and_then(|filter| look_up(&filter, password)) {
                Ok(found) => *listed = found.max(*listed),
                Err(error) => *unusable = unusable.take().or_else(|| Some(not_asked(&error))),
            }
        }
        lookup
    }

    /// Counts a login whose password was looked up, if possible. Returns what to log about it.
    pub fn count_login(&self, lookup: &LoginLookup) -> LoginLog {
        let counter = match (lookup.listed, &lookup.unusable) {
            (Listed::No, None) => LoginCount::Other,
            (Listed::No, Some(_)) => LoginCount::Unchecked,
            (Listed::Likely | Listed::Surely, _) => LoginCount::Leaked,
        };
        LoginCounts::add(&self.config.guesses.seen, counter);
        match (lookup.listed, self.config.log, self.config.log_users) {
            (Listed::No, ..) | (_, LogRule::None, _) => LoginLog::Nothing,
            (_, _, false) => LoginLog::Nobody,
            (_, _, true) => LoginLog::User,
        }
    }

    /// The filters for logins: each opened now, or the reason why it cannot be used.
    pub fn login_filters(&self) -> impl Iterator<Item = (&Path, Result<DictionaryFilter<Mapped>, Unusable>)> {
        self.login_rules()
            .map(|rule| (rule.file.as_path(), self.login_filter(rule).map_err(|error| not_asked(&error))))
    }

    fn login_rules(&self) -> impl Iterator<Item = &DictionaryRule> {
        self.config.dictionaries.iter().filter(|rule| rule.logins)
    }

    fn login_filter(&self, rule: &DictionaryRule) -> Result<DictionaryFilter<Mapped>, OpenError> {
        open::login_filter(&self.walk, &self.config, rule)
    }
}

/// Looks up the password as typed.
fn look_up(filter: &DictionaryFilter<Mapped>, password: &[u8]) -> Result<Listed, OpenError> {
    let result = match digest_of(filter.header().kind, password) {
        Some(digest) => listed(filter, &digest),
        None => match Word::clean(password) {
            Ok(word) if filter.knows_members() => listed(filter, word.as_bytes()),
            Ok(word) => filter.contains(&word, &mut Buffers::default()).map(likely),
            // Longer than any word.
            Err(_) => Ok(Listed::No),
        },
    };
    result.map_err(OpenError::Filter)
}

/// Looks up an entry; the false positive rate of its page decides whether a change may be demanded.
fn listed(filter: &DictionaryFilter<Mapped>, entry: &[u8]) -> Result<Listed, FilterError> {
    Ok(match filter.contains_entry(entry)? {
        true if filter.may_demand_for(entry)? => Listed::Surely,
        is_there => likely(is_there),
    })
}

fn likely(is_there: bool) -> Listed {
    if is_there { Listed::Likely } else { Listed::No }
}

/// No login is blocked by a filter, independent of the settings for changes.
fn not_asked(error: &OpenError) -> Unusable {
    Unusable::filter(error, OnError::Allow, Enforce::Audit)
}
