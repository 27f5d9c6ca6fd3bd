//! Frequency ranks of the words of a filter, in a file next to the filter, which order suggestions. No
//! decision about a password needs them, so the filter's own format does not contain them.
//!
//! FORMAT-RANKS.md is normative. A word is identified by the upper bits of its hash in the filter: another
//! string has the same ones with a probability of words / 2⁴⁰.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "ranks of at most 24 bits, positions in a file that was read"
)]

use std::{
    error::Error,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
};

use crate::{
    chunks::chunks,
    codec::{Reader, Writer, is_sealed},
    hash::Key,
    keys::{self, Keyed, MessageKey},
    storage::{StorageError, read_trusted},
    word::Word,
};

const MAGIC: [u8; 8] = *b"\x89NMR\r\n\x1a\n";

const VERSION: u16 = 1;

/// Bytes before the entries.
const HEADER_BYTES: usize = 32;

/// The offset of the file's checksum.
const CHECKSUM_AT: usize = 12;

/// The number of bits of the rank in an entry; the upper ones identify the word.
const RANK_BITS: u32 = 24;

/// The highest number of words with a rank.
pub(crate) const MAX_RANKED: usize = 1 << RANK_BITS;

/// The string whose hash identifies the key of the entries.
const KEY_CHECK: &[u8] = b"nearmiss ranks";

/// The ranks of a filter's words.
pub struct Ranks {
    key: Key,
    /// The upper bits of a word's hash above its rank less 1, ascending.
    entries: Vec<u64>,
}

impl Ranks {
    /// The ranks of these words, the most common first, for the filter with this key. A repeated word keeps
    /// its first rank; words after the first `MAX_RANKED` have no rank.
    pub fn new<'w>(key: Key, words: impl IntoIterator<Item = &'w Word>) -> Ranks {
        let mut ranks = Ranks { key, entries: Vec::new() };
        words.into_iter().for_each(|word| ranks.push(word));
        ranks.finish();
        ranks
    }

    /// No ranks yet: see [`Ranks::push`].
    pub fn empty(key: Key) -> Ranks {
        Ranks { key, entries: Vec::new() }
    }

    /// Gives the word the next rank; call [`Ranks::finish`] after the last one.
    pub fn push(&mut self, word: &Word) {
        let rank = self.entries.len();
        if rank < MAX_RANKED {
            self.entries.push(self.of_word(word) | rank as u64);
        }
    }

    /// Sorts the entries.
    pub fn finish(&mut self) {
        self.entries.sort_unstable();
        self.entries.dedup_by_key(|entry| *entry >> RANK_BITS);
    }

    /// The rank of the word, from 1 for the most common one; none if it has no rank.
    pub fn rank(&self, word: &Word) -> Option<u32> {
        let wanted = self.of_word(word);
        let at = self.entries.partition_point(|&entry| entry < wanted);
        let entry = self.entries.get(at).filter(|&entry| entry >> RANK_BITS == wanted >> RANK_BITS)?;
        u32::try_from((entry & (MAX_RANKED as u64 - 1)) + 1).ok()
    }

    /// The number of words with a rank.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if no word has a rank.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The file's bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(HEADER_BYTES + 8 * self.entries.len());
        writer.put(&MAGIC);
        writer.u16(VERSION);
        writer.zeros_to(CHECKSUM_AT + 4);
        writer.u64(self.key.hash(KEY_CHECK));
        writer.u64(self.entries.len() as u64);
        self.entries.iter().for_each(|&entry| writer.u64(entry));
        writer.finish_sealed(CHECKSUM_AT)
    }

    /// The ranks in the bytes of a file, for the filter with this key.
    ///
    /// # Errors
    /// [`RanksProblem`].
    pub fn decode(bytes: &[u8], key: &Key) -> Result<Ranks, RanksProblem> {
        let mut reader = Reader::new(bytes);
        if reader.take::<8>() != MAGIC {
            return Err(RanksProblem::NotRanks);
        }
        let version = reader.u16();
        if version != VERSION {
            return Err(RanksProblem::Version { got: version });
        }
        let (reserved, _checksum) = (reader.u16(), reader.u32());
        let (key_check, count) = (reader.u64(), reader.u64());
        let rest = bytes.get(HEADER_BYTES..).unwrap_or_default();
        let is_whole = usize::try_from(count).is_ok_and(|count| {
            count <= MAX_RANKED && bytes.len() == HEADER_BYTES + 8 * count && rest.len() == 8 * count
        });
        if !is_whole || reserved != 0 || !is_sealed(bytes, CHECKSUM_AT) {
            return Err(RanksProblem::Damaged);
        }
        if key_check != key.hash(KEY_CHECK) {
            return Err(RanksProblem::OtherFilter);
        }
        let entries: Vec<u64> = chunks(rest).0.iter().map(|entry| u64::from_le_bytes(*entry)).collect();
        if !entries.is_sorted_by(|one, next| one >> RANK_BITS < next >> RANK_BITS) {
            return Err(RanksProblem::Damaged);
        }
        Ok(Ranks { key: key.clone(), entries })
    }

    /// The ranks of the filter at `filter`, which has this key; none if there is no such file.
    ///
    /// # Errors
    /// [`RanksError`]: the filter can still be queried, and its suggestions are not ordered by rank.
    pub fn beside(filter: &Path, key: &Key) -> Result<Option<Ranks>, RanksError> {
        let path = Ranks::path_beside(filter);
        let bytes = match read_trusted(&path, HEADER_BYTES + 8 * MAX_RANKED) {
            Ok(bytes) => bytes,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(RanksError::Storage(error)),
        };
        let ranks = Ranks::decode(&bytes, key);
        ranks.map(Some).map_err(|problem| RanksError::Ranks { path, problem })
    }

    /// The path of the ranks of the filter at `filter`: its name with `.ranks` appended.
    pub fn path_beside(filter: &Path) -> PathBuf {
        let mut name = OsString::from(filter);
        name.push(".ranks");
        PathBuf::from(name)
    }

    /// The entry of a word without its rank.
    fn of_word(&self, word: &Word) -> u64 {
        self.key.hash(word.as_bytes()) >> RANK_BITS << RANK_BITS
    }
}

/// The reason why ranks cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum RanksError {
    /// The file cannot be read or is not trusted.
    Storage(StorageError),
    /// The bytes are not ranks of this filter.
    Ranks {
        /// The file.
        path: PathBuf,
        /// The error.
        problem: RanksProblem,
    },
}

/// An error in a ranks file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RanksProblem {
    /// It does not begin like one.
    NotRanks,
    /// Its version is not supported.
    Version {
        /// That version.
        got: u16,
    },
    /// Its checksum, its length or the order of its entries is wrong.
    Damaged,
    /// It was written with another key: the filter was rebuilt without it.
    OtherFilter,
}

impl fmt::Display for RanksProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RanksProblem::NotRanks => f.write_str("is not a ranks file"),
            RanksProblem::Version { got } => {
                write!(f, "is a ranks file of version {got}, but this program reads version {VERSION}")
            }
            RanksProblem::Damaged => f.write_str("is damaged"),
            RanksProblem::OtherFilter => f.write_str("belongs to another filter than the one next to it"),
        }
    }
}

impl fmt::Display for RanksError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RanksError::Storage(error) => error.fmt(f),
            RanksError::Ranks { path, problem } => {
                write!(f, "{}: {problem}; filterctl build --top writes both together", path.display())
            }
        }
    }
}

impl Keyed for RanksError {
    fn key(&self) -> MessageKey {
        match self {
            RanksError::Storage(error) => error.key(),
            RanksError::Ranks { .. } => keys::RANKS_UNUSABLE,
        }
    }
}

impl Error for RanksError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RanksError::Storage(error) => Some(error),
            RanksError::Ranks { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests;
