//! Whether an output may replace the file in its place: one of its own kind, by its first bytes.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

/// True if nothing is lost when the file is replaced by one that begins with `start`: there is no regular
/// file, or it begins so; it is empty, or begins with zeros, since the system has lost its beginning; or it
/// cannot be read, so that the attempt to replace it is reported.
pub fn begins_like(path: &Path, start: &[u8]) -> bool {
    if !fs::symlink_metadata(path).is_ok_and(|file| file.is_file()) {
        return true;
    }
    let mut first = Vec::new();
    let mut read = || File::open(path)?.take(start.len() as u64).read_to_end(&mut first);
    read().is_err() || start.starts_with(&first) || first.iter().all(|&byte| byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_by_one_of_its_kind() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        assert!(begins_like(&file, b"NM1") && begins_like(folder.path(), b"NM1"));
        for (content, may) in [
            (&b""[..], true),
            (b"NM", true),
            (b"NM1 and more", true),
            (b"\0\0\0\0", true),
            (b"\0a", false),
            (b"NM2", false),
        ] {
            fs::write(&file, content).unwrap();
            assert_eq!(begins_like(&file, b"NM1"), may, "{content:?}");
        }
    }
}
