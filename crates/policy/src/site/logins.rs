//! A login that succeeded: is its password in a list of leaked ones?
//!
//! The filters marked for it are asked for the password as it was typed, one page each, and nothing else: no
//! variants, no neighbours. Words are kept without the case of their letters, and found so.

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

/// Whether a list of leaked passwords has a password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Listed {
    /// No filter has it, or none could be asked.
    #[default]
    No,
    /// A filter has it.
    Likely,
    /// One has it that is wrong so seldom that its owner may be made to change it: see
    /// [`DictionaryFilter::may_demand_for`].
    Surely,
}

/// The answer about the password of a login.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoginLookup {
    /// What the filters say that could be asked.
    pub listed: Listed,
    /// The first that could not be asked.
    pub unusable: Option<Unusable>,
}

/// What the log has of a login with a leaked password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginLog {
    /// Nothing.
    Nothing,
    /// That there was one.
    Nobody,
    /// Its account and its address, too.
    User,
}

impl Site {
    /// Looks the password of a login up; none if no filter is for logins, or there is no password that
    /// any could have. No answer keeps anybody from logging in.
    pub fn look_up_login(&self, password: &[u8]) -> Option<LoginLookup> {
        let is_possible = (1..=MAX_PASSWORD_BYTES).contains(&password.len());
        let mut lookup = None;
        for rule in self.login_rules().filter(|_| is_possible) {
            let LoginLookup { listed, unusable } = lookup.get_or_insert_default();
            match self.login_filter(rule).and_then(|filter| ask(&filter, password)) {
                Ok(found) => *listed = found.max(*listed),
                Err(error) => *unusable = unusable.take().or_else(|| Some(not_asked(&error))),
            }
        }
        lookup
    }

    /// Counts a login whose password was looked up; where it cannot be counted, it is not. Returns what is
    /// to be logged of it.
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

    /// The filters for logins: each as it is, opened now, or why it cannot be asked.
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

/// Asks for the password as typed.
fn ask(filter: &DictionaryFilter<Mapped>, password: &[u8]) -> Result<Listed, OpenError> {
    let asked = match digest_of(filter.header().kind, password) {
        Some(digest) => listed(filter, &digest),
        None => match Word::clean(password) {
            Ok(word) if filter.knows_members() => listed(filter, word.as_bytes()),
            Ok(word) => filter.contains(&word, &mut Buffers::default()).map(likely),
            // Longer than any word.
            Err(_) => Ok(Listed::No),
        },
    };
    asked.map_err(OpenError::Filter)
}

/// Asks for an entry; what its page says of strangers decides whether a change may be demanded.
fn listed(filter: &DictionaryFilter<Mapped>, entry: &[u8]) -> Result<Listed, FilterError> {
    Ok(match filter.contains_entry(entry)? {
        true if filter.may_demand_for(entry)? => Listed::Surely,
        is_there => likely(is_there),
    })
}

fn likely(is_there: bool) -> Listed {
    if is_there { Listed::Likely } else { Listed::No }
}

/// No login waits for a filter, whatever the configuration says about changes.
fn not_asked(error: &OpenError) -> Unusable {
    Unusable::filter(error, OnError::Allow, Enforce::Audit)
}
