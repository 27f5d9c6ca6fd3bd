//! The file of a PAM module: whether it is complete.

use std::{fs, path::Path};

/// Longest module that is read, in bytes.
const LONGEST: u64 = 256 << 20;

/// True for a file that is a complete shared object.
pub(crate) fn is_complete(file: &Path) -> bool {
    let is_short = fs::metadata(file).is_ok_and(|metadata| metadata.len() <= LONGEST);
    is_short && fs::read(file).is_ok_and(|bytes| is_whole(&bytes))
}

/// True for an ELF shared object whose header, segments and section table lie within the file. The table is
/// at the end, so a truncated file is detected.
fn is_whole(bytes: &[u8]) -> bool {
    whole(bytes).unwrap_or(false)
}

fn whole(bytes: &[u8]) -> Option<bool> {
    const SHARED_OBJECT: u64 = 3;
    const LOADED: u64 = 1;
    let is_elf = bytes.starts_with(b"\x7fELF");
    let is_wide = *bytes.get(4)? == 2;
    let elf = Elf { bytes, is_big: *bytes.get(5)? == 2 };
    // Offsets and sizes have 8 bytes in the wide form, which moves what follows them.
    let word = if is_wide { 8 } else { 4 };
    let at = |wide: usize, narrow: usize| if is_wide { wide } else { narrow };
    let [segments, sections] = [elf.number(at(32, 28), word)?, elf.number(at(40, 32), word)?];
    let [segment_bytes, segment_count, section_bytes, section_count] =
        [at(54, 42), at(56, 44), at(58, 46), at(60, 48)].map(|place| elf.number(place, 2).unwrap_or(0));
    let length = bytes.len() as u64;
    let fits = |start: u64, count: u64| start.checked_add(count).is_some_and(|end| end <= length);
    let mut is_whole = is_elf
        && elf.number(16, 2)? == SHARED_OBJECT
        && segment_count > 0
        && fits(sections, section_bytes.checked_mul(section_count)?);
    for index in 0..segment_count {
        let place = segments.checked_add(index.checked_mul(segment_bytes)?)?;
        let place = usize::try_from(place).ok()?;
        let of = |wide: usize, narrow: usize| elf.number(place.checked_add(at(wide, narrow))?, word);
        if elf.number(place, 4)? == LOADED {
            is_whole &= fits(of(8, 4)?, of(32, 16)?);
        }
    }
    Some(is_whole)
}

struct Elf<'b> {
    bytes: &'b [u8],
    is_big: bool,
}

impl Elf<'_> {
    /// The number of this many bytes at an offset.
    fn number(&self, at: usize, length: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..at.checked_add(length)?)?;
        let add = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        Some(if self.is_big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The smallest shared object of either width and order: one segment, one section at the end.
    pub(crate) fn object(is_wide: bool, is_big: bool) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        bytes[..4].copy_from_slice(b"\x7fELF");
        (bytes[4], bytes[5]) = (1 + u8::from(is_wide), 1 + u8::from(is_big));
        let word = if is_wide { 8 } else { 4 };
        let mut put = |at: usize, length: usize, number: u64| {
            let all = number.to_be_bytes();
            let part = bytes.get_mut(at..at + length).unwrap();
            part.copy_from_slice(&all[8 - length..]);
            if !is_big {
                part.reverse();
            }
        };
        let at = |wide, narrow| if is_wide { wide } else { narrow };
        put(16, 2, 3);
        put(at(32, 28), word, 64);
        put(at(40, 32), word, 192);
        for (place, number) in [(at(54, 42), at(56, 32)), (at(56, 44), 1), (at(58, 46), 64), (at(60, 48), 1)]
        {
            put(place, 2, number as u64);
        }
        put(64, 4, 1);
        put(64 + at(8, 4), word, 0);
        put(64 + at(32, 16), word, 190);
        bytes
    }

    #[test]
    fn a_shared_object_is_whole_and_every_shorter_part_of_it_is_not() {
        for (is_wide, is_big) in [(true, false), (false, false), (true, true), (false, true)] {
            let bytes = object(is_wide, is_big);
            assert!(is_whole(&bytes), "{is_wide} {is_big}");
            for length in 0..bytes.len() {
                assert!(!is_whole(&bytes[..length]), "{is_wide} {is_big} {length}");
            }
        }
        assert!(!is_whole(b"junk") && !is_whole(&[0xff; 4096]));
    }

    #[test]
    fn a_file_is_read_and_a_missing_one_is_not_complete() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pam_nearmiss.so");
        assert!(!is_complete(&file));
        fs::write(&file, object(true, false)).unwrap();
        assert!(is_complete(&file));
        fs::write(&file, "junk").unwrap();
        assert!(!is_complete(&file));
    }
}
