//! One reading of a list, in blocks of whole lines.

use std::io::Read;

use super::{
    decompress::Format, encoding::Encoding, error::InputError, form::Columns, lines::Lines, origin::Origin,
};
use crate::progress::Progress;

/// A list being read.
pub struct Reading<'a> {
    origin: &'a Origin,
    encoding: Encoding,
    columns: Columns,
    lines: Lines<Box<dyn Read + Send>>,
    format: Format,
    scratch: [Vec<u8>; 2],
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        origin: &'a Origin,
        encoding: Encoding,
        columns: Columns,
        progress: &Progress,
    ) -> Result<Reading<'a>, InputError> {
        let (text, format) = origin.text(progress)?;
        Ok(Reading {
            origin,
            encoding,
            columns,
            lines: Lines::new(text),
            format,
            scratch: Default::default(),
        })
    }

    /// The words of the next whole lines as UTF-8, one a line, or none at the end.
    ///
    /// # Errors
    /// An [`InputError`] if reading fails.
    pub fn next_block(&mut self) -> Result<Option<&[u8]>, InputError> {
        let (origin, format) = (self.origin, self.format);
        let block = self.lines.next_block().map_err(|e| origin.error(format.read_problem(e)))?;
        let [decoded, words] = &mut self.scratch;
        Ok(block.map(|block| self.columns.words(self.encoding.decode(block, decoded), words)))
    }

    /// The next whole lines with all their columns.
    ///
    /// # Errors
    /// As [`Reading::next_block`].
    pub(super) fn next_lines(&mut self) -> Result<Option<&[u8]>, InputError> {
        let (origin, format) = (self.origin, self.format);
        let block = self.lines.next_block().map_err(|e| origin.error(format.read_problem(e)))?;
        let [decoded, _] = &mut self.scratch;
        Ok(block.map(|block| self.encoding.decode(block, decoded)))
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
        let lists =
            input::open(&names, Expected::of(Kind::Words), &Progress::hidden()).map_err(|e| e.to_string())?;
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
            assert_eq!(text(&list), "café\nnaïve".as_bytes());
        }
        let list = open(&file(folder.path(), "\u{feff}élan\r\n".as_bytes())).unwrap();
        assert_eq!(text(&list), "élan\r\n".as_bytes());
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
        assert!(refusal(&file(folder.path(), b"\xff\xfea\0\n\0")).contains("is UTF-16 text; convert it"));
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
