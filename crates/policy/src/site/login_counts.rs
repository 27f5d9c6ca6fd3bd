//! How many logins were with a leaked password: counters in a file of their own beside the failures that were
//! seen, on a file system in memory. Nothing in it says whose they were.
//!
//! Words of 8 bytes, little-endian: `NMLOGINS`, then one counter for each [`LoginCount`].

use std::path::Path;

use nearmiss_filters::storage::mapped::SharedBits;

use super::once_a_minute::opened;

const MAGIC: u64 = u64::from_le_bytes(*b"NMLOGINS");
/// Attempts at a word that others change at the same time.
const ATTEMPTS: u32 = 64;

/// Logins whose password was looked up, since the host started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginCount {
    /// No list has it.
    Other = 1,
    /// A list of leaked passwords has it.
    Leaked,
    /// A filter could not be asked, and no other has it.
    Unchecked,
}

impl LoginCount {
    /// The first byte of its counter.
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
    /// The counters beside `seen`; none if there are none, or nothing that can be read.
    pub fn beside(seen: &Path) -> Option<LoginCounts> {
        let words = opened(&path(seen), None, 4)?;
        (words.load_word(0).ok()? == MAGIC).then_some(LoginCounts { words })
    }

    /// The value of a counter.
    pub fn count(&self, counter: LoginCount) -> u64 {
        self.words.load_word(counter.place()).unwrap_or(0)
    }

    /// Counts a login; under many at once one may be lost.
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
