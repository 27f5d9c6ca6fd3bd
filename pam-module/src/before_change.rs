//! The checking line's note for the recording line: enough to detect that the password was set in between,
//! but nothing about any password.
//!
//! It is stored with the PAM transaction, as a keyed hash of the shadow field under a random key.

use nearmiss_filters::hash::Key;

/// The state of an account before its password is set.
#[derive(Clone)]
pub(crate) struct BeforeChange {
    user: Vec<u8>,
    state: PasswordState,
}

#[derive(Clone)]
enum PasswordState {
    /// The hash of the field under a random key.
    Field { key: Key, hash: u64 },
    /// No shadow entry, or an unreadable one: a directory stores the password.
    NoField,
    /// The new password is recorded.
    Recorded,
}

impl BeforeChange {
    /// The current state of the account; none if the system provides no random key.
    pub(crate) fn of(user: &[u8], field: Option<&[u8]>) -> Option<BeforeChange> {
        let state = match field {
            Some(field) => hashed(field)?,
            None => PasswordState::NoField,
        };
        Some(BeforeChange { user: user.to_vec(), state })
    }

    /// True if this user's password has been set since and is not recorded yet, according to the current
    /// shadow field. Without a shadow entry, a `PAM_AUTHTOK` that is still set is the evidence: the module
    /// that stores passwords did not reject it.
    pub(crate) fn was_changed(&self, user: &[u8], field: Option<&[u8]>) -> bool {
        let changed = match &self.state {
            PasswordState::Field { key, hash } => field.is_some_and(|field| key.hash(field) != *hash),
            PasswordState::NoField => true,
            PasswordState::Recorded => false,
        };
        changed && self.user == user
    }

    /// The same after the new password was recorded, so that nothing is recorded twice.
    pub(crate) fn recorded(self) -> BeforeChange {
        BeforeChange { state: PasswordState::Recorded, ..self }
    }
}

fn hashed(field: &[u8]) -> Option<PasswordState> {
    let key = Key::random().ok()?;
    let hash = key.hash(field);
    Some(PasswordState::Field { key, hash })
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
            assert!(!before.recorded().was_changed(b"ann", NEW));
        }
    }

    #[test]
    fn two_of_one_field_have_nothing_in_common() {
        let hash = || match BeforeChange::of(b"ann", OLD).unwrap().state {
            PasswordState::Field { hash, .. } => hash,
            _ => panic!("a field was given"),
        };
        assert_ne!(hash(), hash());
    }
}
