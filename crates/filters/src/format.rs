//! The dictionary filter's file format: the header, its encoding and every range check. FORMAT.md is
//! normative.
//!
//! A file is a header, a multiple of 4 KiB, followed by the pages and the pages of the table of 4-grams.
//! Every field is checked as if there were no checksum: an attacker can compute checksums, and a length taken
//! from a file never sizes an allocation before it was found to be within its limit and to agree with the
//! file's length.

mod decode;
mod encode;
mod error;

pub(crate) use decode::decode_header;
pub use decode::{decode, header_bytes_of};
pub use encode::encode;
pub use error::FormatError;

use crate::{
    alphabet::Alphabet,
    digrams::Digrams,
    hash::{HashVersion, Key},
    page::{Layer, PAGE_BYTES, Probes, Spread},
};

/// First bytes of a dictionary filter: a byte that is not text, a name, and line ends that a text transfer
/// breaks.
pub const MAGIC: [u8; 8] = *b"\x89NMF\r\n\x1a\n";

/// The format version that this library writes, and the newest one that it reads.
pub(crate) const VERSION: u16 = 1;

/// Bytes of the fixed fields, before the alphabet.
pub const FIXED_BYTES: usize = 256;

/// Bytes of the longest header: the largest alphabet, the largest digram table.
pub(crate) const MAX_HEADER_BYTES: u32 = 8_654_848;

/// The highest number of pages of a filter: 2⁴⁰ pages of 4 KiB are 4 PiB.
pub(crate) const MAX_PAGES: u64 = 1 << 40;

/// The highest number of group bits: the digits that name a range file, so that a group consists of whole
/// ranges.
pub const MAX_GROUP_BITS: u8 = 20;

/// The kind of a filter's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Cleaned words.
    Words,
    /// SHA-1 digests of passwords.
    Sha1,
    /// NTLM digests (MD4 of UTF-16LE) of passwords.
    Ntlm,
}

impl Kind {
    /// The name used on the command line and in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Words => "words",
            Kind::Sha1 => "sha1",
            Kind::Ntlm => "ntlm",
        }
    }

    /// Bytes of a digest; none for words.
    pub(crate) fn digest_bytes(self) -> Option<u16> {
        match self {
            Kind::Words => None,
            Kind::Sha1 => Some(20),
            Kind::Ntlm => Some(16),
        }
    }
}

/// The lookups that a filter supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Members and strings within edit distance 1 of a member.
    Near,
    /// Members only.
    Exact,
}

impl Match {
    /// The name used on the command line, in the configuration and in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            Match::Near => "near",
            Match::Exact => "exact",
        }
    }
}

/// The scheme by which a near filter finds neighbours (`crate::neighbours`); an exact filter only stores
/// the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemeId {
    /// The words only.
    Whole,
    /// Deletions propose, words decide.
    Deletions,
    /// The paper's 1-extension.
    Paper,
}

impl SchemeId {
    /// The name used on the command line and in `--json`.
    pub fn name(self) -> &'static str {
        match self {
            SchemeId::Whole => "whole",
            SchemeId::Deletions => "deletions",
            SchemeId::Paper => "paper",
        }
    }

    /// The scheme by which the strings of a word are stored, with this number of bits for a deletion: without
    /// them, only the word.
    #[must_use]
    pub(crate) fn stored_with(self, deletion_bits: u8) -> SchemeId {
        if self == SchemeId::Deletions && deletion_bits == 0 { SchemeId::Whole } else { self }
    }

    /// The spread of a string's bits in its page, with this number of bits for a deletion. A near lookup of
    /// words probes many strings, so their bits lie together: eight of a word if deletions are in the same
    /// line, four if only words are. An exact lookup probes a single string, and the paper's scheme follows
    /// the paper.
    pub fn spread(self, deletion_bits: u8) -> Spread {
        match self {
            SchemeId::Whole | SchemeId::Paper => Spread::Page,
            SchemeId::Deletions if deletion_bits == 0 => Spread::FourPerLine,
            SchemeId::Deletions => Spread::EightPerLine,
        }
    }
}

/// The stated false rejection rate and its assumptions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StatedRate {
    /// The highest probability that a password that is not near the dictionary is rejected by accident.
    pub false_rejection: f64,
    /// Characters of that password.
    pub characters: u16,
    /// Lookups of one check: the candidate and its variants.
    pub lookups: u16,
}

/// Everything in a dictionary filter's header.
#[derive(Clone, Debug)]
pub struct Header {
    /// The kind of the entries.
    pub kind: Kind,
    /// The supported lookups.
    pub matching: Match,
    /// The scheme by which neighbours are found.
    pub scheme: SchemeId,
    /// Probes of a string in the word layer, 1..=64.
    pub word_bits: u8,
    /// Probes of a string in the deletion layer: 0, 2, 4, 6 or 8.
    pub deletion_bits: u8,
    /// The hash key.
    pub key: Key,
    /// Number of 4 KiB pages for keys.
    pub pages: u64,
    /// Distinct entries; an estimate within 0.5 % beyond a million.
    pub words: u64,
    /// Lines accepted from the lists, repetitions included.
    pub lines: u64,
    /// Distinct strings and positions of the deletion layer (or of the paper's extension); an estimate beyond
    /// 100,000.
    pub extension: u64,
    /// Entries the geometry was sized for.
    pub capacity: u64,
    /// The rate stated at the build.
    pub stated: StatedRate,
    /// Seconds since 1970 of the build; 0 if it was not recorded.
    pub created: u64,
    /// Characters of the shortest and the longest entry (bytes for digests); both 0 without entries.
    pub lengths: (u16, u16),
    /// The characters that occur.
    pub alphabet: Alphabet,
    /// The pairs of neighbouring characters that occur.
    pub digrams: Digrams,
    /// Pages of the table of the 4-grams of long words (`crate::four_grams`), after the others; 0 if words
    /// at distance 2 cannot be found.
    pub four_gram_pages: u8,
    /// The mapping of strings to bits.
    pub hash_version: HashVersion,
    /// The number of first bits of a digest that select its group of pages; 0 for one group of all pages.
    pub group_bits: u8,
}

impl Header {
    /// Bytes of the encoded header: a multiple of the page size.
    pub fn header_bytes(&self) -> usize {
        header_bytes(self.alphabet.len(), self.digrams.byte_length(self.alphabet.len()))
    }

    /// The scheme that determines the stored strings of a word.
    pub(crate) fn stored(&self) -> SchemeId {
        self.scheme.stored_with(self.deletion_bits)
    }

    /// The spread of a string's bits in its page.
    pub fn spread(&self) -> Spread {
        self.scheme.spread(self.deletion_bits)
    }

    /// The hash of an entry, or of another string of the word layer. With groups its first bits are the
    /// digest's, so that the pages are in the order of the digests.
    #[inline]
    pub fn hash(&self, string: &[u8]) -> u64 {
        self.in_group(self.key.hash(string), string)
    }

    /// The same for a digest that was just decoded.
    #[inline]
    pub(crate) fn hash_digest(&self, digest: &[u8]) -> u64 {
        self.in_group(self.key.hash_digest(digest), digest)
    }

    #[inline]
    fn in_group(&self, hash: u64, digest: &[u8]) -> u64 {
        if self.group_bits == 0 {
            return hash;
        }
        let first = digest.first_chunk().map_or(0, |&first| u64::from_be_bytes(first));
        let rest = u64::MAX.wrapping_shr(self.group_bits.into());
        (first & !rest) | hash.wrapping_shr(self.group_bits.into())
    }

    /// The group of a hash.
    #[inline]
    pub(crate) fn group_of(&self, hash: u64) -> u64 {
        hash.checked_shr(u64::BITS.saturating_sub(self.group_bits.into())).unwrap_or(0)
    }

    /// The first and the last range, each named by the first five digits of its digests, of a group.
    pub(crate) fn ranges_of(&self, group: u64) -> (u32, u32) {
        let each = 1_u32.wrapping_shl(MAX_GROUP_BITS.saturating_sub(self.group_bits).into());
        let first = u32::try_from(group).unwrap_or(u32::MAX).saturating_mul(each);
        (first, first.saturating_add(each.saturating_sub(1)))
    }

    /// The number of pages of a group; all pages without groups.
    pub fn group_pages(&self) -> u64 {
        self.pages.wrapping_shr(self.group_bits.into())
    }

    /// The bits of a string in a layer.
    #[inline]
    pub fn probes(&self, layer: Layer) -> Probes {
        let count = match layer {
            Layer::Word => self.word_bits,
            Layer::Deletion { .. } => self.deletion_bits,
        };
        Probes { layer, count, spread: self.spread() }
    }

    /// Pages of the file, including the table of 4-grams.
    pub fn all_pages(&self) -> u64 {
        self.pages.saturating_add(self.four_gram_pages.into())
    }

    /// Bytes of the whole file.
    pub fn file_bytes(&self) -> u64 {
        self.all_pages().saturating_mul(PAGE_BYTES as u64).saturating_add(self.header_bytes() as u64)
    }
}

fn header_bytes(symbols: usize, digram_bytes: usize) -> usize {
    let variable = symbols.saturating_mul(4).saturating_add(digram_bytes);
    FIXED_BYTES.saturating_add(variable).next_multiple_of(PAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{alphabet::MAX_SYMBOLS, digrams::MAX_HASHED_BYTES};

    #[test]
    fn the_longest_header_is_that_of_the_largest_table() {
        assert_eq!(MAX_HEADER_BYTES as usize, header_bytes(MAX_SYMBOLS, MAX_HASHED_BYTES));
    }

    #[test]
    fn names_are_those_of_the_command_line_and_of_json() {
        assert_eq!([Kind::Words, Kind::Sha1, Kind::Ntlm].map(Kind::name), ["words", "sha1", "ntlm"]);
        assert_eq!([Match::Near, Match::Exact].map(Match::name), ["near", "exact"]);
        let schemes = [SchemeId::Whole, SchemeId::Deletions, SchemeId::Paper];
        assert_eq!(schemes.map(SchemeId::name), ["whole", "deletions", "paper"]);
    }
}
