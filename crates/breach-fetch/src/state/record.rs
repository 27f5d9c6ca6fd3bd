//! One record a group: the state of its ranges, and the checksum of its pages.

use std::io::{self, Read};

use super::StateHeader;
use crate::client::MAX_ETAG_BYTES;

/// Bytes of a record without its ranges.
const FIXED_BYTES: usize = 16;

/// Bytes before a record in an unfinished file: the number of the group, and a checksum of it.
pub(crate) const NUMBER_BYTES: u64 = 8;

/// Bytes of a range without its `ETag`.
const RANGE_BYTES: usize = 3;

/// The most bytes of a range in the file, with its part of its group's record.
pub(crate) const RECORD_BYTES: u64 = (RANGE_BYTES + MAX_ETAG_BYTES + FIXED_BYTES) as u64 + NUMBER_BYTES;

/// The record of a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RangeRecord {
    /// Digests that were taken from it.
    pub(crate) entries: u16,
    /// The server's name for its content.
    pub(crate) etag: Option<Box<str>>,
}

/// The record of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupRecord {
    /// Distinct digests in its pages.
    pub(crate) words: u32,
    /// CRC-32 of its pages.
    pub(crate) pages: u32,
    /// Its ranges.
    pub(crate) ranges: Vec<RangeRecord>,
}

impl GroupRecord {
    /// Digests taken from its ranges.
    pub(crate) fn entries(&self) -> u64 {
        self.ranges.iter().map(|range| u64::from(range.entries)).sum()
    }

    /// The record's bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut ranges = Vec::new();
        for range in &self.ranges {
            let etag = range.etag.as_deref().filter(|etag| etag.len() <= MAX_ETAG_BYTES).unwrap_or_default();
            ranges.extend(range.entries.to_le_bytes());
            // At most 96.
            ranges.push(u8::try_from(etag.len()).unwrap_or(0));
            ranges.extend(etag.as_bytes());
        }
        let length = u32::try_from(ranges.len()).unwrap_or(u32::MAX);
        let mut to = Vec::with_capacity(ranges.len().saturating_add(FIXED_BYTES));
        for number in [length, self.words, self.pages] {
            to.extend(number.to_le_bytes());
        }
        to.extend(ranges);
        to.extend(crc32fast::hash(&to).to_le_bytes());
        to
    }
}

impl GroupRecord {
    /// The record of this group in an unfinished file.
    pub(crate) fn encode_numbered(&self, group: u64) -> Vec<u8> {
        let number = u32::try_from(group).unwrap_or(u32::MAX).to_le_bytes();
        let mut to = [number, crc32fast::hash(&number).to_le_bytes()].concat();
        to.extend(self.encode());
        to
    }
}

/// Reads records one after the other.
pub(crate) struct Records<R> {
    from: R,
    ranges: u32,
    /// Remaining groups.
    left: u64,
}

impl<R: Read> Records<R> {
    /// The records after this header.
    pub(crate) fn behind(header: &StateHeader, from: R) -> Records<R> {
        Records { from, ranges: header.ranges_of_group(), left: header.groups() }
    }

    /// The records of an unfinished file after this header, in the order in which they were written, of a
    /// group perhaps several.
    pub(crate) fn numbered(header: &StateHeader, from: R) -> Records<R> {
        Records { from, ranges: header.ranges_of_group(), left: u64::MAX }
    }

    /// The next record of an unfinished file with the number of its group; none as in [`Records::next`].
    pub(crate) fn next_numbered(&mut self) -> io::Result<Option<(u64, GroupRecord)>> {
        let mut number = [0; 8];
        if !fill(&mut self.from, &mut number)? {
            return Ok(None);
        }
        let [a, b, c, d, sum @ ..] = number;
        let number = [a, b, c, d];
        if crc32fast::hash(&number).to_le_bytes() != sum {
            return Ok(None);
        }
        Ok(self.next()?.map(|record| (u32::from_le_bytes(number).into(), record)))
    }

    /// The next record; none at the end, or if the rest is truncated or damaged.
    pub(crate) fn next(&mut self) -> io::Result<Option<GroupRecord>> {
        if self.left == 0 {
            return Ok(None);
        }
        let record = self.read()?;
        self.left = if record.is_some() { self.left.saturating_sub(1) } else { 0 };
        Ok(record)
    }

    fn read(&mut self) -> io::Result<Option<GroupRecord>> {
        let mut fixed = [0; 12];
        if !fill(&mut self.from, &mut fixed)? {
            return Ok(None);
        }
        let field = |at: usize| {
            fixed.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |&bytes| u32::from_le_bytes(bytes))
        };
        let length = usize::try_from(field(0)).unwrap_or(usize::MAX);
        let ranges = usize::try_from(self.ranges).unwrap_or(usize::MAX);
        let legal = ranges.saturating_mul(RANGE_BYTES)..=ranges.saturating_mul(RANGE_BYTES + MAX_ETAG_BYTES);
        if !legal.contains(&length) {
            return Ok(None);
        }
        let mut rest = vec![0; length.saturating_add(4)];
        if !fill(&mut self.from, &mut rest)? {
            return Ok(None);
        }
        let Some((text, sum)) = rest.split_at_checked(length) else { return Ok(None) };
        let mut hash = crc32fast::Hasher::new();
        hash.update(&fixed);
        hash.update(text);
        if sum != hash.finalize().to_le_bytes() {
            return Ok(None);
        }
        let ranges = ranges_of(text, ranges);
        Ok(ranges.map(|ranges| GroupRecord { words: field(4), pages: field(8), ranges }))
    }
}

fn ranges_of(mut text: &[u8], count: usize) -> Option<Vec<RangeRecord>> {
    let mut ranges = Vec::with_capacity(count);
    for _ in 0..count {
        let (entries, rest) = text.split_first_chunk()?;
        let (&length, rest) = rest.split_first()?;
        let (etag, rest) = rest.split_at_checked(length.into())?;
        let etag =
            std::str::from_utf8(etag).ok().filter(|etag| etag.bytes().all(|b| b.is_ascii_graphic()))?;
        let etag = (!etag.is_empty()).then(|| etag.into());
        ranges.push(RangeRecord { entries: u16::from_le_bytes(*entries), etag });
        text = rest;
    }
    text.is_empty().then_some(ranges)
}

/// Fills the buffer; false at the end of the file.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
