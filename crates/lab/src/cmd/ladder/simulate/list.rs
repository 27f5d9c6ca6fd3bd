//! The passwords that people choose: a list with the number of each.

use std::path::Path;

use nearmiss_cli::failure::Failure;
use nearmiss_filters::ladder::SeededRandom;

use crate::occurrences;

/// Passwords and their frequencies; beyond them, passwords that one user each chooses.
#[derive(Debug)]
pub(super) struct Frequencies {
    passwords: Vec<Vec<u8>>,
    /// Occurrences up to and including each password.
    up_to: Vec<u64>,
    total: u64,
}

/// A choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListChoice {
    /// The password of the list with this index.
    Listed(usize),
    /// A password nobody else chooses.
    Unique,
}

impl Frequencies {
    /// Reads a list of `VALUE|OCCURRENCE`; `total` occurrences, if more than the list has, include unique
    /// passwords.
    ///
    /// # Errors
    /// As [`occurrences::read`].
    pub(super) fn read(path: &Path, total: Option<u64>) -> Result<Frequencies, Failure> {
        let mut list = Frequencies { passwords: Vec::new(), up_to: Vec::new(), total: 0 };
        for (password, count) in occurrences::read(path)? {
            list.total += count;
            list.passwords.push(password);
            list.up_to.push(list.total);
        }
        list.total = list.total.max(total.unwrap_or(0));
        Ok(list)
    }

    /// A random choice.
    pub(super) fn choose(&self, random: &mut SeededRandom) -> ListChoice {
        let at = random.next_word() % self.total;
        let index = self.up_to.partition_point(|up_to| *up_to <= at);
        if index < self.passwords.len() { ListChoice::Listed(index) } else { ListChoice::Unique }
    }

    /// The password with this index.
    pub(super) fn password(&self, index: usize) -> &[u8] {
        self.passwords.get(index).map_or(&[], Vec::as_slice)
    }

    /// Passwords in the list.
    pub(super) fn len(&self) -> usize {
        self.passwords.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str, total: Option<u64>) -> Result<Frequencies, Failure> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, text).unwrap();
        Frequencies::read(&path, total)
    }

    #[test]
    fn a_list_is_chosen_from_by_its_frequencies() {
        let list = list("value|occurrence\na|b|600\nc|300\n", Some(1000)).unwrap();
        assert_eq!((list.len(), list.password(0), list.password(1)), (2, &b"a|b"[..], &b"c"[..]));
        let mut random = SeededRandom::new(1);
        let mut counts = [0_i32; 3];
        for _ in 0..10_000 {
            counts[match list.choose(&mut random) {
                ListChoice::Listed(index) => index,
                ListChoice::Unique => 2,
            }] += 1;
        }
        // Five standard deviations are 245 at most.
        for (count, expected) in counts.into_iter().zip([6000, 3000, 1000]) {
            assert!(i32::abs_diff(count, expected) < 245, "{counts:?}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert!(list("a|1\nno count\n", None).unwrap_err().to_string().contains("line 2"));
        assert!(list("value|occurrence\n", None).is_err());
        assert!(list("", None).is_err());
        assert!(list("a|1\nb|99999999999999999999999\n", None).is_err());
    }
}
