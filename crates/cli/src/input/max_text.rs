//! The limit on a list's text: a few megabytes of gzip can unpack to terabytes, which would occupy a
//! processor, and the package manager that waits for it, for hours.

use std::{
    error::Error,
    fmt,
    io::{self, Read},
};

/// The size limit of one list's unpacked text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxText(u64);

/// Letters after a number, and the power of two that each stands for.
const UNITS: [(char, u32); 4] = [('K', 10), ('M', 20), ('G', 30), ('T', 40)];

impl MaxText {
    /// The size limit of lists named on the command line: the largest published lists have 40 GiB.
    pub const NAMED: MaxText = MaxText(64 << 30);

    /// The size in the text of an option: a number of bytes, or of 2^10, 2^20, 2^30, 2^40 with K, M, G or T
    /// after it.
    ///
    /// # Errors
    /// The expected value.
    pub fn parse(text: &str) -> Result<MaxText, String> {
        let unit = UNITS.iter().find(|(letter, _)| text.ends_with([*letter, letter.to_ascii_lowercase()]));
        let (digits, shift) =
            unit.map_or((text, 0), |(_, shift)| (text.split_at(text.len().saturating_sub(1)).0, *shift));
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse::<u64>().ok().filter(|number| is_number && *number > 0);
        let bytes = number.and_then(|number| number.checked_mul(1 << shift));
        bytes.map(MaxText).ok_or_else(|| "expected a size such as 500M, 64G or 1T".to_owned())
    }

    /// The bytes of a stream, with an error if it has more than this.
    pub(super) fn bound(self, text: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        Box::new(BoundedText { text, left: self.0, most: self })
    }

    /// The number of bytes of a compressed stream that are worth storing: compression adds at most a frame.
    pub(super) fn stored_bytes(self) -> u64 {
        self.0.saturating_add(self.0 / 8).saturating_add(1 << 16)
    }
}

impl fmt::Display for MaxText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().rev().find(|(_, shift)| self.0.trailing_zeros() >= *shift);
        match unit {
            Some((letter, shift)) => write!(f, "{} {letter}iB", self.0 >> shift),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// A stream has more bytes than allowed.
#[derive(Debug)]
pub(super) struct TooLong(pub(super) MaxText);

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "is more than {}", self.0)
    }
}

impl Error for TooLong {}

/// The exceeded limit of a read error, if it is one.
pub(super) fn too_long(error: &io::Error) -> Option<MaxText> {
    error.get_ref()?.downcast_ref::<TooLong>().map(|TooLong(most)| *most)
}

struct BoundedText {
    text: Box<dyn Read + Send>,
    left: u64,
    most: MaxText,
}

impl Read for BoundedText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(buffer)?;
        let left = self.left.checked_sub(count as u64);
        self.left = left.ok_or_else(|| io::Error::other(TooLong(self.most)))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_with_a_letter() {
        for (text, bytes) in [("1", 1), ("1K", 1 << 10), ("7m", 7 << 20), ("64G", 64 << 30), ("2T", 2 << 40)]
        {
            assert_eq!(MaxText::parse(text), Ok(MaxText(bytes)), "{text}");
        }
        for wrong in [
            "",
            "0",
            "0K",
            "K",
            "-1",
            "+1",
            "1.5G",
            "1GiB",
            "1 G",
            "1é",
            "99999999999T",
            "18446744073709551616",
        ] {
            assert!(MaxText::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_size_is_written_in_its_largest_whole_unit() {
        for (size, text) in
            [("64G", "64 GiB"), ("1536K", "1536 KiB"), ("1000", "1000 bytes"), ("2048G", "2 TiB")]
        {
            assert_eq!(MaxText::parse(size).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_stream_may_be_as_long_as_said_and_no_longer() {
        let read = |most| {
            let mut bytes = Vec::new();
            MaxText(most).bound(Box::new(&b"0123456789"[..])).read_to_end(&mut bytes).map(|_| bytes)
        };
        assert_eq!(read(10).unwrap(), b"0123456789");
        assert_eq!(too_long(&read(9).unwrap_err()), Some(MaxText(9)));
        assert_eq!(too_long(&io::Error::other("something else")), None);
        assert_eq!(too_long(&io::ErrorKind::NotFound.into()), None);
    }
}
