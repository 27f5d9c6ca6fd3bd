//! One call of an entry that never fails the stack: the entries of the ladder and of guessed passwords.

use nearmiss_policy::{policy::MAX_PASSWORD_BYTES, secret::Secret};

use crate::{host::Host, messages::log::Line, priority::Priority};
use nearmiss_policy::config::stack_options::Options;

/// The context of such an entry; its actions are in `record` and `guesses`.
pub(crate) struct EntryCall<'a, H, C> {
    pub(crate) host: &'a mut H,
    pub(crate) checks: &'a C,
    pub(crate) options: &'a Options,
}

impl<H: Host, C> EntryCall<'_, H, C> {
    pub(crate) fn log(&mut self, line: &Line) {
        if line.priority != Priority::Debug || self.options.debug {
            self.host.log(line.priority, &line.shown());
        }
    }
}

/// True for a password that a system can store.
pub(crate) fn is_countable(password: &Secret) -> bool {
    (1..=MAX_PASSWORD_BYTES).contains(&password.bytes().len())
}

/// False for the field of an account without a password or with a locked one: the typed password was for
/// something else.
pub(crate) fn is_hash(field: &[u8]) -> bool {
    field.first().is_some_and(|first| !b"!*".contains(first)) && field != b"x"
}
