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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn word(text: &str) -> Word {
        Word::clean(text.as_bytes()).unwrap()
    }

    fn ranks(texts: &[&str]) -> Ranks {
        let words: Vec<Word> = texts.iter().map(|text| word(text)).collect();
        Ranks::new(Key::new([7; 16]), &words)
    }

    #[test]
    fn a_word_has_the_first_rank_that_it_was_given() {
        let ranks = ranks(&["the", "of", "The", "élan"]);
        let rank = |text| ranks.rank(&word(text));
        assert_eq!([rank("the"), rank("of"), rank("Élan"), rank("and")], [Some(1), Some(2), Some(4), None]);
        assert_eq!((ranks.len(), ranks.is_empty()), (3, false));
        assert_eq!(Ranks::empty(Key::new([7; 16])).rank(&word("the")), None);
    }

    /// The layout of FORMAT-RANKS.md, byte by byte.
    #[test]
    fn the_file_is_laid_out_as_documented() {
        let key = Key::new(std::array::from_fn(|at| u8::try_from(at).unwrap()));
        let bytes = Ranks::new(key.clone(), &[word("guess"), word("elephant")]).encode();
        let expected = [0x89, 0x4e, 0x4d, 0x52, 0x0d, 0x0a, 0x1a, 0x0a, 0x01, 0x00, 0x00, 0x00];
        assert_eq!(bytes[..12], expected);
        assert_eq!(bytes[16..24], key.hash(b"nearmiss ranks").to_le_bytes());
        assert_eq!((bytes[24], bytes.len()), (2, 48));
        let mut entries: Vec<u64> = [("guess", 0), ("elephant", 1)]
            .map(|(text, rank)| key.hash(text.as_bytes()) >> 24 << 24 | rank)
            .into();
        entries.sort_unstable();
        assert_eq!(bytes[32..40], entries[0].to_le_bytes());
        assert_eq!(bytes[40..48], entries[1].to_le_bytes());
        assert_eq!(Ranks::decode(&bytes, &key).unwrap().rank(&word("elephant")), Some(2));
        let other = Key::new([9; 16]);
        assert_eq!(Ranks::decode(&bytes, &other).err(), Some(RanksProblem::OtherFilter));
    }

    #[test]
    fn wrong_files_say_what_is_wrong_with_them() {
        let good = ranks(&["one", "two", "three"]).encode();
        let problem = |bytes: &[u8]| Ranks::decode(bytes, &Key::new([7; 16])).err();
        let changed = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            bytes
        };
        let sealed = |bytes: Vec<u8>| {
            let mut writer = Writer::with_capacity(bytes.len());
            writer.put(&bytes);
            writer.finish_sealed(CHECKSUM_AT)
        };
        assert_eq!(problem(&good), None);
        assert_eq!(problem(b""), Some(RanksProblem::NotRanks));
        assert_eq!(problem(&changed(3, b'F')), Some(RanksProblem::NotRanks));
        assert_eq!(problem(&changed(8, 2)), Some(RanksProblem::Version { got: 2 }));
        assert_eq!(problem(&good[..good.len() - 1]), Some(RanksProblem::Damaged));
        for (at, byte) in [(10, 1), (24, 4), (31, 0x80)] {
            assert_eq!(problem(&sealed(changed(at, byte))), Some(RanksProblem::Damaged), "{at}");
        }
        let mut swapped = good.clone();
        let (first, second) = swapped[32..48].split_at_mut(8);
        first.swap_with_slice(second);
        assert_eq!(problem(&sealed(swapped)), Some(RanksProblem::Damaged));
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_back(texts in prop::collection::vec("[a-zé]{1,6}", 0..60)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let ranks = ranks(&texts);
            let again = Ranks::decode(&ranks.encode(), &Key::new([7; 16])).unwrap();
            for text in &texts {
                let first = texts.iter().position(|other| word(other) == word(text)).unwrap();
                prop_assert_eq!(again.rank(&word(text)), u32::try_from(first + 1).ok());
            }
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..99), is_headed: bool) {
            let head: &[u8] = if is_headed { b"\x89NMR\r\n\x1a\n\x01\0\0\0" } else { b"" };
            prop_assert!(Ranks::decode(&[head, &bytes].concat(), &Key::new([7; 16])).is_err());
        }

        #[test]
        fn no_byte_can_be_changed_unseen(at in 0..56_usize, bit in 0..8_u32) {
            let mut bytes = ranks(&["one", "two", "three"]).encode();
            bytes[at] ^= 1 << bit;
            prop_assert!(Ranks::decode(&bytes, &Key::new([7; 16])).is_err());
        }
    }
}
