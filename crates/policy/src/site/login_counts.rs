//! The number of logins with a leaked password: counters in a file next to the recent failures, on a file
//! system in memory. It does not store the accounts.
//!
//! Words of 8 bytes, little-endian: `NMLOGINS`, then one counter for each [`LoginCount`].

use std::path::Path;

use nearmiss_filters::storage::mapped::SharedBits;

use super::once_a_minute::opened;

const MAGIC: u64 = u64::from_le_bytes(*b"NMLOGINS");
/// Attempts at updating a word that others change at the same time.
const ATTEMPTS: u32 = 64;

/// The classes of logins whose password was looked up, since the host started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginCount {
    /// No list contains it.
    Other = 1,
    /// A list of leaked passwords contains it.
    Leaked,
    /// A filter failed, and no other contains it.
    Unchecked,
}

impl LoginCount {
    /// The offset of its counter.
    fn place(self) -> usize {
        (self as usize).saturating_mul(8)
    }
}

/// The counters.
#[derive(Debug)]
pub struct LoginCounts {
    words: SharedBits,
}

impl LoginCounts {
    /// The counters next to `seen`; none if they do not exist or cannot be read.
    pub fn beside(seen: &Path) -> Option<LoginCounts> {
        let words = opened(&path(seen), None, 4)?;
        (words.load_word(0).ok()? == MAGIC).then_some(LoginCounts { words })
    }

    /// The value of a counter.
    pub fn count(&self, counter: LoginCount) -> u64 {
        self.words.load_word(counter.place()).unwrap_or(0)
    }

    /// Counts a login; among many concurrent ones a count may be lost.
    pub(super) fn add(seen: &Path, counter: LoginCount) {
        let Some(words) = opened(&path(seen), Some(MAGIC), 4) else { return };
        if words.load_word(0).ok() != Some(MAGIC) {
            return;
        }
        let at = counter.place();
        for _ in 0..ATTEMPTS {
            let Ok(old) = words.load_word(at) else { return };
            if words.replace_word(at, old, old.wrapping_add(1)).unwrap_or(true) {
                return;
            }
        }
    }
}

fn path(seen: &Path) -> std::path::PathBuf {
    seen.with_file_name("logins")
}
