//! The ranges of unfinished groups, `.NAME.part.kept`: if one range of a group cannot be fetched, the others
//! are kept here, and the next attempt asks for that one alone. Only where each range is in the file is in
//! memory.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a file that this program writes")]

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, Read},
    ops::Range as Numbers,
    os::unix::fs::FileExt,
};

use crate::{client::MAX_ETAG_BYTES, range::Range};

/// Bytes before the ranges' own: the length, the number of the range, and a checksum of all that follows
/// it and of the number.
const HEAD_BYTES: usize = 12;

/// Bytes of a range without its `ETag` and digests.
const FIXED_BYTES: usize = 11;

/// The highest length of a range's record.
const MAX_BYTES: usize = FIXED_BYTES + MAX_ETAG_BYTES + nearmiss_cli::input::MAX_RANGE_DIGESTS * 20;

/// The kept ranges.
pub(crate) struct Kept {
    file: File,
    end: u64,
    /// The position and length of each record.
    places: BTreeMap<u32, (u64, u32)>,
}

impl Kept {
    /// The ranges in a file, up to the first record that is truncated or damaged: the rest is cut off.
    ///
    /// # Errors
    /// The file cannot be read or cut.
    pub(crate) fn over(file: File) -> io::Result<Kept> {
        let (mut end, mut places) = (0, BTreeMap::new());
        let mut from = BufReader::new(&file);
        while let Some((number, bytes)) = next(&mut from)? {
            let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            places.insert(number, (end + HEAD_BYTES as u64, length));
            end += (HEAD_BYTES + bytes.len()) as u64;
        }
        file.set_len(end)?;
        Ok(Kept { file, end, places })
    }

    /// Another view of the ranges that are there now.
    ///
    /// # Errors
    /// The system has no more descriptors.
    pub(crate) fn view(&self) -> io::Result<Kept> {
        Ok(Kept { file: self.file.try_clone()?, end: self.end, places: self.places.clone() })
    }

    /// Adds a range, if it is not there.
    ///
    /// # Errors
    /// The disk is full, for instance.
    pub(crate) fn keep(&mut self, number: u32, range: &Range) -> io::Result<()> {
        if self.places.contains_key(&number) {
            return Ok(());
        }
        let bytes = encode(range);
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let mut record = Vec::with_capacity(HEAD_BYTES + bytes.len());
        for field in [length, number, checksum(number, &bytes)] {
            record.extend(field.to_le_bytes());
        }
        record.extend(bytes);
        self.file.write_all_at(&record, self.end)?;
        self.places.insert(number, (self.end + HEAD_BYTES as u64, length));
        self.end += record.len() as u64;
        Ok(())
    }

    /// The number of these ranges that are there.
    pub(crate) fn count(&self, numbers: Numbers<u32>) -> u64 {
        self.places.range(numbers).count() as u64
    }

    /// The part of these ranges that is there.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn take(&self, numbers: Numbers<u32>) -> io::Result<BTreeMap<u32, Range>> {
        let mut ranges = BTreeMap::new();
        for (&number, &(at, length)) in self.places.range(numbers) {
            let mut bytes = vec![0; length as usize];
            self.file.read_exact_at(&mut bytes, at)?;
            ranges.extend(decode(&bytes).map(|range| (number, range)));
        }
        Ok(ranges)
    }
}

fn checksum(number: u32, bytes: &[u8]) -> u32 {
    let mut hash = crc32fast::Hasher::new();
    hash.update(&number.to_le_bytes());
    hash.update(bytes);
    hash.finalize()
}

fn encode(range: &Range) -> Vec<u8> {
    let etag = range.etag.as_deref().filter(|etag| etag.len() <= MAX_ETAG_BYTES).unwrap_or_default();
    let mut to = Vec::with_capacity(FIXED_BYTES + etag.len() + range.digests.len());
    to.extend(range.entries.to_le_bytes());
    to.extend(range.mark.to_le_bytes());
    // At most 96.
    to.push(u8::try_from(etag.len()).unwrap_or(0));
    to.extend(etag.as_bytes());
    to.extend(&range.digests);
    to
}

fn decode(bytes: &[u8]) -> Option<Range> {
    let (entries, rest) = bytes.split_first_chunk()?;
    let (mark, rest) = rest.split_first_chunk()?;
    let (&length, rest) = rest.split_first()?;
    let (etag, digests) = rest.split_at_checked(length.into())?;
    let etag = std::str::from_utf8(etag).ok()?;
    Some(Range {
        digests: digests.to_vec(),
        entries: u16::from_le_bytes(*entries),
        mark: u64::from_le_bytes(*mark),
        etag: (!etag.is_empty()).then(|| etag.into()),
    })
}

/// The next record; none at the end, or if the rest is truncated or damaged.
fn next(from: &mut impl Read) -> io::Result<Option<(u32, Vec<u8>)>> {
    let mut head = [0; HEAD_BYTES];
    if !fill(from, &mut head)? {
        return Ok(None);
    }
    let field = |at: usize| {
        head.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |&bytes| u32::from_le_bytes(bytes))
    };
    let length = field(0) as usize;
    if !(FIXED_BYTES..=MAX_BYTES).contains(&length) {
        return Ok(None);
    }
    let mut bytes = vec![0; length];
    let is_whole = fill(from, &mut bytes)? && checksum(field(4), &bytes) == field(8);
    Ok(is_whole.then(|| (field(4), bytes)))
}

/// Fills the buffer; false at the end of the file.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(seed: u8) -> Range {
        Range {
            digests: vec![seed; 20 * usize::from(seed)],
            entries: seed.into(),
            mark: u64::from(seed) << 40,
            etag: (!seed.is_multiple_of(2)).then(|| format!("\"{seed}\"").into()),
        }
    }

    fn kept(ranges: &[u8]) -> Kept {
        let mut kept = Kept::over(tempfile::tempfile().unwrap()).unwrap();
        for &seed in ranges {
            kept.keep(seed.into(), &range(seed)).unwrap();
        }
        kept
    }

    #[test]
    fn what_is_kept_is_there_again() {
        let first = kept(&[7, 3, 12, 7]);
        let again = Kept::over(first.view().unwrap().file).unwrap();
        for kept in [first, again] {
            let taken = kept.take(3..12).unwrap();
            assert_eq!(taken.into_iter().collect::<Vec<_>>(), [(3, range(3)), (7, range(7))]);
            assert_eq!((kept.count(0..99), kept.count(8..12)), (3, 0));
        }
    }

    #[test]
    fn what_is_damaged_is_cut_off_with_the_rest() {
        let whole = kept(&[1, 2, 3]);
        let places: Vec<(u64, u32)> = whole.places.values().copied().collect();
        for at in 0..whole.end {
            let damaged = kept(&[1, 2, 3]);
            let mut byte = [0];
            damaged.file.read_exact_at(&mut byte, at).unwrap();
            damaged.file.write_all_at(&[byte[0] ^ 0x10], at).unwrap();
            let before = places.iter().filter(|(start, length)| start + u64::from(*length) <= at).count();
            let mut left = Kept::over(damaged.file).unwrap();
            assert_eq!(left.places.len(), before, "{at}");
            left.keep(9, &range(9)).unwrap();
            assert_eq!(left.take(9..10).unwrap()[&9], range(9), "{at}");
        }
    }
}
