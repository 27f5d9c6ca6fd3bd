//! The note for the recording line: enough to detect that the password was set in between, and that it is the
//! one that the check let through, but nothing about any password.
//!
//! It is stored with the PAM transaction, as keyed hashes under a random key. The hash of the password is
//! wiped with it.

use nearmiss_filters::hash::Key;
use zeroize::Zeroizing;

/// The state of an account before its password is set, and the password that was let through.
#[derive(Clone)]
pub(crate) struct BeforeChange {
    user: Vec<u8>,
    key: Key,
    /// The hash of the shadow field; none if it does not exist or is unreadable: a directory stores the
    /// password.
    field: Option<u64>,
    /// The hash of the password that the check let through.
    accepted: Option<Zeroizing<u64>>,
    /// The number of decisions in this change.
    decisions: u32,
    /// The new password is recorded, or is not to be.
    is_recorded: bool,
}

impl BeforeChange {
    /// The current state of the account; none if the system provides no random key.
    pub(crate) fn of(user: &[u8], field: Option<&[u8]>) -> Option<BeforeChange> {
        let key = Key::random().ok()?;
        let field = field.map(|field| key.hash(field));
        Some(BeforeChange {
            user: user.to_vec(),
            key,
            field,
            accepted: None,
            decisions: 0,
            is_recorded: false,
        })
    }

    /// The same after the check let this password through, in the decision with this number.
    pub(crate) fn accepting(self, password: &[u8], decisions: u32) -> BeforeChange {
        let accepted = Some(Zeroizing::new(self.key.hash(password)));
        BeforeChange { accepted, decisions, ..self }
    }

    /// True for the password that the check let through.
    pub(crate) fn has_accepted(&self, password: &[u8]) -> bool {
        self.accepted.as_deref() == Some(&self.key.hash(password))
    }

    /// The number of decisions in this change.
    pub(crate) fn decisions(&self) -> u32 {
        self.decisions
    }

    /// True if this user's password has been set since, according to the current shadow field.
    /// Without a shadow entry, a `PAM_AUTHTOK` that is still set is the evidence: the module that stores
    /// passwords did not reject it.
    pub(crate) fn was_changed(&self, user: &[u8], field: Option<&[u8]>) -> bool {
        let is_other =
            self.field.is_none_or(|before| field.is_some_and(|field| self.key.hash(field) != before));
        is_other && self.user == user
    }

    /// True if the new password was recorded, or is not to be.
    pub(crate) fn is_recorded(&self) -> bool {
        self.is_recorded
    }

    /// The same after the new password was recorded, so that nothing is recorded twice.
    pub(crate) fn recorded(self) -> BeforeChange {
        BeforeChange { is_recorded: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Option<&[u8]> = Some(b"$y$old");
    const NEW: Option<&[u8]> = Some(b"$y$new");

    #[test]
    fn another_field_shows_a_change() {
        let before = BeforeChange::of(b"ann", OLD).unwrap();
        assert!(before.was_changed(b"ann", NEW));
        assert!(!before.was_changed(b"ann", OLD));
        assert!(!before.was_changed(b"ann", None));
    }

    #[test]
    fn an_account_without_field_is_taken_at_its_word() {
        let before = BeforeChange::of(b"ann", None).unwrap();
        assert!(before.was_changed(b"ann", None) && before.was_changed(b"ann", NEW));
    }

    #[test]
    fn it_is_of_one_user_and_counts_once() {
        for field in [OLD, None] {
            let before = BeforeChange::of(b"ann", field).unwrap();
            assert!(!before.was_changed(b"bob", NEW));
            assert!(!before.is_recorded() && before.recorded().is_recorded());
        }
    }

    #[test]
    fn only_the_password_that_was_let_through_is_accepted() {
        let before = BeforeChange::of(b"ann", OLD).unwrap();
        assert!(!before.has_accepted(b"") && before.decisions() == 0);
        let before = before.accepting(b"rare", 2);
        assert!(before.has_accepted(b"rare") && !before.has_accepted(b"rarer"));
        assert!(before.was_changed(b"ann", NEW) && before.decisions() == 2);
    }

    #[test]
    fn two_of_one_password_have_nothing_in_common() {
        let hashes = || {
            let before = BeforeChange::of(b"ann", OLD).unwrap().accepting(b"rare", 1);
            (before.field, *before.accepted.unwrap())
        };
        let ((field, accepted), (other_field, other)) = (hashes(), hashes());
        assert!(field != other_field && accepted != other);
    }
}
