//! What the checking line leaves for the recording line: enough to see that the password was set in between, and
//! nothing of any password.
//!
//! It lives with the PAM transaction, as keyed hash of the shadow field under a key of its own.

use nearmiss_filters::hash::Key;

/// The state of an account before its password is set.
#[derive(Clone)]
pub(crate) struct Mark {
    user: Vec<u8>,
    before: Before,
}

#[derive(Clone)]
enum Before {
    /// The hash of the field under a random key.
    Field { key: Key, hash: u64 },
    /// No shadow entry, or it cannot be read: a directory keeps the password.
    NoField,
    /// The password of this mark is recorded.
    Recorded,
}

impl Mark {
    /// The account as it is now; none when the system gives no random key.
    pub(crate) fn of(user: &[u8], field: Option<&[u8]>) -> Option<Mark> {
        let before = match field {
            Some(field) => hashed(field)?,
            None => Before::NoField,
        };
        Some(Mark { user: user.to_vec(), before })
    }

    /// True when this user's password was set after the mark was made and is not recorded yet, as far as the shadow
    /// field of now can tell. Where there was none, the password that is still there says so: whoever keeps
    /// the passwords did not refuse it.
    pub(crate) fn shows_a_change(&self, user: &[u8], field: Option<&[u8]>) -> bool {
        let changed = match &self.before {
            Before::Field { key, hash } => field.is_some_and(|field| key.hash(field) != *hash),
            Before::NoField => true,
            Before::Recorded => false,
        };
        changed && self.user == user
    }

    /// The mark of a password that is recorded: nothing is recorded twice.
    pub(crate) fn spent(self) -> Mark {
        Mark { before: Before::Recorded, ..self }
    }
}

fn hashed(field: &[u8]) -> Option<Before> {
    let key = Key::random().ok()?;
    let hash = key.hash(field);
    Some(Before::Field { key, hash })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: Option<&[u8]> = Some(b"$y$old");
    const NEW: Option<&[u8]> = Some(b"$y$new");

    #[test]
    fn another_field_shows_a_change() {
        let mark = Mark::of(b"ann", OLD).unwrap();
        assert!(mark.shows_a_change(b"ann", NEW));
        assert!(!mark.shows_a_change(b"ann", OLD));
        assert!(!mark.shows_a_change(b"ann", None));
    }

    #[test]
    fn an_account_without_field_is_taken_at_its_word() {
        let mark = Mark::of(b"ann", None).unwrap();
        assert!(mark.shows_a_change(b"ann", None) && mark.shows_a_change(b"ann", NEW));
    }

    #[test]
    fn a_mark_is_of_one_user_and_counts_once() {
        for before in [OLD, None] {
            let mark = Mark::of(b"ann", before).unwrap();
            assert!(!mark.shows_a_change(b"bob", NEW));
            assert!(!mark.spent().shows_a_change(b"ann", NEW));
        }
    }

    #[test]
    fn two_marks_of_one_field_have_nothing_in_common() {
        let hash = || match Mark::of(b"ann", OLD).unwrap().before {
            Before::Field { hash, .. } => hash,
            _ => panic!("a field was given"),
        };
        assert_ne!(hash(), hash());
    }
}
