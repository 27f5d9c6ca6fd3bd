//! The text of a list in UTF-8: UTF-16 is converted, with a byte order mark or where the user says so.

use std::io::{self, Cursor, Read};

use encoding_rs_io::DecodeReaderBytesBuilder;
use nearmiss_lists::Charset;

/// The text as UTF-8, if it is UTF-16; any other text as it is.
///
/// # Errors
/// The beginning cannot be read.
pub(super) fn utf8(
    mut text: Box<dyn Read + Send>,
    said: Option<Charset>,
) -> io::Result<Box<dyn Read + Send>> {
    let mut head = Vec::with_capacity(2);
    (&mut text).take(2).read_to_end(&mut head)?;
    let is_marked = matches!(head.as_slice(), [0xff, 0xfe] | [0xfe, 0xff]);
    let whole = Cursor::new(head).chain(text);
    let wide = said.filter(|charset| is_wide(*charset)).map(Charset::encoding);
    if !is_marked && wide.is_none() {
        return Ok(Box::new(whole));
    }
    Ok(Box::new(DecodeReaderBytesBuilder::new().encoding(wide).build(whole)))
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
