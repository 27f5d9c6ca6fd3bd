//! A site for the tests of the flows: a dictionary and a ladder that break on demand, and a record of counted
//! passwords.

use std::{cell::RefCell, path::PathBuf};

use nearmiss_filters::{
    keys,
    ladder::{AccountChoice, Claim, Setter},
};
use nearmiss_policy::{
    config::Enforce,
    policy::{Context, Evidence, Finding, MAX_PASSWORD_BYTES, Policy, Reason},
    site::{Cause, Decision, FailedLogin, Guess, Listed, LoginLog, LoginLookup, Trouble, Unusable},
};

use zeroize::Zeroizing;

use super::Checks;
use crate::messages::{Phrase, sentences};

/// The result of opening the dictionary or the ladder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opened {
    Good,
    /// None was ever made.
    Nothing,
    /// It cannot be used; true if `on_error = "allow"` covers that.
    Damaged {
        allowed: bool,
    },
    /// Not for this process.
    OutOfReach,
    /// A fault of the program.
    Panic,
}

/// A password counted for an account: password, account, shadow field, day.
pub(crate) type Counted = (Vec<u8>, Vec<u8>, Option<Vec<u8>>, u64, Setter);

/// A dictionary that contains `bad`, and a ladder on which `common` is too common. Either breaks on a lookup
/// of `damage` (or `allowed damage`) followed by its name, and both panic on `panic`. The ladder has no room
/// for an account that chose `roomless`.
pub(crate) struct FakeChecks {
    pub(crate) dictionary: Opened,
    pub(crate) ladder: Opened,
    pub(crate) is_configured: bool,
    pub(crate) enforce: Enforce,
    pub(crate) public_filters: Vec<PathBuf>,
    pub(crate) hints: bool,
    /// The suggestions, or an error.
    pub(crate) suggestion: Result<Option<&'static str>, &'static str>,
    pub(crate) counted: RefCell<Vec<Counted>>,
    /// The ladder of guessed passwords, on which `frequent` is often guessed.
    pub(crate) guesses: Opened,
    /// The failed logins that were counted: account, password and remote host.
    pub(crate) failures: RefCell<Vec<[Vec<u8>; 3]>>,
    /// The passwords of logins that took the same time and were not counted.
    pub(crate) left_out: RefCell<Vec<Vec<u8>>>,
    /// The lists for logins, which contain `leaked` surely and `likely leaked` likely.
    pub(crate) lists: Opened,
    pub(crate) login_log: LoginLog,
    /// The logins that were counted.
    pub(crate) logins: RefCell<Vec<LoginLookup>>,
}

impl FakeChecks {
    /// A dictionary in this state, and no ladder.
    pub(crate) fn with_dictionary(dictionary: Opened) -> FakeChecks {
        FakeChecks {
            dictionary,
            ladder: Opened::Nothing,
            is_configured: true,
            enforce: Enforce::Reject,
            public_filters: Vec::new(),
            hints: false,
            suggestion: Ok(None),
            counted: RefCell::default(),
            guesses: Opened::Nothing,
            failures: RefCell::default(),
            left_out: RefCell::default(),
            lists: Opened::Nothing,
            login_log: LoginLog::Nobody,
            logins: RefCell::default(),
        }
    }

    /// A good dictionary, and a ladder in this state.
    pub(crate) fn with_ladder(ladder: Opened) -> FakeChecks {
        FakeChecks { ladder, ..FakeChecks::with_dictionary(Opened::Good) }
    }

    /// A ladder of guessed passwords in this state.
    pub(crate) fn with_guesses(guesses: Opened) -> FakeChecks {
        FakeChecks { guesses, ..FakeChecks::with_dictionary(Opened::Good) }
    }

    /// Lists for logins in this state, and no ladder.
    pub(crate) fn with_lists(lists: Opened) -> FakeChecks {
        FakeChecks { lists, ..FakeChecks::with_dictionary(Opened::Good) }
    }

    /// A site whose configuration has a mistake.
    pub(crate) fn misconfigured() -> FakeChecks {
        FakeChecks { is_configured: false, ..FakeChecks::with_dictionary(Opened::Good) }
    }
}

fn unusable(cause: Cause, is_allowed: bool, detail: &str) -> Unusable {
    let trouble = if cause == Cause::Configuration { Trouble::Mistake } else { Trouble::Damaged };
    let (detail, key) = (detail.to_owned(), keys::FILTER_DAMAGED);
    Unusable { cause, is_allowed, trouble, detail, key, ..Unusable::fault() }
}

fn damaged(cause: Cause, allowed: bool) -> Unusable {
    match cause {
        Cause::Filter => unusable(cause, allowed, "/words.filter: damaged"),
        _ => unusable(cause, allowed, "chosen.ladder:\ndamaged"),
    }
}

fn failure(opened: Opened, cause: Cause) -> Option<Unusable> {
    match opened {
        Opened::Good | Opened::Nothing => None,
        Opened::Damaged { allowed } => Some(damaged(cause, allowed)),
        Opened::OutOfReach => Some(Unusable { is_out_of_reach: true, ..damaged(cause, true) }),
        Opened::Panic => panic!("expected by this test"),
    }
}

/// The part that breaks while this password is examined or counted.
fn breaks_on(password: &[u8], ladder: Opened) -> Option<Unusable> {
    match password {
        b"damage" => Some(damaged(Cause::Filter, false)),
        b"limit" => Some(Unusable { trouble: Trouble::System, ..damaged(Cause::Filter, false) }),
        b"allowed damage" => Some(damaged(Cause::Filter, true)),
        b"damage of ladder" if ladder == Opened::Good => Some(damaged(Cause::Ladder, false)),
        b"allowed damage of ladder" if ladder == Opened::Good => Some(damaged(Cause::Ladder, true)),
        b"panic" => panic!("expected by this test"),
        _ => None,
    }
}

impl FakeChecks {
    fn configured(&self) -> Result<(), Unusable> {
        let mistake = || unusable(Cause::Configuration, false, "nearmiss.conf\nline 3");
        if self.is_configured { Ok(()) } else { Err(mistake()) }
    }

    fn is_guess_ladder_there(&self) -> Result<bool, Unusable> {
        self.configured()?;
        failure(self.guesses, Cause::Guesses).map_or(Ok(self.guesses == Opened::Good), Err)
    }

    fn finding(&self, password: &[u8], context: &Context<'_>) -> Option<Reason> {
        assert_eq!((context.gecos, context.host), (b"Ann Example".as_slice(), b"box".as_slice()));
        match password {
            b"" => Some(Reason::Empty),
            long if long.len() > MAX_PASSWORD_BYTES => Some(Reason::TooLong),
            old if Some(old) == context.old_password => Some(Reason::NearOldPassword),
            b"bad" if self.dictionary == Opened::Good => Some(Reason::Dictionary),
            b"\xd1" if context.in_locale == Some("я".as_bytes()) => Some(Reason::Pattern),
            b"common" if self.ladder == Opened::Good => Some(Reason::TooCommonHere),
            _ => None,
        }
    }
}

impl Checks for FakeChecks {
    fn unusable(&self) -> Vec<Unusable> {
        if let Err(unusable) = self.configured() {
            return vec![unusable];
        }
        let filter = failure(self.dictionary, Cause::Filter);
        filter.into_iter().chain(failure(self.ladder, Cause::Ladder)).collect()
    }

    fn public_filters(&self) -> Vec<PathBuf> {
        self.public_filters.clone()
    }

    fn decide(&self, password: &[u8], context: &Context<'_>) -> Decision {
        let mut failures = self.unusable();
        failures.extend(breaks_on(password, self.ladder));
        let finding = self.finding(password, context);
        let finding = finding.map(|reason| Finding { reason, evidence: Evidence::None });
        Decision { finding, enforce: self.enforce, failures }
    }

    fn hint(&self) -> Option<Phrase> {
        self.hints.then(|| sentences::hint(&Policy::default(), true))
    }

    fn suggested(&self, context: &Context<'_>) -> Result<Option<Phrase>, String> {
        assert_eq!(context.gecos, b"Ann Example");
        let passphrases = self.suggestion?.map(|text| vec![Zeroizing::new(text.to_owned())]);
        Ok(sentences::suggestion(&passphrases.unwrap_or_default()))
    }

    fn has_ladder(&self) -> Result<bool, Unusable> {
        failure(self.ladder, Cause::Ladder).map_or(Ok(self.ladder == Opened::Good), Err)
    }

    fn record(&self, password: &[u8], choice: &AccountChoice<'_>) -> Result<Option<Claim>, Unusable> {
        if !self.has_ladder()? {
            return Ok(None);
        }
        breaks_on(password, self.ladder).map_or(Ok(()), Err)?;
        if password == b"roomless" {
            return Ok(Some(Claim::NoRoom));
        }
        let field = choice.shadow_field.map(<[u8]>::to_vec);
        let mut counted = self.counted.borrow_mut();
        let mut of_account = counted.iter().filter(|(_, account, ..)| account == choice.account);
        if of_account.clone().any(|(_, _, of, ..)| of.is_some() && *of == field) {
            return Ok(Some(Claim::Counted));
        }
        if of_account.any(|(.., day, by)| *day == choice.day && *by == choice.by) {
            return Ok(Some(Claim::Today));
        }
        counted.push((password.to_vec(), choice.account.to_vec(), field, choice.day, choice.by));
        Ok(Some(Claim::Granted))
    }

    fn count_guess(&self, login: &FailedLogin<'_>) -> Result<Guess, Unusable> {
        if !self.is_guess_ladder_there()? {
            return Ok(Guess::NoLadder);
        }
        let host = login.remote_host.unwrap_or_default();
        let failure = [login.account, login.password, host].map(<[u8]>::to_vec);
        let mut failures = self.failures.borrow_mut();
        let is_new = !failures.contains(&failure);
        if is_new {
            failures.push(failure);
        }
        Ok(Guess::Seen { is_frequent: login.password == b"frequent", is_new })
    }

    fn leave_out_guess(&self, login: &FailedLogin<'_>) -> Result<(), Unusable> {
        self.left_out.borrow_mut().push(login.password.to_vec());
        Ok(())
    }

    fn is_guessed(&self, password: &[u8]) -> Result<bool, Unusable> {
        Ok(self.is_guess_ladder_there()? && password == b"frequent")
    }

    fn look_up_login(&self, password: &[u8]) -> Option<LoginLookup> {
        self.configured().ok()?;
        let unusable = failure(self.lists, Cause::Filter);
        let listed = match password {
            b"leaked" => Listed::Surely,
            b"likely leaked" => Listed::Likely,
            _ => Listed::No,
        };
        let listed = if unusable.is_none() { listed } else { Listed::No };
        (self.lists != Opened::Nothing).then_some(LoginLookup { listed, unusable })
    }

    fn count_login(&self, lookup: &LoginLookup) -> LoginLog {
        self.logins.borrow_mut().push(lookup.clone());
        if lookup.listed == Listed::No { LoginLog::Nothing } else { self.login_log }
    }
}
