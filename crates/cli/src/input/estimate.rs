//! Estimates the number of entries in a large list, from its length and a few pieces of it.

use std::{fs::File, io, os::unix::fs::FileExt};

use nearmiss_filters::list::{Entry, LineFormat};

use super::decompress::{Format, MAGIC_BYTES};

/// Shorter lists are not estimated: reading them twice is fast.
const SHORTEST_BYTES: u64 = 32 << 20;

/// The number of pieces that are read, distributed over the list: lists sorted by count have long lines at
/// one end.
const PIECES: u64 = 64;

/// Bytes of a piece.
const PIECE_BYTES: usize = 64 << 10;

/// The number of entries in a plain file of this number of bytes; none for a shorter or a compressed one.
///
/// # Errors
/// The file cannot be read.
pub(super) fn entries(file: &File, bytes: u64, lines: LineFormat) -> io::Result<Option<u64>> {
    let mut head = [0; MAGIC_BYTES];
    let length = file.read_at(&mut head, 0)?;
    if bytes < SHORTEST_BYTES || Format::of(head.get(..length).unwrap_or_default()) != Format::Plain {
        return Ok(None);
    }
    let (mut read, mut accepted) = (0_u64, 0_u64);
    let mut piece = vec![0; PIECE_BYTES];
    for number in 0..PIECES {
        // In the middle of its part, which represents the whole part better than either end.
        let at = (bytes - PIECE_BYTES as u64) / (2 * PIECES) * (2 * number + 1);
        let length = file.read_at(&mut piece, at)?;
        let whole = whole_lines(piece.get(..length).unwrap_or_default());
        accepted += lines.read_block(whole, &mut Entry::default(), |_| {}).accepted;
        read += whole.len() as u64;
    }
    let share = accepted as f64 / read.max(1) as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the bytes of a file")]
    Ok(Some((bytes as f64 * share) as u64))
}

/// From after the first line end to after the last one.
fn whole_lines(piece: &[u8]) -> &[u8] {
    let first = memchr::memchr(b'\n', piece).map_or(0, |at| at + 1);
    let last = memchr::memrchr(b'\n', piece).map_or(0, |at| at + 1);
    piece.get(first..last).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use nearmiss_filters::format::Kind;

    use super::*;

    /// Counts become shorter towards the end, as in a list sorted by them.
    fn list(lines: u32, of: impl Fn(u32) -> u32) -> (tempfile::NamedTempFile, u64) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let text: Vec<u8> = (0..lines).flat_map(|i| format!("{i:040x}:{}\n", of(i)).into_bytes()).collect();
        file.write_all(&text).unwrap();
        (file, text.len() as u64)
    }

    fn estimate(min_count: u64, (file, bytes): &(tempfile::NamedTempFile, u64)) -> Option<u64> {
        entries(file.as_file(), *bytes, LineFormat { kind: Kind::Sha1, min_count }).unwrap()
    }

    #[test]
    fn lines_of_all_the_list_count_and_rare_ones_do_not() {
        const LINES: u32 = 900_000;
        let list = list(LINES, |i| LINES / (i + 1));
        for (min_count, expected) in [(1, f64::from(LINES)), (2, f64::from(LINES) / 2.0)] {
            let error = estimate(min_count, &list).unwrap() as f64 / expected - 1.0;
            assert!(error.abs() < 0.02, "{min_count}: {error}");
        }
    }

    #[test]
    fn short_lists_and_compressed_ones_are_not_estimated() {
        assert_eq!(estimate(1, &list(1000, |_| 1)), None);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&[0x1f, 0x8b, 8, 0]).unwrap();
        file.as_file().set_len(SHORTEST_BYTES).unwrap();
        assert_eq!(estimate(1, &(file, SHORTEST_BYTES)), None);
    }
}
