//! Records the accounts whose current passwords are counted, and the accounts that counted one today.
//!
//! An account counts once a day for a password that its owner sets, and once for one that root sets: so the
//! most common first change, of a password that root set on the same day, is counted. Further passwords of
//! that day are not counted when they are set, though a login on a later day may count the last one. So a
//! password becomes too common only if several accounts chose it, or one account on several days. [SH
//! §VIII-A] has a flag per account; this is that flag, with days in addition. FORMAT-LADDER.md explains why
//! the paper's mathematics holds.
//!
//! An account's stamp is two words: its keyed name, and a mark of three keyed hashes, one of its shadow field
//! and one of each day. Neither day nor field can be read from it; with the key they can only be compared. A
//! stamp is claimed before the ladder's steps are taken, by one atomic exchange: one of two concurrent
//! processes gets it, and a process that is killed in between has counted too few, never twice.
//!
//! Stamps are only ever added or changed in place, and nothing grows. An account's stamp lies in one page of
//! 256. If that page is full, its further accounts are not counted: without a stamp the daily limit could not
//!      be enforced. A deleted account is only forgotten with a new ladder.

#![allow(clippy::arithmetic_side_effects, reason = "slots of at most 2²⁴ accounts")]

#[cfg(test)]
mod tests;

use std::io;

use super::header::STAMPS_PER_PAGE;
use super::words::WordStore;
use crate::ladder::structure::keys::{ID_BYTES, MasterKey, Purpose, Subkey};

/// The number of slots for this number of accounts: twice that, so that no page fills up; at least 8,192 (128
/// KiB).
pub fn stamps_for(accounts: u64) -> u32 {
    let wanted = u32::try_from(accounts.saturating_mul(2)).unwrap_or(super::header::MAX_STAMPS);
    let slots = wanted.checked_next_power_of_two().unwrap_or(super::header::MAX_STAMPS);
    slots.clamp(8192, super::header::MAX_STAMPS)
}

/// The user who set a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setter {
    /// The account itself, also for a login.
    Owner,
    /// The administrator, for the account.
    Root,
}

/// The password of an account, and the day of counting it.
#[derive(Clone, Copy, Debug)]
pub struct AccountChoice<'a> {
    /// The account's name.
    pub account: &'a [u8],
    /// The password field of its shadow entry; none if a directory keeps the password.
    pub shadow_field: Option<&'a [u8]>,
    /// Today, in whole days since 1970-01-01 UTC.
    pub day: u64,
    /// Who set it.
    pub by: Setter,
}

/// The result of claiming the count of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// It is granted: the caller takes the ladder's steps.
    Granted,
    /// The password behind this shadow field is counted already.
    Counted,
    /// This account already counted one of this setter today.
    Today,
    /// The ladder has no room for a stamp of this account, so the daily limit cannot be enforced.
    NoRoom,
}

/// The keys of one ladder's stamps.
pub struct StampKeys {
    account: Subkey,
    day: Subkey,
}

impl StampKeys {
    /// The keys of the ladder with this identifier.
    pub fn new(key: &MasterKey, id: &[u8; ID_BYTES]) -> Self {
        Self { account: key.subkey(Purpose::Stamp, id), day: key.subkey(Purpose::Day, id) }
    }
}

/// The stamps of one ladder.
pub struct Stamps<'a, W> {
    words: W,
    /// 0 for none.
    slots: u32,
    keys: &'a StampKeys,
}

/// Words of a stamp: name and mark.
const WORDS: u64 = 2;

/// The number of attempts of a claim. Each failed exchange was another process's count, and an account has
/// two of them a day.
const MAX_LOOKS: usize = 4;

/// The slot of an account's mark.
enum Slot {
    Taken { mark_at: u64 },
    Free,
    NoRoom,
}

impl<'a, W: WordStore> Stamps<'a, W> {
    /// Stamps in the first `2 · slots` of these words. `slots` is 0 or a power of two of pages of 256.
    pub fn new(words: W, slots: u32, keys: &'a StampKeys) -> Self {
        Self { words, slots, keys }
    }

    /// The current result of [`Stamps::claim`]. Changes nothing.
    ///
    /// # Errors
    /// As [`WordStore::load`].
    pub fn look(&self, choice: &AccountChoice<'_>) -> io::Result<Claim> {
        match self.find(choice.account, false)? {
            Slot::Taken { mark_at } => Ok(self.judge(self.words.load(mark_at)?, choice)),
            Slot::Free => Ok(Claim::Granted),
            Slot::NoRoom => Ok(Claim::NoRoom),
        }
    }

    /// Claims the setter's one count of the day for this password of the account: of several concurrent
    /// claims, one is granted.
    ///
    /// # Errors
    /// As [`WordStore::replace`]; then nothing is claimed.
    pub fn claim(&self, choice: &AccountChoice<'_>) -> io::Result<Claim> {
        let Slot::Taken { mark_at } = self.find(choice.account, true)? else { return Ok(Claim::NoRoom) };
        for _ in 0..MAX_LOOKS {
            let old = self.words.load(mark_at)?;
            match self.judge(old, choice) {
                Claim::Granted if self.words.replace(mark_at, old, self.marked(old, choice))? => {
                    return Ok(Claim::Granted);
                }
                // Another process counted meanwhile: perhaps for the other setter.
                Claim::Granted => {}
                refused => return Ok(refused),
            }
        }
        Ok(Claim::Today)
    }

    /// Slots that hold a stamp.
    ///
    /// # Errors
    /// As [`WordStore::load`].
    pub fn taken(&self) -> io::Result<u32> {
        let mut taken = 0_u32;
        for slot in 0..u64::from(self.slots) {
            let name = self.words.load(slot * WORDS)?;
            taken += u32::from(name != 0);
        }
        Ok(taken)
    }

    /// The account's slot, or the first free one of its page, which is assigned to the account if `takes`.
    /// Slots are filled in order and never freed, so all processes find an account in the same one.
    fn find(&self, account: &[u8], takes: bool) -> io::Result<Slot> {
        let (place, name) = self.keys.account.hash(account);
        // Never 0, so that a stamp is never a free slot.
        let name = name.max(1);
        let pages = u64::from(self.slots / STAMPS_PER_PAGE);
        let Some(last_page) = pages.checked_sub(1) else { return Ok(Slot::NoRoom) };
        let first = (place & last_page) * u64::from(STAMPS_PER_PAGE);
        for slot in first..first + u64::from(STAMPS_PER_PAGE) {
            let at = slot * WORDS;
            let mut found = self.words.load(at)?;
            if found == 0 {
                if !takes {
                    return Ok(Slot::Free);
                }
                // If another process was first, it may have stored the same account.
                found = if self.words.replace(at, 0, name)? { name } else { self.words.load(at)? };
            }
            if found == name {
                return Ok(Slot::Taken { mark_at: at + 1 });
            }
        }
        Ok(Slot::NoRoom)
    }

    fn judge(&self, mark: u64, choice: &AccountChoice<'_>) -> Claim {
        let differs = mark ^ self.mark(choice);
        if choice.shadow_field.is_some() && differs >> 32 == 0 {
            Claim::Counted
        } else if differs & day_of(choice.by) == 0 {
            Claim::Today
        } else {
            Claim::Granted
        }
    }

    /// The mark after counting this choice: the other setter's day is unchanged.
    fn marked(&self, old: u64, choice: &AccountChoice<'_>) -> u64 {
        let kept = DAY & !day_of(choice.by);
        (old & kept) | (self.mark(choice) & !kept)
    }

    /// The hash of the choice's field (0 without one) above that of its day, for either setter. Both are
    /// hashed together with the account, so that equal fields and days are unequal marks. No part is 0, so
    /// that it never equals a fresh slot's mark.
    fn mark(&self, choice: &AccountChoice<'_>) -> u64 {
        let field = choice.shadow_field.map_or(0, |field| {
            let length = (choice.account.len() as u64).to_le_bytes();
            let message = zeroize::Zeroizing::new([&length, choice.account, field].concat());
            (self.keys.account.hash(&message).0 >> 32).max(1)
        });
        let day = self.keys.day.hash(&[&choice.day.to_le_bytes(), choice.account].concat()).0 >> 32;
        field << 32 | (day & ROOTS_DAY).max(1 << 16) | (day & OWNERS_DAY).max(1)
    }
}

/// The part of a mark for the day of this setter.
const fn day_of(by: Setter) -> u64 {
    match by {
        Setter::Owner => OWNERS_DAY,
        Setter::Root => ROOTS_DAY,
    }
}

/// The half of a mark for days.
const DAY: u64 = 0xffff_ffff;
/// The part of it for the owner's day.
const OWNERS_DAY: u64 = 0xffff;
/// The part of it for root's day.
const ROOTS_DAY: u64 = 0xffff_0000;
