//! The folder of a run: unpacked peers, word lists, filters that several measures share.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    dictionary::Build,
    storage::{Access, Replacement},
};

use crate::{
    lists::{self, Passwords, Words},
    ours,
};

/// Words of the password list that most measures use.
pub const PASSWORDS: usize = 1_000_000;

/// The folder.
pub struct Work {
    folder: PathBuf,
}

impl Work {
    pub fn new(folder: &str) -> Work {
        Work { folder: PathBuf::from(folder) }
    }

    /// A file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The paper's size of an English dictionary.
    pub fn dictionary(&self) -> Words {
        lists::dictionary(&self.dictionaries()).expect("american-english-huge among the unpacked packages")
    }

    /// A million words of three languages.
    pub fn million_words(&self) -> Words {
        lists::languages(&self.dictionaries(), PASSWORDS).expect("Debian's lists among the unpacked packages")
    }

    /// The first `count` words of the password stream.
    pub fn passwords(&self, count: usize) -> Words {
        self.stream(1).take(count).collect()
    }

    /// Password-like words that are not the list's, but for chance.
    pub fn strangers(&self) -> impl Iterator<Item = Box<[u8]>> + use<> {
        self.stream(2).derived()
    }

    fn stream(&self, seed: u64) -> Passwords {
        let lists = [self.path("passwords.txt"), self.path("common.txt")];
        let lists: Vec<&Path> = lists.iter().map(PathBuf::as_path).collect();
        Passwords::new(&lists, &self.dictionaries(), seed)
            .expect("the lists that bench.sh puts into the folder")
    }

    fn dictionaries(&self) -> PathBuf {
        self.path("peers/usr/share/dict")
    }

    /// The first `count` words of the stream as a text file, made when it is not there yet.
    pub fn list_file(&self, count: usize) -> PathBuf {
        let path = self.path(&format!("passwords-{count}.txt"));
        if !path.exists() {
            write(&path, &lists::text(&self.passwords(count)));
        }
        path
    }

    /// Builds the filter of a list into a file of the folder.
    pub fn filter_file(&self, name: &str, text: &[u8], settings: &Build) -> PathBuf {
        let path = self.path(name);
        let (header, pages) = ours::build(text, settings).finish();
        let mut file = Replacement::create(&path, Access::Private).expect("a folder that can be written");
        file.write(&header).and_then(|()| file.write(pages.as_flattened())).expect("room for a filter");
        file.commit().expect("room for a filter");
        path
    }
}

/// Writes a whole file, completely or not at all.
pub fn write(path: &Path, bytes: &[u8]) {
    let part = path.with_extension("part");
    fs::write(&part, bytes).and_then(|()| fs::rename(&part, path)).expect("room in the benchmark's folder");
}
