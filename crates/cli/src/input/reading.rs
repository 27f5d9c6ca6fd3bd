//! One reading of a list, in blocks of whole lines.

use std::{
    io::Read,
    sync::{Mutex, PoisonError},
};

use nearmiss_filters::list::{LineCounts, Skip, Skipped};
use nearmiss_lists::{Block, Reader, Tally};

use super::{
    WordList,
    decompress::Format,
    error::InputError,
    lines::{BLOCK_BYTES, Lines},
    sample::{Sample, SampledLine},
};
use crate::progress::Progress;

/// What the last reading of a list found, once it has come to its end.
#[derive(Default)]
pub(super) struct LastReading(Mutex<(Tally, Vec<SampledLine>)>);

impl LastReading {
    /// The tally of the lines and the sample of them.
    pub(super) fn get(&self) -> (Tally, Vec<SampledLine>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, tally: Tally, sample: Sample) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (tally, sample.into_lines());
    }
}

/// The bytes of lines that are read at once where each may have hundreds of words.
const SMALL_BLOCK: usize = 16 << 10;

/// A list being read.
pub struct Reading<'a> {
    list: &'a WordList,
    lines: Lines<Box<dyn Read + Send>>,
    format: Format,
    /// The reader of words; lines of digests are passed on as they are.
    words: Option<Reader>,
    block: Block,
    /// True if the lines of the last block are its words.
    is_passed: bool,
    sample: Sample,
}

impl<'a> Reading<'a> {
    pub(super) fn new(list: &'a WordList, progress: &Progress) -> Result<Reading<'a>, InputError> {
        let (text, format) = list.origin.text(progress)?;
        let words = list.reading.clone().map(Reader::new);
        let lines = Lines::in_blocks(text, if list.has_many_words() { SMALL_BLOCK } else { BLOCK_BYTES });
        Ok(Reading {
            list,
            lines,
            format,
            words,
            block: Block::default(),
            is_passed: false,
            sample: Sample::default(),
        })
    }

    /// The words of the next whole lines as UTF-8, one a line, or none at the end.
    ///
    /// # Errors
    /// An [`InputError`] if reading fails.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>, InputError> {
        let (list, format) = (self.list, self.format);
        let lines = self.lines.next_block().map_err(|e| list.origin.error(format.read_problem(e)))?;
        let Some(lines) = lines else {
            list.end(self.words.as_ref(), &mut self.sample);
            return Ok(None);
        };
        self.sample.draw(lines);
        match (&mut self.words, list.digests) {
            (None, None) => Ok(Some(lines)),
            (None, Some(columns)) => {
                columns.rewrite(lines, &mut self.block.text);
                Ok(Some(&self.block.text))
            }
            (Some(reader), _) if reader.is_plain(lines) => {
                reader.pass(lines);
                self.is_passed = true;
                Ok(Some(lines))
            }
            (Some(reader), _) => {
                self.is_passed = false;
                reader.read_block(lines, &mut self.block);
                Ok(Some(&self.block.text))
            }
        }
    }

    /// The counts of the list's lines, from the counts of the words in the last block: a line may have
    /// several words, and a line that was left out is not a blank one.
    pub fn counts_of_lines(&self, words: LineCounts) -> LineCounts {
        if self.words.is_none() || self.is_passed {
            return words;
        }
        let block = &self.block;
        let of_line = |skipped: Skipped| Skipped {
            first: if skipped.first == 0 { 0 } else { block.line_of(skipped.first) },
            ..skipped
        };
        let mut counts = LineCounts { read: block.read, skipped: words.skipped.map(of_line), ..words };
        if let Some(blank) = counts.skipped.get_mut(Skip::Blank as usize).filter(|_| block.first_blank > 0) {
            blank.first = block.first_blank;
        }
        let (left_out, first) = block.left_out;
        if left_out == 0 {
            return counts;
        }
        let blank = words.skipped_for(Skip::Blank).lines.saturating_sub(left_out);
        let blank = Skipped { lines: blank, first: if blank > 0 { block.first_blank.max(1) } else { 0 } };
        for (reason, skipped) in [(Skip::Blank, blank), (Skip::Malformed, Skipped { lines: left_out, first })]
        {
            if let Some(place) = counts.skipped.get_mut(reason as usize) {
                *place = skipped;
            }
        }
        counts
    }

    /// Passes the entries of the next whole lines to `take`, each with its count, 0 if there is none; a line
    /// without an entry gives an empty one. False at the end.
    ///
    /// # Errors
    /// As [`Reading::next_block`].
    pub(super) fn next_entries(&mut self, take: &mut dyn FnMut(u64, &[u8])) -> Result<bool, InputError> {
        let (list, format) = (self.list, self.format);
        let lines = self.lines.next_block().map_err(|e| list.origin.error(format.read_problem(e)))?;
        let Some(lines) = lines else {
            list.end(self.words.as_ref(), &mut self.sample);
            return Ok(false);
        };
        let lines = match list.digests {
            Some(columns) => {
                columns.rewrite(lines, &mut self.block.text);
                &self.block.text
            }
            None => lines,
        };
        for line in lines.split_inclusive(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let mut has_entry = self.words.is_none();
            match &mut self.words {
                None => take(0, line),
                // What is left out is counted by the reader.
                Some(reader) => {
                    let _ = reader.read_line(line, &mut |count, word| {
                        has_entry = true;
                        take(count, word);
                    });
                }
            }
            if !has_entry {
                take(0, b"");
            }
        }
        Ok(true)
    }
}

impl WordList {
    /// A reading came to its end.
    fn end(&self, words: Option<&Reader>, sample: &mut Sample) {
        let tally = words.map(|reader| reader.tally().clone()).unwrap_or_default();
        self.last.set(tally, std::mem::take(sample));
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use nearmiss_filters::{format::Kind, list::LineCounts};

    use crate::{
        input::{self, Expected, ListName, WordList},
        progress::Progress,
    };

    fn file(folder: &Path, text: &[u8]) -> PathBuf {
        let path = folder.join("list");
        fs::write(&path, text).unwrap();
        path
    }

    fn open(path: &Path) -> Result<WordList, String> {
        let names = [ListName::Path(path.to_owned())];
        let lists = input::open(&names, &Expected::of(Kind::Words), &Progress::hidden())
            .map_err(|e| e.to_string())?;
        Ok(lists.into_iter().next().unwrap())
    }

    fn text(list: &WordList) -> Vec<u8> {
        let progress = Progress::hidden();
        let (mut reading, mut text) = (list.read(&progress).unwrap(), Vec::new());
        while let Some(block) = reading.next_block().unwrap() {
            text.extend_from_slice(block);
        }
        text
    }

    #[test]
    fn gives_the_same_utf8_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let list = open(&file(folder.path(), b"caf\xe9\nna\xefve")).unwrap();
        for _ in 0..3 {
            assert_eq!(text(&list), "café\nnaïve\n".as_bytes());
        }
        let list = open(&file(folder.path(), "\u{feff}élan\r\n".as_bytes())).unwrap();
        assert_eq!(text(&list), "élan\r\n".as_bytes());
        let list = open(&file(folder.path(), b"\xff\xfe\xe9\0a\0\n\0")).unwrap();
        assert_eq!(text(&list), "éa\n".as_bytes());
    }

    #[test]
    fn a_list_whose_name_is_given_to_another_file_is_still_the_same_list() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), b"one\ntwo\n");
        let list = open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, b"another\n").unwrap();
        assert_eq!(text(&list), b"one\ntwo\n");
    }

    #[test]
    fn lists_that_cannot_be_read_say_why() {
        let folder = tempfile::tempdir().unwrap();
        let refusal = |path: &Path| open(path).err().unwrap();
        assert!(refusal(folder.path()).ends_with("is a folder; name the files in it"));
        assert!(refusal(&folder.path().join("none")).contains("none: cannot be opened: No such file"));
        assert!(refusal(Path::new("/dev/zero")).ends_with("is a device, not a word list"));
        assert!(refusal(&file(folder.path(), b"PK\x03\x04")).ends_with("is a zip archive; unpack it first"));
        assert!(
            refusal(&file(folder.path(), b"\x1f\x8b\x08")).contains("the gzip data is damaged, cut short")
        );
    }

    #[test]
    fn lists_without_words_and_changed_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let list = open(&file(folder.path(), b"\n\n")).unwrap();
        let none = LineCounts { read: 2, ..LineCounts::default() };
        assert!(list.check(&none).unwrap_err().to_string().ends_with("is empty: it contains no words"));
        let one = LineCounts { read: 2, accepted: 1, ..LineCounts::default() };
        assert!(list.check(&one).is_ok());
        assert!(list.check_unchanged(&one, &one).is_ok());
        assert!(list.check_unchanged(&one, &none).unwrap_err().to_string().contains("changed while"));
    }
}
