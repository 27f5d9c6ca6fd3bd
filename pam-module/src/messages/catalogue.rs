//! A catalogue of translated sentences, as `msgfmt` compiles it from `packaging/po/` (GNU gettext manual,
//! *The Format of GNU MO Files*).
//!
//! It is read here and not by libc, which trusts the offsets in the file: a damaged catalogue would crash the
//! program that changes a password. Nor could libc be kept away from the folders that `LANGUAGE` names if
//! root runs a program with another user's environment. Here a language is a short code, and its catalogue is
//! one file in one folder, trusted after the same walk as a filter. If the catalogue or one of its sentences
//! is invalid, English is used.

use std::path::{Path, PathBuf};

use nearmiss_filters::{storage, text::is_steering};

/// The folder of the packaged catalogues; a distribution with another folder names it at build time.
const FOLDER: &str = match option_env!("NEARMISS_LOCALEDIR") {
    Some(folder) => folder,
    None => "/usr/share/locale",
};

/// The largest size of a catalogue in bytes: five times the longest one.
const MAX_BYTES: usize = 64 << 10;

/// The most bytes of a sentence, before its holes are filled.
const MAX_SENTENCE: usize = 1000;

const MAGIC: u32 = 0x9504_12de;

/// The header of a catalogue (the translation of the empty sentence) must contain this.
const CHARSET: &str = "charset=UTF-8\n";

/// A part of a file: `(offset, length)` of a sentence or of its translation.
type Span = (usize, usize);

/// A catalogue whose offsets were all checked.
pub(crate) struct Catalogue {
    bytes: Vec<u8>,
    entries: Vec<(Span, Span)>,
}

impl Catalogue {
    /// The installed catalogue of a language; none if it does not exist, is not trusted or is invalid.
    pub(crate) fn of(language: &str) -> Option<Catalogue> {
        Catalogue::in_folder(Path::new(FOLDER), language)
    }

    fn in_folder(folder: &Path, language: &str) -> Option<Catalogue> {
        let file = path(folder, language)?;
        Catalogue::parse(storage::read_trusted(&file, MAX_BYTES).ok()?)
    }

    /// A catalogue from a file's bytes; none if any offset is outside of them.
    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Catalogue> {
        let numbers = Integers::of(&bytes)?;
        // Major revision 0, as every program must check; the minor revision adds features that are not used
        // here.
        if numbers.at(4)? >> 16 != 0 {
            return None;
        }
        let count = usize::try_from(numbers.at(8)?).ok().filter(|&count| count <= bytes.len())?;
        let tables = (numbers.place_at(12)?, numbers.place_at(16)?);
        let entry = |row| Some((numbers.span_at(tables.0, row)?, numbers.span_at(tables.1, row)?));
        let entries = (0..count).map(entry).collect::<Option<Vec<_>>>()?;
        let catalogue = Catalogue { bytes, entries };
        catalogue.find("")?.contains(CHARSET).then_some(catalogue)
    }

    /// The translation of a sentence, safe to show once its holes are filled.
    pub(crate) fn translation(&self, english: &str) -> Option<&str> {
        let text = self.find(english)?;
        let is_fit = !text.is_empty() && text.len() <= MAX_SENTENCE && !text.chars().any(is_refused);
        is_fit.then_some(text)
    }

    fn find(&self, english: &str) -> Option<&str> {
        let of = |(at, length): Span| self.bytes.get(at..at.checked_add(length)?);
        let (_, translation) = self.entries.iter().find(|(key, _)| of(*key) == Some(english.as_bytes()))?;
        std::str::from_utf8(of(*translation)?).ok()
    }
}

/// True for characters that steer a terminal or reorder a line, except the joiners and marks that some
/// scripts need.
fn is_refused(character: char) -> bool {
    is_steering(character) && !matches!(character, '\u{200c}'..='\u{200f}')
}

/// A catalogue's path; none if the text is not the code of a language, such as a path.
fn path(folder: &Path, language: &str) -> Option<PathBuf> {
    let is_code = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@');
    let is_language = (2..=20).contains(&language.len()) && language.as_bytes().iter().all(is_code);
    is_language.then(|| folder.join(language).join("LC_MESSAGES").join("nearmiss.mo"))
}

/// The 32-bit numbers of a file, in its own byte order.
struct Integers<'b> {
    bytes: &'b [u8],
    read: fn([u8; 4]) -> u32,
}

impl<'b> Integers<'b> {
    fn of(bytes: &'b [u8]) -> Option<Integers<'b>> {
        let orders = [u32::from_le_bytes, u32::from_be_bytes];
        let mut numbers = orders.into_iter().map(|read| Integers { bytes, read });
        numbers.find(|numbers| numbers.at(0) == Some(MAGIC))
    }

    fn at(&self, place: usize) -> Option<u32> {
        self.bytes.get(place..)?.first_chunk().map(|chunk| (self.read)(*chunk))
    }

    fn place_at(&self, place: usize) -> Option<usize> {
        usize::try_from(self.at(place)?).ok()
    }

    /// The string that a row of a table describes: inside the file, with the null byte after it.
    fn span_at(&self, table: usize, row: usize) -> Option<Span> {
        let place = row.checked_mul(8)?.checked_add(table)?;
        let (length, at) = (self.place_at(place)?, self.place_at(place.checked_add(4)?)?);
        let end = at.checked_add(length)?;
        (self.bytes.get(end) == Some(&0)).then_some((at, length))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt, symlink},
    };

    use super::*;

    const HEADER: (&str, &str) = ("", "Content-Type: text/plain; charset=UTF-8\n");

    /// A file as msgfmt writes it, without a hash table.
    pub(crate) fn mo(entries: &[(&str, &str)], number: fn(u32) -> [u8; 4]) -> Vec<u8> {
        let (count, mut strings) = (entries.len(), Vec::new());
        let start = 28 + 16 * count;
        let mut table = |of: fn(&(&str, &str)) -> String| {
            let mut rows = Vec::new();
            for text in entries.iter().map(of) {
                rows.extend(number(u32::try_from(text.len()).unwrap()));
                rows.extend(number(u32::try_from(start + strings.len()).unwrap()));
                strings.extend(text.as_bytes());
                strings.push(0);
            }
            rows
        };
        let tables = [table(|entry| entry.0.to_owned()), table(|entry| entry.1.to_owned())].concat();
        let small = |value: usize| u32::try_from(value).unwrap();
        let header = [MAGIC, 0, small(count), 28, small(28 + 8 * count), 0, small(start)];
        [header.map(number).as_flattened().to_vec(), tables, strings].concat()
    }

    fn good() -> Vec<u8> {
        mo(&[HEADER, ("one", "eins"), ("two {hole}", "zwei {hole}")], u32::to_le_bytes)
    }

    #[test]
    fn a_catalogue_is_read_in_both_byte_orders() {
        for number in [u32::to_le_bytes, u32::to_be_bytes] {
            let catalogue = Catalogue::parse(mo(&[HEADER, ("one", "eins"), ("é", "日本")], number)).unwrap();
            assert_eq!(catalogue.translation("one"), Some("eins"));
            assert_eq!(catalogue.translation("é"), Some("日本"));
            assert_eq!(catalogue.translation("on"), None);
        }
    }

    #[test]
    fn a_catalogue_that_is_cut_is_none_wherever_it_is_cut() {
        let bytes = good();
        for length in 0..bytes.len() {
            assert!(Catalogue::parse(bytes[..length].to_vec()).is_none(), "{length}");
        }
    }

    #[test]
    fn every_number_may_be_any_number() {
        let bytes = good();
        for place in (0..28 + 16 * 3).step_by(4) {
            for number in [0, 1, 27, 1 << 16, 0x7fff_fff0, u32::MAX - 3, u32::MAX] {
                let mut bytes = bytes.clone();
                bytes[place..place + 4].copy_from_slice(&number.to_le_bytes());
                if let Some(catalogue) = Catalogue::parse(bytes) {
                    let _ = catalogue.translation("one");
                }
            }
        }
    }

    #[test]
    fn another_revision_or_charset_is_none() {
        let mut newer = good();
        newer[6] = 1;
        assert!(Catalogue::parse(newer).is_none());
        let latin = ("", "Content-Type: text/plain; charset=ISO-8859-1\n");
        assert!(Catalogue::parse(mo(&[latin, ("one", "eins")], u32::to_le_bytes)).is_none());
        assert!(Catalogue::parse(mo(&[("one", "eins")], u32::to_le_bytes)).is_none());
    }

    #[test]
    fn a_sentence_that_is_not_fit_to_be_shown_is_english() {
        let long = "x".repeat(MAX_SENTENCE + 1);
        for text in ["", "\x1b[31mrot", "zwei\nZeilen", "\u{202e}verdreht", "\u{9b}", long.as_str()] {
            let catalogue = Catalogue::parse(mo(&[HEADER, ("one", text)], u32::to_le_bytes)).unwrap();
            assert_eq!(catalogue.translation("one"), None, "{text:?}");
        }
        let catalogue = Catalogue::parse(mo(&[HEADER, ("one", "می\u{200c}خواهم")], u32::to_le_bytes));
        assert_eq!(catalogue.unwrap().translation("one"), Some("می\u{200c}خواهم"));
        let mut bytes = good();
        let at = bytes.windows(4).position(|part| part == b"eins").unwrap();
        bytes[at] = 0xff;
        assert_eq!(Catalogue::parse(bytes).unwrap().translation("one"), None);
    }

    #[test]
    fn a_language_is_a_code_and_never_a_path() {
        let folder = Path::new("/usr/share/locale");
        for language in ["de", "pt_BR", "sr@latin", "ast"] {
            let wanted = format!("/usr/share/locale/{language}/LC_MESSAGES/nearmiss.mo");
            assert_eq!(path(folder, language), Some(wanted.into()));
        }
        for language in
            ["", "d", "..", "../../tmp/x", "/tmp/x", "de/..", "de\0", "de.UTF-8", "x".repeat(21).as_str()]
        {
            assert_eq!(path(folder, language), None, "{language:?}");
        }
    }

    #[test]
    fn only_a_trusted_file_of_reasonable_size_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("de/LC_MESSAGES");
        let file = place.join("nearmiss.mo");
        let is_read = || Catalogue::in_folder(folder.path(), "de").is_some();
        assert!(!is_read());
        fs::create_dir_all(&place).unwrap();
        fs::write(&file, good()).unwrap();
        assert!(is_read());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(!is_read());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(!is_read());
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_len(100 << 20).unwrap();
        assert!(!is_read());
        fs::rename(&file, place.join("real.mo")).unwrap();
        symlink("real.mo", &file).unwrap();
        assert!(!is_read());
    }
}
