//! The charset of a list, line by line: UTF-8 where a line is UTF-8, else one charset for the whole list, the
//! one that fits the lines that are not.
//!
//! The charset is estimated by chardetng from those lines alone. Where the estimate is from few lines, and
//! where a line of a list in another charset is UTF-8 by accident, a word has two readings, and both are
//! words.

use std::{borrow::Cow, str::FromStr};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, WINDOWS_1252};

use crate::hex;

/// A charset by its name in the WHATWG Encoding Standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(&'static Encoding);

impl Charset {
    /// The charset of an encoding.
    pub fn of(encoding: &'static Encoding) -> Charset {
        Charset(encoding)
    }

    /// Its name, such as `windows-1251`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The encoding, for decoders of streams.
    pub fn encoding(self) -> &'static Encoding {
        self.0
    }

    /// The text of these bytes; none if they are not of this charset.
    pub fn decode(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        self.0.decode_without_bom_handling_and_without_replacement(bytes)
    }
}

impl FromStr for Charset {
    type Err = String;

    fn from_str(name: &str) -> Result<Charset, String> {
        let encoding = Encoding::for_label(name.trim().as_bytes());
        encoding.map(Charset).ok_or_else(|| {
            "expected a charset such as utf-8, latin1, windows-1251, koi8-r, gbk or utf-16le".to_owned()
        })
    }
}

/// The number of lines that are not UTF-8 from which their charset is estimated with confidence.
const MANY_LINES: u64 = 100;

/// The most bytes of such lines that the estimate is made from.
const MOST_BYTES: usize = 1 << 20;

/// The most bytes of such lines by which the estimate is judged.
const KEPT_BYTES: usize = 64 << 10;

/// The charsets of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charsets {
    /// The charset of all lines, as the user says.
    pub said: Option<Charset>,
    /// The charset of the lines that are not UTF-8; none if all are.
    pub other: Option<Charset>,
    /// The number of lines that are not UTF-8.
    pub other_lines: u64,
    /// The number of lines that are UTF-8 and have more than ASCII characters.
    pub utf8_lines: u64,
    /// True if many characters of those lines are no letters in that charset: they may be in one that is not
    /// known here, such as a charset of DOS.
    pub is_doubtful: bool,
}

/// The readings of a word: none if its bytes are not of the list's charset.
pub(crate) type Readings<'a> = (Option<Cow<'a, str>>, Option<Cow<'a, str>>);

impl Charsets {
    /// The readings of a word that has more than ASCII characters.
    pub(crate) fn readings<'a>(&self, word: &'a [u8]) -> Readings<'a> {
        if let Some(said) = self.said {
            return (said.decode(word), None);
        }
        match (std::str::from_utf8(word), self.other) {
            (Ok(text), Some(other)) if self.is_mostly_other() => {
                (Some(Cow::Borrowed(text)), other.decode(word))
            }
            (Ok(text), _) => (Some(Cow::Borrowed(text)), None),
            (Err(_), other) => {
                let western = Charset(WINDOWS_1252);
                let first = other.unwrap_or(western).decode(word);
                let second = if first.is_none() { Some(western) } else { self.second() };
                (first, second.and_then(|second| second.decode(word)))
            }
        }
    }

    /// A line as a person may read it, with signs for what is not of these charsets.
    pub fn shown(&self, line: &[u8]) -> String {
        let first = self.readings(line).0;
        first.unwrap_or_else(|| String::from_utf8_lossy(line)).into_owned()
    }

    /// The charset in which the lines that are not UTF-8 are read as well, since they are few and may be of
    /// either.
    pub fn second(&self) -> Option<Charset> {
        let western = Charset(WINDOWS_1252);
        let is_unsure = self.other_lines < MANY_LINES && self.other.is_some_and(|other| other != western);
        (is_unsure && self.said.is_none()).then_some(western)
    }

    /// True where most lines beyond ASCII are not UTF-8: one that is may be so by accident.
    fn is_mostly_other(&self) -> bool {
        self.other_lines > self.utf8_lines
    }

    /// The name for reports.
    pub fn name(&self) -> &'static str {
        self.said.or(self.other.filter(|_| self.is_mostly_other())).map_or("UTF-8", Charset::name)
    }
}

/// A reading of a whole list that finds its charsets.
pub struct CharsetSurvey {
    found: Charsets,
    detector: EncodingDetector,
    fed: usize,
    /// The beginning of what the estimate is made from.
    kept: Vec<u8>,
}

impl Default for CharsetSurvey {
    fn default() -> CharsetSurvey {
        let detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        CharsetSurvey { found: Charsets::default(), detector, fed: 0, kept: Vec::new() }
    }
}

impl CharsetSurvey {
    /// Reads the next whole lines.
    pub fn read_block(&mut self, block: &[u8]) {
        let has_hex = hex::may_be_in(block);
        if block.is_ascii() && !has_hex {
            return;
        }
        if !has_hex && std::str::from_utf8(block).is_ok() {
            self.found.utf8_lines = self.found.utf8_lines.saturating_add(lines_beyond_ascii(block));
            return;
        }
        for line in block.split(|&byte| byte == b'\n') {
            self.read_word(line);
            if has_hex {
                self.read_hex(line);
            }
        }
    }

    fn read_hex(&mut self, line: &[u8]) {
        let start = memchr::memmem::find(line, b"$HEX[");
        let end = memchr::memrchr(b']', line).and_then(|end| end.checked_add(1));
        let word = start.zip(end).and_then(|(start, end)| line.get(start..end));
        if let Some(bytes) = word.and_then(hex::decoded) {
            self.read_word(&bytes);
        }
    }

    fn read_word(&mut self, word: &[u8]) {
        if word.is_ascii() {
            return;
        }
        if std::str::from_utf8(word).is_ok() {
            self.found.utf8_lines = self.found.utf8_lines.saturating_add(1);
            return;
        }
        self.found.other_lines = self.found.other_lines.saturating_add(1);
        if self.fed < MOST_BYTES {
            self.fed = self.fed.saturating_add(word.len());
            self.detector.feed(word, false);
            self.detector.feed(b"\n", false);
            if self.kept.len() < KEPT_BYTES {
                self.kept.extend_from_slice(word);
            }
        }
    }

    /// The charsets of the list.
    pub fn finish(mut self) -> Charsets {
        if self.found.other_lines > 0 {
            self.detector.feed(b"", true);
            let other = self.detector.guess(None, Utf8Detection::Deny);
            self.found.other = Some(Charset(other));
            self.found.is_doubtful = is_doubtful(&other.decode_without_bom_handling(&self.kept).0);
        }
        self.found
    }
}

/// The number of lines that have more than ASCII characters; stretches of ASCII are passed over at once.
fn lines_beyond_ascii(block: &[u8]) -> u64 {
    const STRETCH: usize = 64;
    let (mut rest, mut lines) = (block, 0_u64);
    while !rest.is_empty() {
        let (stretch, after) = rest.split_at_checked(STRETCH).unwrap_or((rest, &[]));
        if stretch.is_ascii() {
            rest = after;
            continue;
        }
        lines = lines.saturating_add(1);
        let first = stretch.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
        let line = rest.get(first..).unwrap_or_default();
        let end = memchr::memchr(b'\n', line).map_or(line.len(), |end| end.saturating_add(1));
        rest = line.get(end..).unwrap_or_default();
    }
    lines
}

/// True if one in ten of the characters beyond ASCII of a text is a sign: words have letters.
fn is_doubtful(text: &str) -> bool {
    let is_sign = |c: char| {
        !c.is_alphanumeric() && matches!(u32::from(c), 0x80..=0xbf | 0xd7 | 0xf7 | 0x2010..=0x2bff | 0xfffd)
    };
    let all = text.chars().filter(|c| !c.is_ascii()).count();
    let signs = text.chars().filter(|c| is_sign(*c)).count();
    // What is no list at all has other faults.
    let is_text = !text.contains(|c: char| c.is_ascii_control() && !c.is_ascii_whitespace());
    is_text && signs.saturating_mul(10) > all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charsets(text: &[u8]) -> Charsets {
        let mut survey = CharsetSurvey::default();
        survey.read_block(text);
        survey.finish()
    }

    #[test]
    fn lines_beyond_ascii_are_counted_as_one_by_one() {
        let long = "a".repeat(100);
        for text in ["", "a\n", "é", "é\né\n", &format!("{long}é{long}\n{long}\né{long}\n\n{long}é")] {
            let lines = text.split('\n').filter(|line| !line.is_ascii()).count() as u64;
            assert_eq!(lines_beyond_ascii(text.as_bytes()), lines, "{text}");
        }
    }

    #[test]
    fn a_charset_that_is_not_known_is_doubtful() {
        // Code page 850: blå, brød, kære, Ærø, gård, køn.
        let dos = b"bl\x86\nbr\x9bd\nk\x91re\n\x92r\x9b\ng\x86rd\nk\x9bn\n".repeat(30);
        assert!(charsets(&dos).is_doubtful);
        let western = b"bl\xe5\nbr\xf8d\nk\xe6re\n\xc6r\xf8\ng\xe5rd\nk\xf8n\n".repeat(30);
        assert!(!charsets(&western).is_doubtful && !charsets("blå\n".as_bytes()).is_doubtful);
    }
}
