//! The beginning of a list of digests, which is examined before the way of reading the list is chosen, and
//! then pushed back if the list is a stream.

use std::io::{Cursor, Read};

use super::{WordList, error::InputError, origin::Origin, stream::spool};
use crate::progress::Progress;

/// The beginning of a list.
pub struct Beginning {
    /// Whole lines.
    pub text: Vec<u8>,
    /// True if the list has no further lines.
    pub is_whole: bool,
    /// The fraction of the list that this is; none if its length is unknown: a stream, or a compressed file.
    pub share: Option<f64>,
}

impl WordList {
    /// The first lines, about `bytes` bytes. The list, even a stream, is read from its beginning afterwards.
    ///
    /// # Errors
    /// An [`InputError`] if it cannot be read.
    pub fn beginning(&self, bytes: usize) -> Result<Beginning, InputError> {
        let (mut stream, format) = self.origin.text(&Progress::hidden())?;
        if let Some(problem) = format.problem() {
            return Err(self.origin.error(problem));
        }
        let mut text = Vec::new();
        let read = (&mut stream).take(bytes as u64).read_to_end(&mut text);
        read.map_err(|e| self.origin.error(format.read_problem(e)))?;
        let is_whole = text.len() < bytes;
        if let Some(place) = self.origin.stream() {
            place.give_back(Box::new(Cursor::new(text.clone()).chain(stream)));
        }
        if !is_whole {
            text.truncate(memchr::memrchr(b'\n', &text).map_or(0, |last| last + 1));
        }
        let share = self.origin.share_of(&text, format);
        Ok(Beginning { text, is_whole, share })
    }

    /// Copies a stream to a temporary file, so that it can be read more than once.
    ///
    /// # Errors
    /// An [`InputError`].
    pub fn keep(&mut self) -> Result<(), InputError> {
        let Some(stream) = self.origin.stream() else { return Ok(()) };
        let (name, most) = (self.origin.name().to_owned(), self.origin.most());
        let (file, bytes) = spool(&name, stream.take(), most)?;
        self.origin = Origin::of_spooled(&name, file.into(), bytes, most);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write, path::Path};

    use nearmiss_filters::format::Kind;

    use super::*;
    use crate::input::{Expected, ListName, open, open_once};

    const TEXT: &str =
        "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:7\n7C4A8D09CA3762AF61E59520943DC26494F8941B:3\n";

    fn list(path: &Path) -> WordList {
        let names = [ListName::Path(path.to_owned())];
        let lists = open_once(&names, &Expected::of(Kind::Sha1), &Progress::hidden()).unwrap();
        lists.into_iter().next().unwrap()
    }

    fn text(list: &WordList) -> String {
        let (mut reading, mut text) = (list.read(&Progress::hidden()).unwrap(), String::new());
        while let Some(block) = reading.next_block().unwrap() {
            text.push_str(std::str::from_utf8(block).unwrap());
        }
        text
    }

    #[test]
    fn a_file_has_a_share_and_is_read_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, TEXT).unwrap();
        let list = list(&path);
        let some = list.beginning(50).unwrap();
        assert_eq!((some.text.len(), some.is_whole, some.share), (43, false, Some(0.5)));
        let all = list.beginning(1000).unwrap();
        assert_eq!((all.text.as_slice(), all.is_whole, all.share), (TEXT.as_bytes(), true, Some(1.0)));
        assert_eq!(text(&list), TEXT);
        fs::write(&path, zstd::encode_all(TEXT.as_bytes(), 1).unwrap()).unwrap();
        assert_eq!(self::list(&path).beginning(50).unwrap().share, None);
        let names = [ListName::Path(path)];
        let mut kept = open(&names, &Expected::of(Kind::Sha1), &Progress::hidden()).unwrap().remove(0);
        kept.keep().unwrap();
        assert_eq!(text(&kept), TEXT);
    }

    #[test]
    fn a_stream_is_given_back_and_kept_where_that_is_wanted() {
        for stored in [TEXT.as_bytes().to_vec(), zstd::encode_all(TEXT.as_bytes(), 1).unwrap()] {
            for is_kept in [false, true] {
                let (reader, mut writer) = std::io::pipe().unwrap();
                writer.write_all(&stored).unwrap();
                drop(writer);
                let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
                let mut list = list(Path::new(&path));
                drop(reader);
                let some = list.beginning(50).unwrap();
                assert_eq!((some.text.len(), some.is_whole, some.share), (43, false, None));
                if is_kept {
                    list.keep().unwrap();
                    assert_eq!(text(&list), TEXT);
                }
                assert_eq!(list.is_kept(), is_kept);
                assert_eq!(text(&list), TEXT);
            }
        }
    }
}
