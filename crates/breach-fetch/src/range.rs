//! A range: the digests that begin with the same digits, as servers send them, a line each with the remaining
//! digits and the count of the password.
//!
//! A range is accepted as a whole or refused: one that does not have exactly the right form is truncated,
//! belongs to another range or comes from another service, and a filter built from it would silently lack
//! digests.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of digits, lines and ranges, far below 2⁶⁴")]

mod error;

use nearmiss_filters::format::Kind;

use self::error::MAX_ENTRIES;
pub(crate) use self::error::RangeFault;

/// The number of digits that name a range of the official service.
pub(crate) const OFFICIAL_DIGITS: u8 = 5;

/// The highest number of digits of a count.
const MAX_COUNT_DIGITS: usize = 18;

/// The format of ranges, and the selection of digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RangeForm {
    /// The kind of the digests.
    pub(crate) kind: Kind,
    /// The number of digits that name a range.
    pub(crate) digits: u8,
    /// Digests with a smaller count are skipped.
    pub(crate) min_count: u64,
}

/// The digests of a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    /// The digests one after the other, in ascending order.
    pub(crate) digests: Vec<u8>,
    /// Their number.
    pub(crate) entries: u16,
    /// The first digest of the range, with any count, without the digits that all digests of the range share.
    pub(crate) mark: u64,
    /// The name that the server gives to this content.
    pub(crate) etag: Option<Box<str>>,
}

impl RangeForm {
    /// The number of ranges.
    pub(crate) fn ranges(&self) -> u32 {
        1 << (4 * u32::from(self.digits))
    }

    /// The name of a range.
    pub(crate) fn name(&self, number: u32) -> String {
        format!("{number:0width$X}", width = usize::from(self.digits))
    }

    /// Bytes of a digest.
    pub(crate) fn digest_bytes(&self) -> usize {
        if self.kind == Kind::Ntlm { 16 } else { 20 }
    }

    /// Reads the text of a range.
    ///
    /// # Errors
    /// The first [`RangeFault`].
    pub(crate) fn read(&self, number: u32, text: &[u8]) -> Result<Range, RangeFault> {
        let name = self.name(number);
        let mut lines =
            RangeLines { form: self, name: name.as_bytes(), range: Range::default(), before: None };
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
            lines.take(index + 1, line.strip_suffix(b"\r").unwrap_or(line))?;
        }
        if lines.before.is_none() { Err(RangeFault::Empty) } else { Ok(lines.range) }
    }
}

/// The lines of a range that were read.
struct RangeLines<'r> {
    form: &'r RangeForm,
    name: &'r [u8],
    range: Range,
    /// The last digest.
    before: Option<[u8; 20]>,
}

impl RangeLines<'_> {
    fn take(&mut self, line: usize, text: &[u8]) -> Result<(), RangeFault> {
        let malformed = || RangeFault::Malformed { line };
        if line == 1 && text.is_empty() {
            return Err(RangeFault::Empty);
        }
        let end = text.iter().position(|&byte| byte == b':').ok_or_else(malformed)?;
        let (rest, count) = text.split_at_checked(end).ok_or_else(malformed)?;
        let count = count_of(count.get(1..).unwrap_or_default()).ok_or_else(malformed)?;
        let whole = 2 * self.form.digest_bytes();
        if rest.len() == whole && !rest.get(..self.name.len()).is_some_and(|name| self.is_name(name)) {
            return Err(RangeFault::OtherRange { line });
        }
        if rest.len() + self.name.len() != whole {
            return Err(malformed());
        }
        let digest = decode(self.name, rest).ok_or_else(malformed)?;
        // Padding has a count of 0 and may be on any line.
        if count == 0 {
            return Ok(());
        }
        if self.before.is_some_and(|before| digest <= before) {
            return Err(RangeFault::Unsorted { line });
        }
        if self.before.is_none() {
            self.range.mark = mark_of(&digest);
        }
        self.before = Some(digest);
        if count < self.form.min_count {
            return Ok(());
        }
        if usize::from(self.range.entries) == MAX_ENTRIES {
            return Err(RangeFault::TooMany);
        }
        self.range.entries += 1;
        self.range.digests.extend(digest.iter().take(self.form.digest_bytes()));
        Ok(())
    }

    fn is_name(&self, digits: &[u8]) -> bool {
        digits.eq_ignore_ascii_case(self.name)
    }
}

/// Random bytes of a digest.
fn mark_of(digest: &[u8; 20]) -> u64 {
    digest.iter().skip(4).take(8).fold(0, |mark, &byte| mark << 8 | u64::from(byte))
}

fn count_of(digits: &[u8]) -> Option<u64> {
    let is_count = (1..=MAX_COUNT_DIGITS).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_count.then(|| digits.iter().fold(0, |count, digit| count * 10 + u64::from(digit - b'0')))
}

/// The bytes of two consecutive runs of digits; the rest are zero.
fn decode(name: &[u8], rest: &[u8]) -> Option<[u8; 20]> {
    let mut digest = [0; 20];
    let mut digits = name.iter().chain(rest);
    for byte in &mut digest {
        let Some(&high) = digits.next() else { break };
        let low = digits.next()?;
        let (high, low) = (value_of(high), value_of(*low));
        if (high | low) > 0x0f {
            return None;
        }
        *byte = high << 4 | low;
    }
    Some(digest)
}

/// The value of each digit; a larger one for other characters.
#[allow(clippy::indexing_slicing, reason = "computed when it is compiled")]
static VALUES: [u8; 256] = {
    let mut values = [0xff; 256];
    let mut value = 0_u8;
    while value < 16 {
        let upper = b"0123456789ABCDEF"[value as usize];
        values[upper as usize] = value;
        values[upper.to_ascii_lowercase() as usize] = value;
        value += 1;
    }
    values
};

#[inline]
fn value_of(digit: u8) -> u8 {
    VALUES.get(usize::from(digit)).copied().unwrap_or(0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(min_count: u64) -> RangeForm {
        RangeForm { kind: Kind::Sha1, digits: 5, min_count }
    }

    fn line(last: &str, count: &str) -> String {
        format!("{last:0>35}:{count}")
    }

    fn read(text: &str) -> Result<Range, RangeFault> {
        form(1).read(0x0a1b2, text.as_bytes())
    }

    #[test]
    fn digests_are_completed_and_counts_left_out() {
        let text = [line("A", "3"), line("c", "10"), line("B", "0"), line("D0", "9")].join("\r\n");
        let range = read(&text).unwrap();
        let hex: String = range.digests.iter().map(|byte| format!("{byte:02X}")).collect();
        let whole = |last: &str| format!("0A1B2{last:0>35}");
        assert_eq!((hex, range.entries), (whole("A") + &whole("C") + &whole("D0"), 3));
        let frequent = form(10).read(0x0a1b2, text.as_bytes()).unwrap();
        assert_eq!((frequent.digests.len(), frequent.entries), (20, 1));
        assert_eq!(form(11).read(0x0a1b2, (text + "\n").as_bytes()).unwrap().entries, 0);
    }

    #[test]
    fn ntlm_has_shorter_lines() {
        let ntlm = RangeForm { kind: Kind::Ntlm, digits: 5, min_count: 1 };
        assert_eq!(ntlm.read(1, format!("{:0>27}:1", "F").as_bytes()).unwrap().digests.len(), 16);
        assert_eq!(ntlm.read(1, line("F", "1").as_bytes()), Err(RangeFault::Malformed { line: 1 }));
    }

    #[test]
    fn what_is_no_range_is_refused_by_its_line() {
        let good = line("A", "3");
        let whole = |name: &str| format!("{good}\n{name}{:0>35}:1", "B");
        let cases: [(&str, RangeFault); 14] = [
            ("", RangeFault::Empty),
            ("\n", RangeFault::Empty),
            (&line("A", "0"), RangeFault::Empty),
            (&good[..20], RangeFault::Malformed { line: 1 }),
            (&good[..36], RangeFault::Malformed { line: 1 }),
            (&format!("{good}\n\n"), RangeFault::Malformed { line: 2 }),
            (&format!("{good}\n{}", line("G", "1")), RangeFault::Malformed { line: 2 }),
            (&format!("{good}\n{}", line("B", "-1")), RangeFault::Malformed { line: 2 }),
            (&format!("{good}\n{}", line("B", "1234567890123456789")), RangeFault::Malformed { line: 2 }),
            (&format!("{good}\n{good}"), RangeFault::Unsorted { line: 2 }),
            (&format!("{good}\n{}", line("9", "1")), RangeFault::Unsorted { line: 2 }),
            (&whole("0A1B3"), RangeFault::OtherRange { line: 2 }),
            (&whole("0a1b2"), RangeFault::Malformed { line: 2 }),
            ("<html>too many requests</html>", RangeFault::Malformed { line: 1 }),
        ];
        for (text, fault) in cases {
            assert_eq!(read(text), Err(fault), "{text}");
        }
        let many: String = (0..=MAX_ENTRIES).map(|at| line(&format!("{at:X}"), "1") + "\n").collect();
        assert_eq!(read(&many), Err(RangeFault::TooMany));
    }
}
