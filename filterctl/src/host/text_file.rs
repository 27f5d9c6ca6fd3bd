//! Text files of the system, which other programs write in whatever charset.

use std::{fs, io, path::Path};

/// The text of a file, with a replacement character for each byte that is not UTF-8: one name in another
/// charset takes nothing else away.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read_lossy(path: &Path) -> io::Result<String> {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_another_charset_hides_no_other_line() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), b"anna:x:1000:1000:Andr\xe9:/:\nbob:x:1001:1001::/:\n").unwrap();
        let text = read_lossy(file.path()).unwrap();
        assert_eq!(text.lines().nth(1), Some("bob:x:1001:1001::/:"));
    }
}
