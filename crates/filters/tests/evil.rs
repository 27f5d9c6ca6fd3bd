//! Named evil files, which the code in `evil/` makes: opened through their paths like any other, each gives
//! the error written beside it, and none makes the library ask for memory that a field in it claims.

#[path = "evil/files.rs"]
mod files;

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter, FilterError, Loading, Problem, counters::Counters},
    format::FormatError,
    ladder::{ChosenLadder, LadderError, LadderFiles, SystemRandom, read_key},
    word::Word,
};

use crate::{alone::alone, common::peak_kib};
use files::{Evil, Expected};

impl Evil {
    fn check(&self, folder: &Path) {
        let path = folder.join(&self.name);
        fs::write(&path, &self.bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let is_right = match self.expected {
            Expected::Format(wanted) => format_error(&path) == Some(wanted),
            Expected::DamagedPage(page) => ask(&path).is_err_and(|index| index == page),
            Expected::DamagedFourGrams(page) => ask(&path).is_ok() && ask_far(&path) == Some(page),
            Expected::Answers(wanted) => ask(&path).is_ok_and(|found| found == [wanted; WORDS.len()]),
            Expected::Counts(wanted) => {
                counts_problem(&path).starts_with(wanted)
                    && counts_problem(&path).is_empty() == wanted.is_empty()
            }
            Expected::Ladder(wanted) => {
                matches!(open_ladder(&path), Err(LadderError::File { problem, .. }) if problem == wanted)
            }
            Expected::OtherKey => matches!(open_ladder(&path), Err(LadderError::OtherKey { .. })),
            Expected::Height(wanted) => step_ladder(&open_ladder(&path).ok().unwrap().unwrap()) == wanted,
            Expected::Key(wanted) => {
                matches!(read_key(&path), Err(LadderError::Key { problem, .. }) if problem == wanted)
            }
        };
        assert!(is_right, "{}: {:?}, {:?}", self.name, self.expected, format_error(&path));
    }
}

/// How the problem with a counts file shows; nothing when it is taken.
fn counts_problem(path: &Path) -> String {
    Counters::open(path).err().map(|error| format!("{:?}", error.problem)).unwrap_or_default()
}

fn format_error(path: &Path) -> Option<FormatError> {
    match DictionaryFilter::open(path, Loading::Unobserved) {
        Err(FilterError { problem: Problem::Format(error), .. }) => Some(error),
        _ => None,
    }
}

/// Of the golden filters' letters, no longer than their longest word.
const WORDS: [&str; 4] = ["elephant", "password", "stranger", "日本語日本語"];

/// Whether each word is found; the index of a damaged page.
fn ask(path: &Path) -> Result<Vec<bool>, u64> {
    let filter = DictionaryFilter::open(path, Loading::Unobserved).unwrap();
    let mut buffers = Buffers::default();
    let mut ask =
        |text: &str| match filter.nearest(&Word::clean(text.as_bytes()).ok().unwrap(), true, &mut buffers) {
            Ok(found) => Ok(found.is_some()),
            Err(FilterError { problem: Problem::DamagedPage { index }, .. }) => Err(index),
            Err(other) => panic!("{other}"),
        };
    WORDS.iter().map(|text| ask(text)).collect()
}

/// The page that is found damaged when words at distance 2 are asked for.
fn ask_far(path: &Path) -> Option<u64> {
    let filter = DictionaryFilter::open(path, Loading::Unobserved).unwrap();
    match filter.visit_distance_2(&Word::clean(WORDS[0].as_bytes()).ok().unwrap(), &mut |_| ()) {
        Err(FilterError { problem: Problem::DamagedPage { index }, .. }) => Some(index),
        _ => None,
    }
}

fn open_ladder(path: &Path) -> Result<Option<ChosenLadder>, LadderError> {
    let key = path.with_extension("its-key");
    fs::write(&key, files::ladder::key()).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    ChosenLadder::open(&LadderFiles { file: path.to_owned(), key })
}

/// Height of an element; then a thousand steps, each of which must come to its end.
fn step_ladder(ladder: &ChosenLadder) -> u32 {
    let element = ladder.element(b"a password").unwrap();
    let height = ladder.height(&element).unwrap();
    assert_eq!(ladder.step(&element, 1000, &mut SystemRandom).unwrap(), Some(height));
    height
}

/// In a process of its own: another test's stack and arena would be taken for memory that a file asked for.
#[test]
fn evil_files() {
    if let Some(output) = alone(concat!(module_path!(), "::evil_files"), "") {
        print!("{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    the_files_are_written_where_they_are_wanted();
    each_file_is_refused_as_written_beside_it();
}

fn each_file_is_refused_as_written_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = files::all();
    let names: BTreeSet<_> = files.iter().map(|evil| &evil.name).collect();
    assert_eq!(names.len(), files.len(), "two evil files have one name");
    assert!(files.len() >= 99, "{} evil files", files.len());
    let before = peak_kib();
    for evil in &files {
        evil.check(folder.path());
    }
    let grown = peak_kib() - before;
    // Read buffers, maps of 8 KiB and the allocator's growth; the smallest field that claims memory claims 64
    // MiB.
    assert!(grown < 8 << 10, "{grown} KiB more address space");
    println!("torture: evil files: {0} tried, {0} held", files.len());
}

/// Writes the files into the folder that `EVIL_FILES` names, if any: `make fuzz` begins with them.
fn the_files_are_written_where_they_are_wanted() {
    let Some(folder) = std::env::var_os("EVIL_FILES").map(PathBuf::from) else { return };
    fs::create_dir_all(&folder).unwrap();
    for evil in files::all() {
        fs::write(folder.join(&evil.name), &evil.bytes).unwrap();
    }
}
