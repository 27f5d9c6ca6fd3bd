//! Lines of the system log, for administrators.

use std::{borrow::Cow, path::Path};

use nearmiss_filters::{
    keys::{self, Keyed, MessageKey},
    ladder::Claim,
    text::is_steering,
};
use nearmiss_policy::{
    config::stack_options::Mistake,
    site::{Cause, Guess, Trouble, Unusable},
};

use super::decision::value;
use crate::priority::Priority;

/// A line of the system log; the log adds its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) priority: Priority,
    /// The key by which an administrator looks it up; none if there is nothing to look up.
    key: Option<MessageKey>,
    text: Cow<'static, str>,
}

impl Line {
    fn new(priority: Priority, key: MessageKey, text: impl Into<Cow<'static, str>>) -> Line {
        Line { priority, key: Some(key), text: text.into() }
    }

    const fn critical(key: MessageKey, text: &'static str) -> Line {
        Line { priority: Priority::Critical, key: Some(key), text: Cow::Borrowed(text) }
    }

    const fn error(key: MessageKey, text: &'static str) -> Line {
        Line { priority: Priority::Error, key: Some(key), text: Cow::Borrowed(text) }
    }

    const fn warning(key: MessageKey, text: &'static str) -> Line {
        Line { priority: Priority::Warning, key: Some(key), text: Cow::Borrowed(text) }
    }

    /// An intermediate step, which needs no action.
    const fn step(priority: Priority, text: &'static str) -> Line {
        Line { priority, key: None, text: Cow::Borrowed(text) }
    }

    /// The same at another priority.
    pub(crate) fn at(self, priority: Priority) -> Line {
        Line { priority, ..self }
    }

    /// The same with the user: a debugging line of a change names the owner of the password.
    pub(crate) fn of_user(self, user: &[u8]) -> Line {
        Line { text: format!("{}; user={}", self.text, value(user)).into(), ..self }
    }

    /// The line as written to the system log.
    pub(crate) fn shown(&self) -> String {
        let text = one_line(&self.text);
        self.key.map_or_else(|| text.clone(), |key| format!("{text} {key}"))
    }
}

pub(super) const NOT_ACCEPTED: Line = Line::step(Priority::Debug, "the password was not accepted");
pub(super) const TRIES_USED_UP: Line = Line::step(Priority::Debug, "no password was accepted in all tries");
pub(super) const ABORTED: Line = Line::step(Priority::Info, "user aborted password change");
pub(super) const NO_PASSWORD: Line = Line::error(
    keys::NO_PASSWORD_BEFORE,
    "no earlier module set a password, and use_authtok forbids prompting for one",
);
pub(super) const UNKNOWN_USER: Line =
    Line::error(keys::HOST_PROGRAM, "cannot determine whose password it is");
pub(super) const UNKNOWN_CALL: Line =
    Line::error(keys::HOST_PROGRAM, "pam_sm_chauthtok was called for neither of its two passes");

/// `local_users_only` excludes the user.
pub(crate) const NOT_LOCAL: Line =
    Line::step(Priority::Debug, "not a local user: the password is not checked");
/// The recording line will have no earlier state to compare with.
pub(crate) const NO_STATE_LEFT: Line = Line::warning(
    keys::OUT_OF_MEMORY,
    "no memory or random bytes for the state of the account: the password will not be recorded",
);
/// `force-change` cannot make the password expire.
pub(crate) const NOT_EXPIRED: Line = Line::warning(
    keys::NOT_EXPIRED,
    "the password that bypassed the check does not expire: the user is root, or not in the shadow file",
);

/// The key of the effect of an unusable part on a password change.
const fn key_of(cause: Cause) -> MessageKey {
    match cause {
        Cause::Filter => keys::FILTER_UNUSABLE,
        Cause::Ladder => keys::LADDER_UNUSABLE,
        Cause::Guesses => keys::GUESSES_UNUSABLE,
        Cause::Configuration => keys::CONFIGURATION_UNUSABLE,
        Cause::Fault => keys::INTERNAL_ERROR,
    }
}

/// The reason why a change is refused; the line before it names the file.
pub(super) fn refused_for(cause: Cause) -> Line {
    let text = match cause {
        Cause::Filter => "password change refused: a filter cannot be used; filterctl doctor says why",
        Cause::Ladder => "password change refused: the ladder cannot be used; filterctl doctor says why",
        Cause::Configuration => {
            "password change refused: the configuration cannot be used; filterctl doctor says why"
        }
        Cause::Guesses => {
            "password change refused: the ladder of guessed passwords cannot be used; filterctl doctor \
             says why"
        }
        Cause::Fault => "internal error: password change refused",
    };
    Line::critical(key_of(cause), text)
}

/// `on_error = "allow"`, or a level of enforcement that rejects nothing, accepts a password without a part of
/// the check.
pub(crate) fn allowed_without(cause: Cause) -> Line {
    let text = match cause {
        Cause::Filter => "let through: the password is not checked against this filter",
        Cause::Ladder => "let through: the password is not checked against the ladder",
        Cause::Guesses => "let through: the password is not checked against the ladder of guessed passwords",
        Cause::Configuration | Cause::Fault => "let through: the password is not checked",
    };
    Line::warning(key_of(cause), text)
}

/// Root sets a password without a part of the check.
pub(crate) fn set_by_root_without(cause: Cause) -> Line {
    let text = match cause {
        Cause::Filter => "the password set by root is not checked against this filter",
        Cause::Ladder => "the password set by root is not checked against the ladder",
        Cause::Guesses => "the password set by root is not checked against the ladder of guessed passwords",
        Cause::Configuration | Cause::Fault => "the password set by root is not checked",
    };
    Line::warning(key_of(cause), text)
}

/// The file that cannot be used, its fault, and the fix if one is known.
pub(crate) fn cause(unusable: &Unusable) -> Line {
    let detail = &unusable.detail;
    let text = match (unusable.cause, &unusable.trouble) {
        // A program that does not run as root may not be in the filter's group.
        (Cause::Filter, Trouble::Denied(_)) => format!(
            "{detail}; a server that does not run as root must be in the group that may read the filter \
             (filterctl build --group)"
        ),
        _ => detail.clone(),
    };
    Line::new(Priority::Critical, unusable.key, text)
}

/// The fix for a filter that any user may read. Changing its mode is not enough: a process that has opened
/// the file keeps access to it.
pub(crate) fn public_filter(path: &Path) -> Line {
    let text = format!(
        "{}: any user may read this filter, so it is copied into memory at each password change to hide what \
         is looked up; make it private: run filterctl update, or build it again with --group or without \
         --public",
        path.display()
    );
    Line::new(Priority::Warning, keys::FILTER_PUBLIC, text)
}

/// No passphrase can be suggested.
pub(crate) fn nothing_suggested(cause: &str) -> Line {
    Line::new(Priority::Warning, keys::SUGGEST_WORDS, format!("no passphrase is suggested: {cause}"))
}

/// The agent of a fleet does not reply.
pub(crate) fn fleet_trouble(trouble: String) -> Line {
    Line::new(Priority::Warning, keys::FLEET_UNREACHABLE, trouble)
}

/// An unknown option of the line, or one with an invalid value.
pub(crate) fn option_ignored(mistake: &Mistake) -> Line {
    Line::new(Priority::Error, mistake.key(), mistake.to_string())
}

/// The result of a ladder's entry for a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryOutcome {
    NotRoot,
    NoUser,
    NoPassword,
    NoPasswordSet,
    NoAccount,
    NoStateBefore,
    NotSet,
    SameAsBefore,
    NoLadder,
    Claimed(Claim),
    RightPassword,
    Guessed(Guess),
}

impl EntryOutcome {
    /// The text, with its priority.
    pub(crate) fn line(self) -> Line {
        let text = match self {
            EntryOutcome::NotRoot => "not run as root",
            EntryOutcome::NoUser => "no user",
            EntryOutcome::NoPassword => "no password",
            EntryOutcome::NoPasswordSet => "no password was set",
            EntryOutcome::NoAccount => "no account with a password in the shadow file",
            EntryOutcome::NoStateBefore => "no state of the account before the change",
            EntryOutcome::NotSet => "the password was not set, or is already recorded",
            EntryOutcome::SameAsBefore => "password unchanged; not recorded",
            EntryOutcome::NoLadder | EntryOutcome::Guessed(Guess::NoLadder) => "there is no ladder",
            EntryOutcome::Claimed(Claim::Granted) => "the password is recorded",
            EntryOutcome::Claimed(Claim::Counted) => "the password was already recorded",
            EntryOutcome::Claimed(Claim::Today) => "a password of this account was already recorded today",
            EntryOutcome::RightPassword => "pam_unix accepted the password: not a guess",
            EntryOutcome::Guessed(Guess::LeftOut) => "a failed login that is exempt from counting",
            EntryOutcome::Guessed(Guess::Seen { is_new: true, .. }) => "a failed login is counted",
            EntryOutcome::Guessed(Guess::Seen { is_new: false, .. }) => "a repeated failure is not counted",
            EntryOutcome::Claimed(Claim::NoRoom) => return NO_ROOM,
        };
        Line::step(Priority::Debug, text)
    }
}

const NO_ROOM: Line = Line::warning(
    keys::LADDER_NO_ROOM,
    "\
    the ladder has no room for a stamp of this account: its passwords are not recorded; create a larger \
    ladder (see filterctl doctor)",
);

/// A password that was set could not be recorded.
pub(crate) fn not_recorded_when_set(unusable: &Unusable) -> Line {
    let text = format!("the password is set, but not recorded in the ladder: {unusable}");
    Line::new(Priority::Warning, keys::NOT_RECORDED, text)
}

/// The password of a login could not be recorded.
pub(crate) fn not_recorded_at_login(unusable: &Unusable) -> Line {
    let text = format!("the password of this login is not recorded in the ladder: {unusable}");
    Line::new(Priority::Warning, keys::NOT_RECORDED, text)
}

/// The one line that names an address, made to be read by fail2ban: nothing in it was chosen by a client. The
/// weight is that of a guess at a frequent password, relative to other guesses (Y. Tian, C. Herley, S.
/// Schechter, *`StopGuessing`: Using Guessed Passwords to Thwart Online Guessing*, 2019).
pub(crate) fn guess_from(address: Option<&[u8]>) -> Line {
    let address = address.and_then(|address| std::str::from_utf8(address).ok()).unwrap_or("no address");
    let text = format!("guess from {address} weight 5: a password that is guessed often here");
    Line { priority: Priority::Notice, key: None, text: text.into() }
}

/// A failed login could not be counted.
pub(crate) fn guess_not_counted(unusable: &Unusable) -> Line {
    let text = format!("failed logins are not counted as guesses: {unusable}");
    Line::new(Priority::Warning, keys::GUESSES_UNUSABLE, text)
}

/// The password of a login could not be looked up.
pub(crate) fn login_not_looked_up(unusable: &Unusable) -> Line {
    let text = format!("cannot check login passwords against guessed passwords: {unusable}");
    Line::new(Priority::Warning, keys::LOGIN_NOT_COMPARED, text)
}

/// The same for lists of leaked passwords.
pub(crate) fn login_not_listed(unusable: &Unusable) -> Line {
    let text = format!("cannot check login passwords against leaked passwords: {unusable}");
    Line::new(Priority::Warning, keys::LOGIN_NOT_COMPARED, text)
}

/// The longest line that is passed to the system log, in bytes.
const LONGEST_LINE: usize = 1000;

/// One line of bounded length without characters that steer a terminal: text from files and arguments may
/// contain any.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for character in text.chars() {
        if line.len() >= LONGEST_LINE {
            line.push_str("...");
            break;
        }
        match character {
            '\n' => line.push_str(" | "),
            other if is_steering(other) => line.extend(other.escape_unicode()),
            other => line.push(other),
        }
    }
    line
}

#[cfg(test)]
mod tests;
