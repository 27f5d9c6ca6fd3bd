//! The accounts under attack: their passwords, and the number of accounts with each.

use std::collections::HashMap;

use super::Count;

/// Distinct passwords and their accounts, in the order of their first occurrence.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    list: Vec<(Vec<u8>, u64)>,
}

impl Accounts {
    /// Passwords, each with a number of accounts; that of a password which occurs again is added. The sum is
    /// a `u64`.
    pub(crate) fn new(list: impl IntoIterator<Item = (Vec<u8>, u64)>) -> Accounts {
        let mut place: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut accounts = Accounts::default();
        for (password, count) in list {
            let next = accounts.list.len();
            let at = *place.entry(password).or_insert_with_key(|password| {
                accounts.list.push((password.clone(), 0));
                next
            });
            if let Some((_, sum)) = accounts.list.get_mut(at) {
                *sum += count;
            }
        }
        accounts
    }

    /// The passwords.
    pub(crate) fn passwords(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.list.iter().map(|(password, _)| password.as_slice())
    }

    /// The number of accounts with each password.
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        self.list.iter().map(|&(_, count)| count)
    }

    /// All of them.
    pub(crate) fn count(&self) -> Count {
        Count { accounts: self.counts().sum(), passwords: self.list.len() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_occurs_again_is_the_same() {
        let list = [("one", 1), ("two", 5), ("one", 2), ("One", 1)];
        let accounts = Accounts::new(list.map(|(password, count)| (password.as_bytes().to_vec(), count)));
        assert_eq!(accounts.passwords().collect::<Vec<_>>(), [&b"one"[..], b"two", b"One"]);
        assert_eq!(accounts.counts().collect::<Vec<_>>(), [3, 5, 1]);
        assert_eq!(accounts.count(), Count { accounts: 9, passwords: 3 });
    }
}
