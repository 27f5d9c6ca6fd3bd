//! Decompression by content: the name of a list is ignored.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::GzDecoder;
use liblzma::{
    bufread::XzDecoder,
    stream::{CONCATENATED, Stream},
};
use zstd::stream::read::Decoder as ZstdDecoder;

/// The most memory for decompressing an .xz list: four times what `xz -9` needs.
const XZ_MEMORY_BYTES: u64 = 256 << 20;

/// The bytes read from the file at once.
const READ_BYTES: usize = 256 << 10;

/// The number of bytes that distinguish all formats: a tar header's magic is at 257.
pub(crate) const MAGIC_BYTES: usize = 262;

/// The format of a list's stored bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Uncompressed.
    Plain,
    /// Gzip, of one or many members.
    Gzip,
    /// Zstandard, of one or many frames.
    Zstd,
    /// XZ, of one or many streams.
    Xz,
    /// An archive or an unsupported format.
    Archive(&'static str),
}

impl Format {
    /// The format of a file that begins with `head` (of [`MAGIC_BYTES`], or fewer if the file is shorter).
    pub(crate) fn of(head: &[u8]) -> Format {
        match head {
            [0x1f, 0x8b, ..] => Format::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Format::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Format::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Format::Archive("bzip2"),
            [b'P', b'K', 3, 4, ..] => Format::Archive("zip"),
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Format::Archive("7z"),
            [b'R', b'a', b'r', b'!', 0x1a, ..] => Format::Archive("RAR"),
            // Text has no such byte, and the packed lists of aspell begin with it.
            [1 | 2, ..] => Format::Archive("prezip (aspell)"),
            _ if head.get(257..) == Some(b"ustar") => Format::Archive("tar"),
            _ => Format::Plain,
        }
    }
}

/// The compression or archive that begins with these bytes, and the command that prints the text in it; none
/// for text.
pub fn packed(head: &[u8]) -> Option<(&'static str, &'static str)> {
    match Format::of(head) {
        Format::Plain => None,
        Format::Gzip => Some(("gzip", "zcat")),
        Format::Zstd => Some(("zstd", "zstdcat")),
        Format::Xz => Some(("xz", "xzcat")),
        Format::Archive("bzip2") => Some(("bzip2", "bzcat")),
        Format::Archive("zip") => Some(("zip", "unzip -p")),
        Format::Archive(name) => Some((name, "its program")),
    }
}

/// The text in `stored`, with any supported compression, and its format.
///
/// # Errors
/// The head of the file cannot be read, or the decoder cannot be set up.
pub(crate) fn text(mut stored: Box<dyn Read + Send>) -> io::Result<(Box<dyn Read + Send>, Format)> {
    let mut head = Vec::with_capacity(MAGIC_BYTES);
    (&mut stored).take(MAGIC_BYTES as u64).read_to_end(&mut head)?;
    let format = Format::of(&head);
    let whole = Cursor::new(head).chain(stored);
    let buffered = BufReader::with_capacity(READ_BYTES, whole);
    let text: Box<dyn Read + Send> = match format {
        Format::Gzip => Box::new(GzipMembers(Some(GzDecoder::new(buffered)))),
        Format::Zstd => Box::new(ZstdDecoder::with_buffer(buffered)?),
        Format::Xz => Box::new(XzDecoder::new_stream(buffered, xz_stream()?)),
        _ => Box::new(buffered.into_inner()),
    };
    Ok((text, format))
}

/// The error of zstd for a frame with a larger window than is allowed, as `zstd_errors.h` numbers it.
const WINDOW_TOO_LARGE: usize = 16;

/// True for the error of a frame of zstd whose window is too large. The crate passes on the name of an error
/// alone, which is compared with the library's own for this number.
pub(super) fn needs_window(error: &io::Error) -> bool {
    let number = 0_usize.wrapping_sub(WINDOW_TOO_LARGE);
    error.to_string() == zstd::zstd_safe::get_error_name(number)
}

/// The members of a gzip file, one after the other; zeros after the last one, which fill a block of a tape or
/// a disk, are no member, as for gunzip.
struct GzipMembers<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(member) = &mut self.0 else { return Ok(0) };
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(mut stored) = self.0.take().map(GzDecoder::into_inner) else { return Ok(0) };
            self.0 = skip_zeros(&mut stored)?.then(|| GzDecoder::new(stored));
        }
    }
}

/// True if there are bytes after the zeros.
fn skip_zeros(stored: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = match stored.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let (all, zeros) = (bytes.len(), bytes.iter().take_while(|byte| **byte == 0).count());
        stored.consume(zeros);
        if zeros < all || all == 0 {
            return Ok(zeros < all);
        }
    }
}

fn xz_stream() -> io::Result<Stream> {
    Stream::new_stream_decoder(XZ_MEMORY_BYTES, CONCATENATED).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const TEXT: &[u8] = b"password\nelephant\n";

    fn read(stored: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        text(Box::new(Cursor::new(stored)))?.0.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        zstd::encode_all(text, 3).unwrap()
    }

    fn xz(text: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        liblzma::read::XzEncoder::new(text, 6).read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn every_format_is_known_by_its_content() {
        for stored in [TEXT.to_vec(), gzip(TEXT), zstd(TEXT), xz(TEXT)] {
            assert_eq!(read(stored).unwrap(), TEXT);
        }
    }

    #[test]
    fn all_members_frames_and_streams_are_read() {
        for compress in [gzip, zstd, xz] {
            let two = [compress(b"one\n"), compress(b"two\n")].concat();
            assert_eq!(read(two).unwrap(), b"one\ntwo\n");
        }
    }

    #[test]
    fn zeros_after_a_gzip_file_are_padding_and_other_bytes_are_damage() {
        let with = |tail: &[u8]| read([&gzip(TEXT), tail].concat());
        assert_eq!(with(&vec![0; 100_000]).unwrap(), TEXT);
        assert_eq!(with(&[&[0; 512][..], &gzip(b"more\n")].concat()).unwrap(), [TEXT, b"more\n"].concat());
        assert!(with(b"\0\0x").is_err() && with(b"text").is_err());
    }

    #[test]
    fn cut_short_at_any_byte_is_an_error() {
        for compress in [gzip, zstd, xz] {
            let whole = compress(TEXT);
            for length in 6..whole.len() {
                assert!(read(whole[..length].to_vec()).is_err(), "{length} of {}", whole.len());
            }
        }
    }

    #[test]
    fn a_changed_byte_of_the_data_is_an_error() {
        for compress in [gzip, xz] {
            let mut damaged = compress(TEXT);
            let middle = damaged.len() / 2;
            damaged[middle] ^= 0x10;
            assert!(read(damaged).is_err());
        }
    }

    #[test]
    fn archives_are_recognised() {
        assert_eq!(Format::of(b"PK\x03\x04rest"), Format::Archive("zip"));
        assert_eq!(Format::of(b"BZh is a word"), Format::Plain);
        let mut tar = [0; 600];
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(Format::of(&tar[..MAGIC_BYTES]), Format::Archive("tar"));
        assert_eq!(Format::of(b""), Format::Plain);
    }
}
