//! One reading of all lists, as the builder wants it.

use std::{io::Read, slice::Iter};

use super::{
    WordList, decompress,
    error::{InputError, Problem},
    line::fault,
    lines::{Lines, Piece},
    survey::{Encoding, for_each_line},
};
use crate::progress::Progress;

/// The usable lines of all lists, in order, as UTF-8, in blocks.
pub(crate) struct Pass<'a> {
    waiting: Iter<'a, WordList>,
    current: Option<Reading<'a>>,
    progress: Progress,
}

/// A list being read.
struct Reading<'a> {
    list: &'a WordList,
    lines: Lines<Box<dyn Read + Send>>,
    format: decompress::Format,
    words: u64,
    scratch: Vec<u8>,
}

impl<'a> Pass<'a> {
    /// Starts reading `lists` from the beginning.
    pub(crate) fn new(lists: &'a [WordList], act: &'static str, progress: &Progress) -> Pass<'a> {
        progress.start(act, lists.iter().map(|list| list.origin.stored_bytes()).sum());
        Pass { waiting: lists.iter(), current: None, progress: progress.clone() }
    }

    /// Makes `block` the next whole lines, each with a `\n`; false at the end of the last list.
    ///
    /// # Errors
    /// An [`InputError`] for a list that cannot be read (again) or is not what it was.
    pub(crate) fn next_block(&mut self, block: &mut Vec<u8>) -> Result<bool, InputError> {
        block.clear();
        while block.is_empty() {
            let Some(reading) = self.reading()? else {
                self.progress.finish();
                return Ok(false);
            };
            if !reading.append_next(block)? {
                self.current = None;
            }
        }
        Ok(true)
    }

    /// The list being read: the current one, the next one, or none.
    fn reading(&mut self) -> Result<Option<&mut Reading<'a>>, InputError> {
        if self.current.is_none() {
            let next = self.waiting.next().map(|list| Reading::new(list, &self.progress));
            self.current = next.transpose()?;
        }
        Ok(self.current.as_mut())
    }
}

impl<'a> Reading<'a> {
    fn new(list: &'a WordList, progress: &Progress) -> Result<Reading<'a>, InputError> {
        let (text, format) =
            decompress::text(list.origin.read(progress)).map_err(|e| list.origin.error(Problem::Read(e)))?;
        Ok(Reading { list, lines: Lines::new(text), format, words: 0, scratch: Vec::new() })
    }

    /// Appends the usable lines of the next piece; false at the end of the list.
    fn append_next(&mut self, block: &mut Vec<u8>) -> Result<bool, InputError> {
        let piece = self.lines.next_piece();
        match piece.map_err(|e| self.list.origin.error(self.format.read_problem(e)))? {
            None => {
                self.check_unchanged(self.words == self.list.survey.words)?;
                return Ok(false);
            }
            Some(Piece::Endless) => {}
            Some(Piece::Lines(lines)) => {
                let words = append_usable(lines, self.list.survey.encoding, &mut self.scratch, block);
                self.words = self.words.saturating_add(words.unwrap_or_default());
                self.check_unchanged(words.is_some())?;
            }
        }
        Ok(true)
    }

    fn check_unchanged(&self, is_unchanged: bool) -> Result<(), InputError> {
        if is_unchanged { Ok(()) } else { Err(self.list.origin.error(Problem::Changed)) }
    }
}

/// Appends the usable lines and counts them; none when the lines are not in this encoding.
fn append_usable(
    lines: &[u8],
    encoding: Encoding,
    scratch: &mut Vec<u8>,
    block: &mut Vec<u8>,
) -> Option<u64> {
    let mut words = 0_u64;
    for_each_line(encoding.decode(lines, scratch)?, |line| {
        if fault(line).is_none() {
            words = words.saturating_add(1);
            block.extend_from_slice(line);
            block.push(b'\n');
        }
    });
    Some(words)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use super::*;
    use crate::input::{self, ListName};

    struct Files {
        folder: tempfile::TempDir,
    }

    impl Files {
        fn new() -> Files {
            Files { folder: tempfile::tempdir().unwrap() }
        }

        fn list(&self, name: &str, text: &[u8]) -> PathBuf {
            let path = self.folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        }
    }

    fn open(paths: &[PathBuf]) -> Vec<WordList> {
        let names: Vec<_> = paths.iter().cloned().map(ListName::Path).collect();
        input::open(&names, &Progress::hidden()).unwrap()
    }

    fn text(lists: &[WordList]) -> Result<Vec<u8>, InputError> {
        let mut pass = Pass::new(lists, "reading", &Progress::hidden());
        let (mut all, mut block) = (Vec::new(), Vec::new());
        while pass.next_block(&mut block)? {
            assert!(block.ends_with(b"\n"));
            all.extend_from_slice(&block);
        }
        Ok(all)
    }

    #[test]
    fn gives_usable_lines_of_all_lists_as_utf8_and_again() {
        let files = Files::new();
        let lists = open(&[
            files.list("dos", b"one\r\n\r\ntwo\r\n"),
            files.list("latin", b"caf\xe9\nna\x01h\nthree"),
            files.list("utf", "\u{feff}élan\n".as_bytes()),
        ]);
        for _ in 0..2 {
            assert_eq!(text(&lists).unwrap(), "one\ntwo\ncafé\nthree\nélan\n".as_bytes());
        }
    }

    #[test]
    fn a_list_replaced_between_passes_is_still_the_same_list() {
        let files = Files::new();
        let path = files.list("list", b"one\ntwo\n");
        let lists = open(std::slice::from_ref(&path));
        fs::remove_file(&path).unwrap();
        fs::write(&path, b"another\n").unwrap();
        assert_eq!(text(&lists).unwrap(), b"one\ntwo\n");
    }

    #[test]
    fn a_list_changed_between_passes_is_an_error() {
        let files = Files::new();
        let path = files.list("list", "élan\nverve\n".as_bytes());
        let lists = open(std::slice::from_ref(&path));
        for changed in [b"one\n".as_slice(), b"\xe9lan\nverve\n", b"one\ntwo\nthree\n"] {
            fs::write(&path, changed).unwrap();
            let told = text(&lists).unwrap_err().to_string();
            assert!(
                told.ends_with("changed while it was read; try again when nothing writes to it"),
                "{told}"
            );
        }
    }

    #[test]
    fn blocks_are_many_for_a_large_list_and_nothing_is_lost() {
        let files = Files::new();
        let large: Vec<u8> = (0..400_000).flat_map(|n| format!("w{n}\n").into_bytes()).collect();
        let lists = open(&[files.list("large", &large)]);
        assert!(text(&lists).unwrap() == large);
    }
}
