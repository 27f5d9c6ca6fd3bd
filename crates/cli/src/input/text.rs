//! The text of a list in UTF-8: UTF-16 and UTF-32 are converted, with a byte order mark or where the user
//! says that it is UTF-16.

use std::io::{self, Cursor, Read};

use encoding_rs_io::DecodeReaderBytesBuilder;
use nearmiss_lists::Charset;

/// The text as UTF-8, if it is UTF-16 or UTF-32; any other text as it is.
///
/// # Errors
/// The beginning cannot be read.
pub(super) fn utf8(
    mut text: Box<dyn Read + Send>,
    said: Option<Charset>,
) -> io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::with_capacity(4);
    (&mut text).take(4).read_to_end(&mut head)?;
    // The mark of UTF-32 begins with that of UTF-16, after which no list has a character of zero.
    let of_four: Option<fn([u8; 4]) -> u32> = match head.as_slice() {
        [0xff, 0xfe, 0, 0] => Some(u32::from_le_bytes),
        [0, 0, 0xfe, 0xff] => Some(u32::from_be_bytes),
        _ => None,
    };
    if let Some(number) = of_four {
        return Ok(Box::new(Utf32 { inner: text, number, converted: Cursor::default() }));
    }
    let is_marked = matches!(head.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let whole = Cursor::new(head).chain(text);
    let wide = said.filter(|charset| is_wide(*charset)).map(Charset::encoding);
    if !is_marked && wide.is_none() {
        return Ok(Box::new(whole));
    }
    Ok(Box::new(DecodeReaderBytesBuilder::new().encoding(wide).build(whole)))
}

/// The same text in UTF-8, if a byte order mark says that it is UTF-16 or UTF-32; any other as it is.
pub fn unmarked(bytes: Vec<u8>) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    // Bytes in memory can always be read.
    let read = utf8(Box::new(Cursor::new(bytes)), None).and_then(|mut all| all.read_to_end(&mut text));
    debug_assert!(read.is_ok());
    text
}

/// The text of a document in this charset, or in UTF-8, as UTF-8 without a byte order mark.
pub(super) fn converted(text: Box<dyn Read + Send>, charset: Option<Charset>) -> impl Read + Send {
    let encoding = charset.map(Charset::encoding);
    DecodeReaderBytesBuilder::new().encoding(encoding).utf8_passthru(true).strip_bom(true).build(text)
}

/// True for charsets that are converted as a whole, since their line ends have two bytes.
pub(super) fn is_wide(charset: Charset) -> bool {
    charset.name().starts_with("UTF-16")
}

/// The bytes of UTF-32 that are converted at once.
const UTF32_BYTES: usize = 4096;

/// UTF-32 without its mark, as UTF-8; what is no character becomes U+FFFD.
struct Utf32<R> {
    inner: R,
    /// The number of a character.
    number: fn([u8; 4]) -> u32,
    converted: Cursor<Vec<u8>>,
}

impl<R: Read> Read for Utf32<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.converted.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let mut bytes = Vec::with_capacity(UTF32_BYTES);
            (&mut self.inner).take(UTF32_BYTES as u64).read_to_end(&mut bytes)?;
            if bytes.is_empty() {
                return Ok(0);
            }
            let character = |four: &[u8]| {
                let number = <[u8; 4]>::try_from(four).ok().map(self.number);
                number.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
            };
            let text: String = bytes.chunks(4).map(character).collect();
            self.converted = Cursor::new(text.into_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_a_mark_are_converted() {
        let text = "w\u{f6}rter \u{1f600}\n".repeat(2000);
        let marked = format!("\u{feff}{text}");
        for bytes in [
            marked.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<u8>>(),
            marked.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
            marked.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            marked.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        ] {
            let mut read = String::new();
            utf8(Box::new(Cursor::new(bytes)), None).unwrap().read_to_string(&mut read).unwrap();
            assert!(read == text, "{read:.40}");
        }
    }
}
