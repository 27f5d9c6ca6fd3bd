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
}

impl Default for CharsetSurvey {
    fn default() -> CharsetSurvey {
        let detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        CharsetSurvey { found: Charsets::default(), detector, fed: 0 }
    }
}

impl CharsetSurvey {
    /// Reads the next whole lines.
    pub fn read_block(&mut self, block: &[u8]) {
        let has_hex = hex::may_be_in(block);
        if block.is_ascii() && !has_hex {
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
        }
    }

    /// The charsets of the list.
    pub fn finish(mut self) -> Charsets {
        if self.found.other_lines > 0 {
            self.detector.feed(b"", true);
            self.found.other = Some(Charset(self.detector.guess(None, Utf8Detection::Deny)));
        }
        self.found
    }
}
