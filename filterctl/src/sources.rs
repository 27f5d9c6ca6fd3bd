//! The lists in a folder such as `/usr/share/dict`, and a fingerprint that tells whether any of them has changed.
//!
//! Packages put more there than lists: symbolic links to the default list, READMEs, and what editors and package
//! tools leave behind. The fingerprint is made of the names and contents of the lists; sizes and dates
//! of files stay the same in more updates than one would like.

use std::{
    fs::{self, File, FileType},
    io::{self, Read},
    path::{Path, PathBuf},
};

use serde::Serialize;
use sha1::{Digest, Sha1};

/// What the names of files that are no lists end in: backups, and what package tools set aside.
const BACKUPS: [&str; 12] = [
    "~", ".bak", ".old", ".orig", ".save", ".swp", ".tmp", ".new", ".rpmnew", ".rpmsave", ".rpmorig", ".part",
];

/// A file that is not used, and why.
#[derive(Serialize)]
pub(crate) struct Skipped {
    /// Its path.
    pub(crate) file: String,
    /// The reason, in plain words.
    pub(crate) reason: String,
}

impl Skipped {
    /// This file is not used for this reason.
    pub(crate) fn new(file: &Path, reason: &str) -> Skipped {
        Skipped { file: file.display().to_string(), reason: reason.to_owned() }
    }
}

/// The lists of a folder, by name, and the files that are none by their names or types.
///
/// # Errors
/// What the system answers when the folder cannot be read.
pub(crate) fn lists_in(folder: &Path) -> io::Result<(Vec<PathBuf>, Vec<Skipped>)> {
    let (mut lists, mut skipped) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match reason_to_skip(&entry.file_name().to_string_lossy(), entry.file_type()?) {
            Some(reason) => skipped.push(Skipped::new(&entry.path(), reason)),
            None => lists.push(entry.path()),
        }
    }
    lists.sort();
    skipped.sort_by(|a, b| a.file.cmp(&b.file));
    Ok((lists, skipped))
}

fn reason_to_skip(name: &str, file_type: FileType) -> Option<&'static str> {
    let is_backup = BACKUPS.iter().any(|end| name.ends_with(end))
        || name.contains(".dpkg-")
        || (name.starts_with('#') && name.ends_with('#'));
    [
        (file_type.is_symlink(), "is a symbolic link"),
        (file_type.is_dir(), "is a folder"),
        (!file_type.is_file(), "is no regular file"),
        (name.starts_with('.'), "is hidden"),
        (name.to_ascii_lowercase().starts_with("readme"), "is a README"),
        (is_backup, "is a backup"),
    ]
    .into_iter()
    .find_map(|(is_so, reason)| is_so.then_some(reason))
}

/// A fingerprint being made of everything a filter is built from.
pub(crate) struct Fingerprint(Sha1);

impl Fingerprint {
    /// A fingerprint that begins with the settings.
    pub(crate) fn new(settings: &str) -> Fingerprint {
        let mut whole = Fingerprint(Sha1::new());
        whole.part(settings.as_bytes());
        whole
    }

    fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds bytes that are in memory.
    pub(crate) fn add_bytes(&mut self, bytes: &[u8]) {
        self.part(&Sha1::digest(bytes));
    }

    /// Adds a file by name and content; of one that cannot be read, that it cannot.
    pub(crate) fn add_file(&mut self, path: &Path) {
        self.part(path.as_os_str().as_encoded_bytes());
        match content(path) {
            Ok(digest) => self.part(&digest),
            Err(_) => self.part(b"unreadable"),
        }
    }

    /// The fingerprint in hexadecimal digits.
    pub(crate) fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn content(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, mut hasher) = (File::open(path)?, Sha1::new());
    let mut buffer = vec![0; 256 << 10];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(hasher.finalize().to_vec());
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lists_are_lists() {
        let folder = tempfile::tempdir().unwrap();
        let lists = ["american-english", "cracklib-small", "web2.gz"];
        let others = [
            "README.select-wordlist",
            "readme",
            ".hidden",
            "words~",
            "words.bak",
            "words.dpkg-old",
            "words.rpmsave",
            "#words#",
            "words.swp",
        ];
        for name in lists.iter().chain(&others) {
            fs::write(folder.path().join(name), "word\n").unwrap();
        }
        std::os::unix::fs::symlink("american-english", folder.path().join("words")).unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        let (found, skipped) = lists_in(folder.path()).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, lists);
        assert_eq!(skipped.len(), others.len() + 2);
        let reason =
            |name: &str| skipped.iter().find(|skip| skip.file.ends_with(name)).unwrap().reason.clone();
        assert_eq!((reason("/words"), reason("/sub")), ("is a symbolic link".into(), "is a folder".into()));
    }

    #[test]
    fn a_fingerprint_is_of_names_contents_and_settings() {
        let folder = tempfile::tempdir().unwrap();
        let of = |settings: &str, files: &[&str]| {
            let mut fingerprint = Fingerprint::new(settings);
            for name in files {
                fingerprint.add_file(&folder.path().join(name));
            }
            fingerprint.finish()
        };
        fs::write(folder.path().join("a"), "one").unwrap();
        fs::write(folder.path().join("b"), "one").unwrap();
        let first = of("s", &["a"]);
        assert_eq!(of("s", &["a"]), first);
        assert!(of("t", &["a"]) != first && of("s", &["b"]) != first && of("s", &["a", "none"]) != first);
        fs::write(folder.path().join("a"), "two").unwrap();
        assert_ne!(of("s", &["a"]), first);
    }
}
