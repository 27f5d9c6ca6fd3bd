//! A range: the digests that begin with the same digits, as servers send them, a line each with the remaining
//! digits and the count of the password. The lines are read as the lines of a folder of ranges are.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of digits, lines and ranges, far below 2⁶⁴")]

use nearmiss_cli::input::{MAX_RANGE_DIGESTS, RangeLine, RangeLines, RangeName};
use nearmiss_filters::format::Kind;

pub(crate) use nearmiss_cli::input::RangeFault;

/// The number of digits that name a range of the official service.
pub(crate) const OFFICIAL_DIGITS: u8 = 5;

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
        let digits = self.name(number);
        let name = RangeName { kind: self.kind, digits: digits.as_bytes() };
        let mut digests =
            Digests { form: self, digits: digits.as_bytes(), range: Range::default(), taken: None };
        name.read(text, &mut digests)?;
        Ok(digests.range)
    }
}

/// The digests of the lines that were read.
struct Digests<'r> {
    form: &'r RangeForm,
    digits: &'r [u8],
    range: Range,
    /// The last digest that was taken.
    taken: Option<[u8; 20]>,
}

impl RangeLines for Digests<'_> {
    fn take(&mut self, number: usize, line: Option<RangeLine<'_>>) -> Result<(), RangeFault> {
        let Some(line) = line else { return Ok(()) };
        // Without a count the line may have been cut.
        if line.count.is_none() {
            return Err(RangeFault::Malformed { line: number });
        }
        if line.is_padding {
            return Ok(());
        }
        let digest = decode(self.digits, line.suffix).ok_or(RangeFault::Malformed { line: number })?;
        if self.range.mark == 0 {
            self.range.mark = mark_of(&digest);
        }
        if line.number() < self.form.min_count || self.taken == Some(digest) {
            return Ok(());
        }
        if usize::from(self.range.entries) == MAX_RANGE_DIGESTS {
            return Err(RangeFault::TooMany);
        }
        self.taken = Some(digest);
        self.range.entries += 1;
        self.range.digests.extend(digest.iter().take(self.form.digest_bytes()));
        Ok(())
    }

    fn discard(&mut self) {
        (self.range, self.taken) = (Range::default(), None);
    }
}

/// Random bytes of a digest.
fn mark_of(digest: &[u8; 20]) -> u64 {
    digest.iter().skip(4).take(8).fold(0, |mark, &byte| mark << 8 | u64::from(byte))
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
    fn what_does_not_change_the_digests_is_accepted() {
        let (a, b) = (line("A", "3"), line("B", "1"));
        let expected = read(&format!("{a}\n{b}")).unwrap();
        for text in [
            format!("\u{feff}{a}\r\n{b}\r\n"),
            format!("{a}\n\n{b}\n\n"),
            format!("{a}\n{a}\n{b}\n{b}"),
            format!("0a1b2{a}\n0A1B2{b}"),
        ] {
            assert_eq!(read(&text), Ok(expected.clone()), "{text:?}");
        }
    }

    #[test]
    fn ntlm_has_shorter_lines() {
        let ntlm = RangeForm { kind: Kind::Ntlm, digits: 5, min_count: 1 };
        assert_eq!(ntlm.read(1, format!("{:0>27}:1", "F").as_bytes()).unwrap().digests.len(), 16);
        assert_eq!(ntlm.read(1, line("F", "1").as_bytes()), Err(RangeFault::OtherKind { line: 1 }));
    }

    #[test]
    fn what_is_no_range_is_refused_by_its_line() {
        let good = line("A", "3");
        let whole = |name: &str| format!("{good}\n{name}{:0>35}:1", "B");
        let cases: [(&str, RangeFault); 12] = [
            ("", RangeFault::Empty),
            ("\n", RangeFault::Empty),
            (&line("A", "0"), RangeFault::Empty),
            (&good[..20], RangeFault::Malformed { line: 1 }),
            (&good[..36], RangeFault::Malformed { line: 1 }),
            (&good[..35], RangeFault::Malformed { line: 1 }),
            (&format!("{good}\n{}", line("G", "1")), RangeFault::Malformed { line: 2 }),
            (&format!("{good}\n{}", line("B", "-1")), RangeFault::Malformed { line: 2 }),
            (&format!("{good}\n{}", line("B", "1234567890123456789")), RangeFault::Malformed { line: 2 }),
            (&format!("{good}\n{}", line("9", "1")), RangeFault::Unsorted { line: 2 }),
            (&whole("0A1B3"), RangeFault::OtherRange { line: 2 }),
            ("<html>too many requests</html>", RangeFault::Page),
        ];
        for (text, fault) in cases {
            assert_eq!(read(text), Err(fault), "{text}");
        }
        let many: String = (0..=MAX_RANGE_DIGESTS).map(|at| line(&format!("{at:X}"), "1") + "\n").collect();
        assert_eq!(read(&many), Err(RangeFault::TooMany));
    }
}
