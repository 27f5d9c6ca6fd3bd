//! Fixed fields of files: little-endian numbers one after the other, reserved zeros, a CRC-32 (IEEE 802.3).
//!
//! The reader of each file validates the fields; a field beyond the end reads as zero, which every reader
//! refuses if the field matters, or else by the file's length.

pub(crate) use crc32fast::{Hasher as Crc32, hash as crc32};

use crate::chunks::chunks;

/// Reads fields one after the other.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    /// The next bytes; zeros when fewer are left.
    pub(crate) fn take<const N: usize>(&mut self) -> [u8; N] {
        let (first, rest) = self.0.split_first_chunk::<N>().unwrap_or((&[0; N], &[]));
        self.0 = rest;
        *first
    }

    pub(crate) fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.take())
    }

    pub(crate) fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    pub(crate) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    pub(crate) fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    /// The largest of the next bytes, which are reserved: zero if all of them are.
    pub(crate) fn reserved<const N: usize>(&mut self) -> u8 {
        largest(&self.take::<N>())
    }

    /// The largest of all bytes that are left.
    pub(crate) fn reserved_to_end(&mut self) -> u8 {
        largest(std::mem::take(&mut self.0))
    }
}

/// The largest byte: zero if all are, as required of reserved bytes. They are read in groups of eight, since
/// a header may have thousands of them.
pub(crate) fn largest(bytes: &[u8]) -> u8 {
    let (words, rest) = chunks::<_, _, 8>(bytes);
    let has_any = words.iter().any(|&word| u64::from_ne_bytes(word) != 0);
    let looked_at = if has_any { bytes } else { rest };
    looked_at.iter().copied().max().unwrap_or(0)
}

/// Writes fields one after the other.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// A writer with room for this many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Writer {
        Writer(Vec::with_capacity(bytes))
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn u16(&mut self, number: u16) {
        self.put(&number.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, number: u32) {
        self.put(&number.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, number: u64) {
        self.put(&number.to_le_bytes());
    }

    /// Zeros up to this offset: reserved bytes, or room for the checksum.
    pub(crate) fn zeros_to(&mut self, offset: usize) {
        self.0.resize(offset.max(self.0.len()), 0);
    }

    /// The checksum of everything written so far.
    pub(crate) fn checksum(&mut self) {
        self.u32(crc32(&self.0));
    }

    /// Everything written.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }

    /// Everything written, as a page: truncated or padded with zeros to its length.
    pub(crate) fn finish_page<const N: usize>(self) -> [u8; N] {
        let mut page = [0; N];
        page.iter_mut().zip(self.0).for_each(|(to, from)| *to = from);
        page
    }

    /// Everything written, with its checksum in the four bytes at `at`.
    pub(crate) fn finish_sealed(mut self, at: usize) -> Vec<u8> {
        let sum = checksum(&self.0, at).to_le_bytes();
        if let Some(place) = self.0.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *place = sum;
        }
        self.0
    }
}

/// True when the four bytes at `at` are the checksum of all before them.
pub(crate) fn has_checksum(bytes: &[u8], at: usize) -> bool {
    let (before, rest) = bytes.split_at_checked(at).unwrap_or_default();
    rest.first_chunk() == Some(&crc32(before).to_le_bytes())
}

/// True when the four bytes at `at` are the checksum of all others.
pub(crate) fn is_sealed(bytes: &[u8], at: usize) -> bool {
    let stored = bytes.get(at..).and_then(<[u8]>::first_chunk);
    stored == Some(&checksum(bytes, at).to_le_bytes())
}

/// CRC-32 of the bytes with the four at `at`, where it is stored, as zeros.
fn checksum(bytes: &[u8], at: usize) -> u32 {
    let (before, rest) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    let after = rest.get(4..).unwrap_or_default();
    let mut sum = Crc32::new();
    for part in [before, &[0; 4], after] {
        sum.update(part);
    }
    sum.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut to = Writer::with_capacity(32);
        to.put(b"\x89AB");
        to.put(&[7]);
        to.u16(0x0102);
        to.u32(0x0304_0506);
        to.zeros_to(16);
        to.u64(u64::MAX - 1);
        to.zeros_to(28);
        to.finish_sealed(12)
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = written();
        assert_eq!(bytes.len(), 28);
        let mut from = Reader::new(&bytes);
        assert_eq!(
            (from.take::<3>(), from.u8(), from.u16(), from.u32()),
            (*b"\x89AB", 7, 0x0102, 0x0304_0506)
        );
        assert_eq!(from.reserved::<2>(), 0);
        from.take::<4>();
        assert_eq!((from.u64(), from.reserved_to_end(), from.reserved_to_end()), (u64::MAX - 1, 0, 0));
        assert_eq!(from.u32(), 0, "beyond the end");
        let mut short = Reader::new(&[1, 2, 3]);
        assert_eq!((short.u32(), short.u8()), (0, 0), "no part of a field");
        assert_eq!(
            (Reader::new(&[0, 3, 2]).reserved::<3>(), Reader::new(&[0, 3, 4]).reserved_to_end()),
            (3, 4)
        );
    }

    /// The check value of the catalogue of CRCs, and zip's checksum of nothing.
    #[test]
    fn the_checksum_is_that_of_ieee_802_3() {
        assert_eq!((crc32(b"123456789"), crc32(b"")), (0xcbf4_3926, 0));
    }

    #[test]
    fn the_checksum_is_that_of_all_other_bytes() {
        let mut bytes = written();
        let stored = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
        bytes[12..16].fill(0);
        assert_eq!(crc32fast::hash(&bytes), stored);
        let bytes = written();
        assert!(is_sealed(&bytes, 12));
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_sealed(&flipped, 12), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(!is_sealed(&bytes[..length], 12), "{length} bytes");
        }
        assert!(!is_sealed(&[], 12) && !is_sealed(&bytes, 26));
    }

    #[test]
    fn a_checksum_at_the_end_is_that_of_all_before_it() {
        let mut to = Writer::with_capacity(16);
        to.put(b"all before");
        to.checksum();
        to.zeros_to(16);
        let page = Writer(to.0.clone()).finish_page::<20>();
        let bytes = to.finish();
        assert_eq!((&page[..16], &page[16..]), (&bytes[..], &[0; 4][..]));
        assert_eq!(bytes[10..14], crc32fast::hash(b"all before").to_le_bytes());
        assert!(has_checksum(&bytes, 10) && !has_checksum(&bytes, 9) && !has_checksum(&bytes[..13], 10));
        assert!(!has_checksum(&[], 10));
        for bit in 0..14 * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!has_checksum(&flipped, 10), "bit {bit}");
        }
    }
}
