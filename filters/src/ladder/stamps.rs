//! Which accounts' present passwords are recorded already: one word per account, a keyed name of the account and a keyed
//! hash of its shadow field. [SH §VIII-A] has a flag per account; a stamp also notices a change made elsewhere.
//!
//! Stamps are only ever added or changed in place, by atomic exchange, and nothing grows. An account's stamps lie in one
//! page of 512; two accounts of one page have the same 32-bit name once in 10⁷ pages, and then take turns. Where a
//! page is full, its further accounts count as recorded: their passwords are not backfilled, rather than at
//! every login. Nothing forgets a deleted account; a new ladder does.

use std::io;

use super::header::STAMPS_PER_PAGE;
use super::rungs::Subkey;
use crate::storage::mapped::SharedBits;

/// Slots for this many accounts: twice as many, so that no page fills up; at least 8,192 (64 KiB).
pub fn stamps_for(accounts: u64) -> u32 {
    let wanted = u32::try_from(accounts.saturating_mul(2)).unwrap_or(super::header::MAX_STAMPS);
    let slots = wanted.checked_next_power_of_two().unwrap_or(super::header::MAX_STAMPS);
    slots.clamp(8192, super::header::MAX_STAMPS)
}

/// The stamps of one ladder file.
pub(super) struct Stamps<'a> {
    pub(super) shared: &'a SharedBits,
    /// Where they begin in the file.
    pub(super) first_byte: u64,
    /// Slots, 0 for none.
    pub(super) count: u32,
    pub(super) key: &'a Subkey,
}

/// Where an account's stamp is, or would be.
enum Slot {
    Taken {
        at: usize,
        word: u64,
    },
    Free {
        at: usize,
    },
    /// Its page is full, or there are no stamps.
    NoRoom,
}

/// Times a slot is looked for again when other processes took it meanwhile.
const ATTEMPTS: u32 = 8;

impl Stamps<'_> {
    /// Whether the password behind this shadow field was recorded; true where there is no room to remember it.
    pub(super) fn is_recorded(&self, account: &[u8], shadow_field: &[u8]) -> io::Result<bool> {
        match self.find(account)? {
            Slot::Taken { word, .. } => Ok(word == self.word(account, shadow_field)),
            Slot::Free { .. } => Ok(false),
            Slot::NoRoom => Ok(true),
        }
    }

    /// Remembers that the password behind this shadow field is recorded. True when it was not remembered before: of two
    /// callers at once, one.
    pub(super) fn mark_recorded(&self, account: &[u8], shadow_field: &[u8]) -> io::Result<bool> {
        let new = self.word(account, shadow_field);
        for _ in 0..ATTEMPTS {
            let (at, old) = match self.find(account)? {
                Slot::Taken { word, .. } if word == new => return Ok(false),
                Slot::Taken { at, word } => (at, word),
                Slot::Free { at } => (at, 0),
                Slot::NoRoom => return Ok(false),
            };
            if self.shared.replace_word(at, old, new)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Slots that hold a stamp.
    pub(super) fn taken(&self) -> io::Result<u32> {
        let mut taken = 0_u32;
        for slot in 0..u64::from(self.count) {
            let word = self.shared.load_word(self.at(slot)?)?;
            taken = taken.saturating_add(u32::from(word != 0));
        }
        Ok(taken)
    }

    fn find(&self, account: &[u8]) -> io::Result<Slot> {
        let (place, _) = self.key.hash(account);
        let pages = u64::from(self.count / STAMPS_PER_PAGE);
        let Some(last_page) = pages.checked_sub(1) else { return Ok(Slot::NoRoom) };
        let first = (place & last_page).saturating_mul(STAMPS_PER_PAGE.into());
        for slot in first..first.saturating_add(STAMPS_PER_PAGE.into()) {
            let at = self.at(slot)?;
            match self.shared.load_word(at)? {
                0 => return Ok(Slot::Free { at }),
                word if word >> 32 == self.name(account) => return Ok(Slot::Taken { at, word }),
                _ => {}
            }
        }
        Ok(Slot::NoRoom)
    }

    fn at(&self, slot: u64) -> io::Result<usize> {
        let at = slot.checked_mul(8).and_then(|offset| offset.checked_add(self.first_byte));
        at.and_then(|at| usize::try_from(at).ok()).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    /// The account's name in its page: 32 bits, never 0, so that a stamp is never a free slot.
    fn name(&self, account: &[u8]) -> u64 {
        (self.key.hash(account).1 >> 32).max(1)
    }

    /// Name and hash of the shadow field, which is hashed together with the account: equal fields are unequal stamps.
    fn word(&self, account: &[u8], shadow_field: &[u8]) -> u64 {
        let length = (account.len() as u64).to_le_bytes();
        let message = zeroize::Zeroizing::new([&length, account, shadow_field].concat());
        self.name(account) << 32 | self.key.hash(&message).0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::super::rungs::{MasterKey, Purpose};
    use super::*;

    /// The vector of FORMAT-LADDER.md.
    #[test]
    #[cfg_attr(miri, ignore = "miri cannot map files")]
    fn a_stamp_of_the_format_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stamps");
        std::fs::write(&path, vec![0; 4096 + 65_536]).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        let shared = SharedBits::new(file, &path, (4096, 8192), true).unwrap();
        let key = MasterKey::new(std::array::from_fn(|i| u8::try_from(i).unwrap()));
        let key = key.subkey(Purpose::Stamp, &std::array::from_fn(|i| u8::try_from(i + 32).unwrap()));
        let stamps = Stamps { shared: &shared, first_byte: 4096, count: 8192, key: &key };
        assert!(stamps.mark_recorded(b"alice", b"$6$salt$hash").unwrap());
        assert_eq!(shared.load_word(4096 + 11 * 4096).unwrap(), 0x2273_f15b_a890_41aa);
        assert_eq!(stamps.taken().unwrap(), 1);
    }

    #[test]
    fn slots_for_accounts() {
        assert_eq!((stamps_for(0), stamps_for(4096), stamps_for(4097)), (8192, 8192, 16_384));
        assert_eq!((stamps_for(1 << 23), stamps_for(u64::MAX)), (1 << 24, 1 << 24));
    }
}
