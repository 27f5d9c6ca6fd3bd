//! The lists that `filterctl update` builds from, and the ones that it skips.

use std::path::Path;

use nearmiss_cli::{
    input::{self, Columns, Expected, InputError, ListName, MaxText, Wanted, WordList},
    progress::Progress,
};
use nearmiss_filters::{
    format::Kind,
    list::{Entry, LineFormat},
};
use nearmiss_lists::Role;
use nearmiss_policy::config::{LIST_FOLDERS, ListColumns, UpdateRules};

use super::{
    refused::RejectedList,
    sources::{self, OpenList, Skipped},
};
use crate::{filter_file::change::read_all, flags::input::Input};

/// The content of the folders of lists.
#[derive(Default)]
pub(super) struct Gathered {
    /// The lists, open for reading.
    pub(super) sources: Vec<OpenList>,
    /// Files that are no lists by name or type.
    pub(super) skipped: Vec<Skipped>,
    /// The lists and folders that cannot be used.
    pub(super) refused: Vec<RejectedList>,
}

/// The named lists, then the lists of the folders by name, without the files that `is_own` recognizes. The
/// default folders need not exist.
pub(super) fn gather(rules: &UpdateRules, is_own: impl Fn(&Path) -> bool) -> Gathered {
    let mut all = Gathered::default();
    for list in &rules.lists {
        match sources::list_at(list) {
            Ok(source) => all.sources.push(source),
            Err(error) => all.refused.push(RejectedList::new(list, &error, true)),
        }
    }
    let is_default = |folder: &Path| LIST_FOLDERS.iter().any(|name| Path::new(name) == folder);
    for folder in rules.folders.iter().filter(|folder| folder.exists() || !is_default(folder)) {
        match sources::lists_in(folder, &is_own) {
            Ok(found) => {
                all.sources.extend(found.lists);
                all.skipped.extend(found.others);
                let refused = found.refused.iter();
                all.refused.extend(refused.map(|(list, error)| RejectedList::new(list, error, false)));
            }
            Err(error) => all.refused.push(RejectedList::new(folder, &error, !is_default(folder))),
        }
    }
    all
}

impl Gathered {
    /// Keeps these lists only. A list that cannot be used is in neither filter; the filter that is named
    /// reports it.
    pub(super) fn keep(&mut self, is_kept: impl Fn(&OpenList) -> bool) {
        self.sources.retain(is_kept);
    }

    /// The lists that can be read and have words; the others are refused as well. Named lists have the
    /// columns of `rules`, lists of folders have none.
    pub(super) fn usable(
        &mut self,
        rules: &UpdateRules,
        most: MaxText,
        progress: &Progress,
    ) -> Vec<WordList> {
        let mut lists = Vec::new();
        for source in &self.sources {
            let is_named = rules.lists.contains(&source.path);
            let expected = expected(source, rules, rules.spec.kind, most);
            match open(source, &expected, progress) {
                Ok(list) => {
                    Input::warn_of_doubts(&list);
                    lists.extend(list);
                }
                Err(error) => self.refused.push(unusable(&source.path, error, is_named)),
            }
        }
        lists
    }
}

/// The words of a list, 0 of one that cannot be used.
pub(super) fn count(list: &OpenList, rules: &UpdateRules, most: MaxText) -> u64 {
    let expected = expected(list, rules, Kind::Words, most);
    let lists = input::open(&[name_of(list)], &expected, &Progress::new(true));
    lists.map_or(0, |lists| lists.iter().map(words_of).fold(0, u64::saturating_add))
}

/// The words of a list, 0 of one that cannot be read.
pub(super) fn words_of(list: &WordList) -> u64 {
    let (format, mut entry) = (LineFormat { kind: Kind::Words, min_count: 0 }, Entry::default());
    let read = |block: &[u8]| format.read_block(block, &mut entry, |_| {});
    read_all(list, &Progress::new(true), read).map_or(0, |counts| counts.accepted)
}

/// What the configuration says about the lists that it names; the forms of all others are recognised.
fn expected(list: &OpenList, rules: &UpdateRules, kind: Kind, most: MaxText) -> Expected {
    let is_named = rules.lists.contains(&list.path);
    let columns = match rules.columns {
        ListColumns::CountWord if is_named => Some(Columns::All(vec![Role::Count, Role::Word])),
        ListColumns::UserWord if is_named => Some(Columns::All(vec![Role::User, Role::Word])),
        _ => None,
    };
    Expected { wanted: Wanted { form: None, columns }, most, ..Expected::of(kind) }
}

fn name_of(list: &OpenList) -> ListName {
    ListName::Opened { path: list.path.clone(), file: list.file.clone(), affixes: list.affixes.clone() }
}

fn open(source: &OpenList, expected: &Expected, progress: &Progress) -> Result<Vec<WordList>, InputError> {
    let lists = input::open(&[name_of(source)], expected, progress)?;
    let (format, mut entry) = (LineFormat { kind: expected.kind, min_count: 0 }, Entry::default());
    for list in &lists {
        let counts = read_all(list, progress, |block| format.read_block(block, &mut entry, |_| {}))?;
        list.check(&counts)?;
    }
    Ok(lists)
}

/// A list that cannot be used; its error begins with its name.
fn unusable(path: &Path, error: InputError, is_named: bool) -> RejectedList {
    let (file, text) = (path.display().to_string(), error.of_section(is_named).to_string());
    let reason = text.strip_prefix(&file).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&text);
    RejectedList { reason: reason.to_owned(), file, is_named }
}
