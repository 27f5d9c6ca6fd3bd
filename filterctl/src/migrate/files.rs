//! The lines of the other modules' files, read as the modules read them.

use super::given::{GivenSettings, Module};
use crate::host::pam_stack::decoded;

/// The longest line that libpwquality reads, in bytes.
const LONGEST: usize = 1022;

/// The options of a pwquality.conf: `name = value`, `name value` or `name`, with comments behind `#`; false
/// for a line that ends the reading because it is too long or has a zero byte.
pub(super) fn pwquality(file: &str, bytes: &[u8]) -> Vec<(GivenSettings, bool)> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let last = lines.clone().count();
    let option = |(number, line): (usize, &[u8])| {
        let until = line.iter().position(|byte| *byte == 0);
        // The C string of the last line ends at a zero byte, and the file ends there, too.
        let is_whole = line.len() <= LONGEST && (until.is_none() || number == last);
        let line = line.get(..until.unwrap_or(line.len())).unwrap_or(line);
        let (text, is_utf8) = decoded(line.split(|byte| *byte == b'#').next().unwrap_or_default());
        let text = text.trim_matches(is_space);
        let (name, value) = text.split_once(|one| is_space(one) || one == '=').unwrap_or((text, ""));
        let has_equals = text.get(name.len()..).is_some_and(|rest| rest.starts_with('='));
        let value = value.trim_start_matches(is_space);
        let value = value.strip_prefix('=').filter(|_| !has_equals).unwrap_or(value);
        // A line without a name is kept unchanged, so that the output mentions it.
        let name = if name.is_empty() { text } else { name };
        let place = format!("{file}:{number}");
        let given = GivenSettings::of(Module::Pwquality, name, value.trim_start_matches(is_space), place);
        (!text.is_empty() || !is_whole).then_some((GivenSettings { is_utf8, ..given }, is_whole))
    };
    (1..).zip(lines).filter_map(option).collect()
}

/// The options of a passwdqc.conf: `name=value`, and comments on lines of their own.
pub(super) fn passwdqc(file: &str, bytes: &[u8]) -> Vec<GivenSettings> {
    let option = |(number, line): (usize, &[u8])| {
        let (text, is_utf8) = decoded(line);
        let text = text.trim_matches([' ', '\t', '\r']);
        let (name, value) = text.split_once([' ', '\t', '=']).unwrap_or((text, ""));
        let name = if name.is_empty() { text } else { name };
        let value = value.trim_start_matches([' ', '\t', '=']);
        let given = GivenSettings::of(Module::Passwdqc, name, value, format!("{file}:{number}"));
        (!text.is_empty() && !text.starts_with('#')).then_some(GivenSettings { is_utf8, ..given })
    };
    (1..).zip(bytes.split(|byte| *byte == b'\n')).filter_map(option).collect()
}

/// `isspace(3)`.
fn is_space(one: char) -> bool {
    one.is_ascii_whitespace() || one == '\x0b'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<(String, String, bool)> {
        let options = pwquality("/f", text).into_iter();
        options.map(|(option, is_whole)| (option.name, option.value, is_whole)).collect()
    }

    #[test]
    fn a_line_is_split_as_libpwquality_splits_it() {
        for (line, name, value) in [
            ("minlen=14", "minlen", "14"),
            ("  MinLen \t=  14 \x0b\r", "minlen", "14"),
            ("minlen 14 # 15", "minlen", "14"),
            ("minlen == 14", "minlen", "= 14"),
            ("minlen = = 14", "minlen", "= 14"),
            ("enforce_for_root", "enforce_for_root", ""),
            ("= 14", "= 14", "14"),
        ] {
            assert_eq!(read(line.as_bytes()), [(name.into(), value.into(), true)], "{line}");
        }
        assert!(read(b"\n # x\n\t\n").is_empty());
    }

    #[test]
    fn a_line_that_is_too_long_or_has_a_zero_byte_ends_the_reading() {
        let long = |count: usize| read(&[b"badwords=", "x".repeat(count).as_bytes(), b"\n"].concat());
        assert!(long(LONGEST - 9)[0].2 && !long(LONGEST - 8)[0].2);
        assert_eq!(read(b"minlen=14\0x\nretry=3\n")[0], ("minlen".into(), "14".into(), false));
        assert_eq!(read(b"minlen=14\0x"), [("minlen".into(), "14".into(), true)]);
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_kept_as_latin_1_and_marked() {
        let (option, _) = pwquality("/f", b"badwords = caf\xe9").remove(0);
        assert_eq!((option.value.as_str(), option.is_utf8), ("caf\u{e9}", false));
        let option = passwdqc("/f", b"denylist=/a#b/caf\xe9\r").remove(0);
        assert_eq!((option.value.as_str(), option.is_utf8), ("/a#b/caf\u{e9}", false));
        assert!(passwdqc("/f", "wordlist=/caf\u{e9}".as_bytes())[0].is_utf8);
    }
}
