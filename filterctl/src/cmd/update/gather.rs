//! The lists that `filterctl update` builds from, and those that it leaves out.

use std::path::Path;

use nearmiss_filters::{
    config::{LIST_FOLDERS, UpdateRules},
    list::{Entry, LineFormat},
    storage::StorageError,
};

use super::sources::{self, Skipped, Source};
use crate::{
    change::read_all,
    failure,
    input::{self, Expected, InputError, ListName, WordList},
    progress::Progress,
};

/// What is in the folders of lists.
#[derive(Default)]
pub(super) struct Gathered {
    /// The lists, open for reading.
    pub(super) sources: Vec<Source>,
    /// What is left out, and why.
    pub(super) skipped: Vec<Skipped>,
}

/// The lists that are named, then those of the folders by their names, but for the files that `is_own` knows.
/// The folders that are taken by default need not exist.
pub(super) fn gather(rules: &UpdateRules, is_own: impl Fn(&Path) -> bool) -> Gathered {
    let mut all = Gathered::default();
    for list in &rules.lists {
        match sources::list_at(list) {
            Ok(source) => all.sources.push(source),
            Err(error) => all.skipped.push(left_out(&error)),
        }
    }
    let is_default = |folder: &Path| LIST_FOLDERS.iter().any(|name| Path::new(name) == folder);
    for folder in rules.folders.iter().filter(|folder| folder.exists() || !is_default(folder)) {
        match sources::lists_in(folder, &is_own) {
            Ok(found) => {
                all.sources.extend(found.lists);
                all.skipped.extend(found.others);
                all.skipped.extend(found.refused.iter().map(left_out));
            }
            Err(error) => all.skipped.push(left_out(&error)),
        }
    }
    all
}

impl Gathered {
    /// The lists that can be read and have words; the others are left out, too.
    pub(super) fn usable(&mut self, expected: Expected, progress: &Progress) -> Vec<WordList> {
        let mut lists = Vec::new();
        for source in &self.sources {
            match open(source, expected, progress) {
                Ok(list) => lists.extend(list),
                Err(error) => self.skipped.push(unusable(&source.path, &error)),
            }
        }
        lists
    }
}

fn open(source: &Source, expected: Expected, progress: &Progress) -> Result<Vec<WordList>, InputError> {
    let name = ListName::Opened(source.path.clone(), source.file.clone());
    let lists = input::open(&[name], expected, progress)?;
    let (format, mut entry) = (LineFormat { kind: expected.kind, min_count: 0 }, Entry::default());
    for list in &lists {
        let counts = read_all(list, progress, |block| format.read_block(block, &mut entry, |_| {}))?;
        list.check(&counts)?;
    }
    Ok(lists)
}

/// A folder or a list that cannot be opened, or is not to be trusted, is reported on stderr, too: a caller
/// may print nothing else.
fn left_out(error: &StorageError) -> Skipped {
    failure::warn(&format!("{error}; left out"));
    Skipped::new(&error.path, &error.reason())
}

/// A list that cannot be used; its error begins with its name.
fn unusable(path: &Path, error: &InputError) -> Skipped {
    failure::warn(&format!("{error}; left out"));
    let (name, text) = (path.display().to_string(), error.to_string());
    let reason = text.strip_prefix(&name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&text);
    Skipped::new(path, reason)
}
