//! The first reading of a list: its encoding, how many words it has, and every line that cannot be used.
//!
//! A list is UTF-8 when all of it is, and Latin-1 otherwise. A list in which more than half of the lines that are
//! not blank hold control characters or are over-long is no word list, but a program, a picture, an archive.

use std::io;

use nearmiss_filters::word::MAX_DICTIONARY_CHARACTERS;
use serde::Serialize;

use super::{
    decompress::{self, Format},
    error::{InputError, Problem},
    line::{Fault, fault},
    lines::{Lines, Piece},
    origin::Origin,
};
use crate::progress::Progress;

/// How the characters of a list are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Encoding {
    /// UTF-8, of which ASCII is a part.
    Utf8,
    /// ISO 8859-1: what is not UTF-8 throughout is taken for this.
    Latin1,
}

impl Encoding {
    /// A block of whole lines as UTF-8, or none where it is not in this encoding. `scratch` is used where the bytes
    /// must be changed.
    pub(crate) fn decode<'a>(self, block: &'a [u8], scratch: &'a mut Vec<u8>) -> Option<&'a [u8]> {
        match self {
            Encoding::Utf8 => std::str::from_utf8(block).is_ok().then_some(block),
            Encoding::Latin1 if block.is_ascii() => Some(block),
            Encoding::Latin1 => {
                let text: String = block.iter().map(|&byte| char::from(byte)).collect();
                *scratch = text.into_bytes();
                Some(scratch)
            }
        }
    }
}

/// How many lines have a fault, and the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Tally {
    /// What is wrong with them.
    pub(crate) fault: Fault,
    /// How many they are.
    pub(crate) lines: u64,
    /// The number of the first, counted from 1.
    pub(crate) first_line: u64,
}

/// What the first reading of a list found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Survey {
    /// The encoding of the whole list.
    pub(crate) encoding: Encoding,
    /// All lines.
    pub(crate) lines: u64,
    /// The lines that can be used.
    pub(crate) words: u64,
    /// The lines that cannot, by fault.
    tallies: [Tally; 3],
}

impl Survey {
    fn new(encoding: Encoding) -> Survey {
        let tallies = Fault::ALL.map(|fault| Tally { fault, lines: 0, first_line: 0 });
        Survey { encoding, lines: 0, words: 0, tallies }
    }

    /// The faults that occur.
    pub(crate) fn faults(&self) -> impl Iterator<Item = Tally> {
        self.tallies.into_iter().filter(|tally| tally.lines > 0)
    }

    fn count(&mut self, fault: Option<Fault>) {
        self.lines = self.lines.saturating_add(1);
        let Some(fault) = fault else {
            self.words = self.words.saturating_add(1);
            return;
        };
        for tally in self.tallies.iter_mut().filter(|tally| tally.fault == fault) {
            tally.lines = tally.lines.saturating_add(1);
            if tally.first_line == 0 {
                tally.first_line = self.lines;
            }
        }
    }

    fn count_lines(&mut self, block: &[u8]) {
        for_each_line(block, |line| self.count(fault(line)));
    }

    fn strange_lines(&self) -> u64 {
        self.faults().filter(|tally| tally.fault != Fault::Blank).map(|tally| tally.lines).sum()
    }

    /// What is wrong with the list as a whole.
    fn problem(&self) -> Option<Problem> {
        let strange = self.strange_lines();
        let lines = strange.saturating_add(self.words);
        if strange > lines / 2 {
            return Some(Problem::Binary { strange, lines });
        }
        (self.words == 0).then_some(Problem::NoWords)
    }
}

/// Calls `action` with each line of a block, without its line end (`\n` or `\r\n`).
pub(crate) fn for_each_line<'a>(block: &'a [u8], mut action: impl FnMut(&'a [u8])) {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', block) {
        let line = block.get(start..end).unwrap_or_default();
        action(line.strip_suffix(b"\r").unwrap_or(line));
        start = end.saturating_add(1);
    }
    match block.get(start..) {
        None | Some([]) => {}
        Some(last) => action(last.strip_suffix(b"\r").unwrap_or(last)),
    }
}

/// Reads a list through.
///
/// # Errors
/// An [`InputError`] for a list that cannot be read, is no list of words, or has none.
pub(crate) fn survey(origin: &Origin, progress: &Progress) -> Result<Survey, InputError> {
    let survey = read_in_turn(origin, progress)?;
    match survey.problem() {
        Some(problem) => Err(origin.error(problem)),
        None => Ok(survey),
    }
}

fn read_in_turn(origin: &Origin, progress: &Progress) -> Result<Survey, InputError> {
    if let Some(survey) = read_as(Encoding::Utf8, origin, progress)? {
        return Ok(survey);
    }
    progress.extend(origin.stored_bytes());
    // Every byte is a character of Latin-1, so there always is a survey.
    Ok(read_as(Encoding::Latin1, origin, progress)?.unwrap_or(Survey::new(Encoding::Latin1)))
}

/// The survey of a list in this encoding, or none where it is not in it.
fn read_as(encoding: Encoding, origin: &Origin, progress: &Progress) -> Result<Option<Survey>, InputError> {
    let (text, format) =
        decompress::text(origin.read(progress)).map_err(|e| origin.error(Problem::Read(e)))?;
    if let Some(problem) = format.problem() {
        return Err(origin.error(problem));
    }
    count_all(encoding, &mut Lines::new(text)).map_err(|e| origin.error(format.read_problem(e)))
}

fn count_all(encoding: Encoding, lines: &mut Lines<impl io::Read>) -> io::Result<Option<Survey>> {
    let mut survey = Survey::new(encoding);
    let mut scratch = Vec::new();
    while let Some(piece) = lines.next_piece()? {
        match piece {
            Piece::Endless => survey.count(Some(Fault::OverLong)),
            Piece::Lines(block) => match encoding.decode(block, &mut scratch) {
                Some(block) => survey.count_lines(block),
                None => return Ok(None),
            },
        }
    }
    Ok(Some(survey))
}

/// Refuses what is plainly no list by the beginning of it.
///
/// # Errors
/// An [`InputError`] for an archive, UTF-16 and binary data.
pub(crate) fn refuse_junk(name: &str, head: &[u8]) -> Result<(), InputError> {
    let format = Format::of(head);
    let problem = match format {
        Format::Plain => problem_of_head(head),
        _ => format.problem(),
    };
    problem.map_or(Ok(()), |problem| Err(InputError::new(name, problem)))
}

/// Nothing but blank lines is no problem of the beginning.
fn problem_of_head(head: &[u8]) -> Option<Problem> {
    let mut survey = Survey::new(Encoding::Latin1);
    survey.count_lines(head);
    survey.problem().filter(|problem| !matches!(problem, Problem::NoWords))
}

const _: () = assert!(MAX_DICTIONARY_CHARACTERS == 255, "Fault::words tells this number");

#[cfg(test)]
mod tests {
    use super::*;

    fn surveyed(text: &'static [u8]) -> Result<Survey, String> {
        survey(&Origin::memory("list", text), &Progress::hidden()).map_err(|e| e.to_string())
    }

    fn tallies(text: &'static [u8]) -> Vec<(Fault, u64, u64)> {
        let survey = surveyed(text).unwrap();
        survey.faults().map(|tally| (tally.fault, tally.lines, tally.first_line)).collect()
    }

    #[test]
    fn every_line_is_a_word_or_counted() {
        let text = b"one\r\n\ntwo\n \nth\tree\nfour\nfi\x01ve\nsix";
        let survey = surveyed(text).unwrap();
        assert_eq!((survey.lines, survey.words), (8, 4));
        assert_eq!(tallies(text), [(Fault::Blank, 2, 2), (Fault::Control, 2, 5)]);
    }

    #[test]
    fn endless_lines_are_counted() {
        static TEXT: std::sync::LazyLock<Vec<u8>> =
            std::sync::LazyLock::new(|| [b"a\nb\nc\n", vec![b'x'; 3 << 20].as_slice(), b"\nd"].concat());
        let survey = surveyed(&TEXT).unwrap();
        assert_eq!((survey.lines, survey.words), (5, 4));
        assert_eq!(tallies(&TEXT), [(Fault::OverLong, 1, 4)]);
    }

    #[test]
    fn the_encoding_is_that_of_the_whole_list() {
        assert_eq!(surveyed("plain\nélan\n".as_bytes()).unwrap().encoding, Encoding::Utf8);
        assert_eq!(surveyed(b"plain\n\xe9lan\n").unwrap().encoding, Encoding::Latin1);
        let mixed = surveyed(b"\xc3\xa9lan\n\xe9lan\n").unwrap();
        assert_eq!((mixed.encoding, mixed.words), (Encoding::Latin1, 2));
        assert_eq!(surveyed(b"cut \xc3").unwrap().encoding, Encoding::Latin1);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        let told = |text| surveyed(text).unwrap_err();
        assert_eq!(told(b""), "list: is empty: there is no word in it");
        assert_eq!(told(b"\n\n  \n"), "list: is empty: there is no word in it");
        assert!(told(b"\x7fELF\x02\x01\0\0\ntext\n\0\0\0\0\n").contains("2 of 3 lines hold control"));
        assert!(told(b"a\rb\rc\r").contains("1 of 1 lines"));
        assert!(told(b"PK\x03\x04").contains("zip archive; unpack it first"));
        assert!(told(b"\xff\xfea\0\n\0").contains("UTF-16"));
        assert!(told(b"\x1f\x8b\x08").contains("the gzip data is damaged"));
    }

    #[test]
    fn the_head_of_a_stream_tells_junk_from_lists() {
        assert!(refuse_junk("-", &[0; 4096]).is_err());
        assert!(refuse_junk("-", b"\x1f\x8b\x08\0\0").is_ok());
        assert!(refuse_junk("-", b"\n\nword\ncaf\xc3").is_ok());
        assert!(refuse_junk("-", b"").is_ok());
    }
}
