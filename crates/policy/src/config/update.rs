//! `[update]`: the filter that `filterctl update` builds.
//!
//! The module ignores the section: an error in build settings must not prevent users from changing a
//! password.

use std::path::{Path, PathBuf};

use nearmiss_filters::{
    dictionary::{Spec, sizing::VARIANT_LOOKUPS},
    format::{Kind, Match},
};
use toml::Spanned;
use toml::de::DeValue;

use super::{
    ConfigError,
    apply::parsed,
    document::{self, Mistake, Table, Words},
    keys,
    load::files_below,
};

/// The folders of word lists of packages and administrators.
pub const LIST_FOLDERS: [&str; 2] = ["/usr/share/dict", "/usr/local/share/dict"];

/// The most lists, and the most folders, of a configuration.
const MAX_NAMES: usize = 1000;

/// The group of the packages: its members may read the packaged filter.
pub const FILTER_GROUP: &str = "nearmiss";

const COLUMNS: Words<ListColumns> =
    ("word count,word user,word", &[ListColumns::Word, ListColumns::CountWord, ListColumns::UserWord]);
const KINDS: Words<Kind> = ("words sha1 ntlm", &[Kind::Words, Kind::Sha1, Kind::Ntlm]);
const UPDATE_MATCHING: Words<Matching> =
    ("auto near exact", &[Matching::Auto, Matching::Only(Match::Near), Matching::Only(Match::Exact)]);

/// The matching that the lists are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matching {
    /// A choice by their size.
    Auto,
    /// This one, for any size.
    Only(Match),
}

/// The columns of named lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListColumns {
    /// A word.
    #[default]
    Word,
    /// A count and a word, as `uniq -c` writes.
    CountWord,
    /// A user and a word, with a colon between.
    UserWord,
}

/// What `filterctl update` builds the system's filter from, and as what.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateRules {
    /// True if the built-in list of `filterctl` comes first.
    pub common: bool,
    /// Named lists.
    pub lists: Vec<PathBuf>,
    /// Their columns; lists in folders contain words only.
    pub columns: ListColumns,
    /// Folders of which every list is used.
    pub folders: Vec<PathBuf>,
    /// The group whose members may read the packaged filter; none if it is empty.
    pub group: String,
    /// The specification of the filter.
    pub spec: Spec,
    /// True if lists that are too large for near matches are built for exact matches: `match = "auto"`.
    pub is_auto: bool,
}

impl Default for UpdateRules {
    fn default() -> UpdateRules {
        let folders = LIST_FOLDERS.map(PathBuf::from).into();
        UpdateRules {
            common: true,
            lists: Vec::new(),
            columns: ListColumns::default(),
            folders,
            group: FILTER_GROUP.to_owned(),
            spec: Spec::default(),
            is_auto: true,
        }
    }
}

impl UpdateRules {
    /// The section of `path` and its drop-ins; see [`Config::load`](super::Config::load) for which files must
    /// exist. A filter of digests is exact, and built from named lists only: the built-in list and the
    /// default folders contain words.
    ///
    /// # Errors
    /// [`ConfigError`]: a file cannot be read, is not TOML, or has an unknown key, a wrong type or an invalid
    /// value in this section.
    pub fn load(path: &Path) -> Result<UpdateRules, ConfigError> {
        UpdateRules::load_below(Path::new("/"), path)
    }

    /// The same of the system below `root`; the lists and folders are as that system has them.
    ///
    /// # Errors
    /// As [`UpdateRules::load`].
    pub fn load_below(root: &Path, path: &Path) -> Result<UpdateRules, ConfigError> {
        let mut given = GivenUpdate::default();
        for (file, bytes) in files_below(root, path)? {
            given.apply(&file, &bytes)?;
        }
        Ok(given.rules())
    }

    /// The section in this text alone; `path` only names it in errors.
    ///
    /// # Errors
    /// [`ConfigError`], except the errors of reading files.
    pub fn parse(path: &Path, text: &[u8]) -> Result<UpdateRules, ConfigError> {
        let mut given = GivenUpdate::default();
        given.apply(path, text)?;
        Ok(given.rules())
    }
}

/// The values in the files; the defaults of other values depend on the kind.
#[derive(Default)]
struct GivenUpdate {
    common: Option<bool>,
    lists: Vec<PathBuf>,
    columns: ListColumns,
    group: Option<String>,
    folders: Option<Vec<PathBuf>>,
    matching: Option<Matching>,
    spec: Spec,
}

impl GivenUpdate {
    fn apply(&mut self, path: &Path, bytes: &[u8]) -> Result<(), ConfigError> {
        let (text, document) = parsed(path, bytes)?;
        let Some(section) = document.get_ref().get("update") else { return Ok(()) };
        self.apply_section(section).map_err(|mistake| ConfigError::value(path, text, mistake))
    }

    fn apply_section(&mut self, section: &Spanned<DeValue<'_>>) -> Result<(), Mistake> {
        let table = document::table(section, keys::UPDATE)?;
        table.set("common", &mut self.common, |value| document::boolean(value).map(Some))?;
        table.set("lists", &mut self.lists, paths)?;
        table.set("columns", &mut self.columns, |value| document::word(value, COLUMNS))?;
        table.set("group", &mut self.group, |value| group(value).map(Some))?;
        table.set("folders", &mut self.folders, |value| paths(value).map(Some))?;
        table.set("kind", &mut self.spec.kind, |value| document::word(value, KINDS))?;
        table.set("match", &mut self.matching, |value| document::word(value, UPDATE_MATCHING).map(Some))?;
        table.set("false_rejection", &mut self.spec.stated.false_rejection, rate)?;
        self.check_kind(&table)
    }

    /// Digests have no neighbours, and cannot share a filter with words.
    fn check_kind(&self, table: &Table<'_>) -> Result<(), Mistake> {
        if self.spec.kind == Kind::Words {
            return Ok(());
        }
        let conflicts = [
            (
                "match",
                self.matching == Some(Matching::Only(Match::Near)),
                "digests have no near matches: write match = \"exact\", or leave the default",
            ),
            (
                "columns",
                self.columns != ListColumns::Word,
                "digests have no columns: columns must be \"word\"",
            ),
            ("common", self.common == Some(true), "the built-in list contains words, but kind says digests"),
        ];
        let found = conflicts.into_iter().find(|(_, is_so, _)| *is_so);
        found.map_or(Ok(()), |(key, _, words)| Err(table.mistake(key, words)))
    }

    fn rules(self) -> UpdateRules {
        let (mut spec, default) = (self.spec, UpdateRules::default());
        let is_words = spec.kind == Kind::Words;
        let is_auto = is_words && matches!(self.matching, None | Some(Matching::Auto));
        spec.matching = match self.matching {
            Some(Matching::Only(matching)) => matching,
            _ if is_words => Match::Near,
            _ => Match::Exact,
        };
        if !is_words {
            spec.stated.lookups = spec.stated.lookups.min(VARIANT_LOOKUPS);
        }
        let folders = if is_words { default.folders } else { Vec::new() };
        UpdateRules {
            common: self.common.unwrap_or(is_words),
            lists: self.lists,
            columns: self.columns,
            group: self.group.unwrap_or(default.group),
            folders: self.folders.unwrap_or(folders),
            spec,
            is_auto,
        }
    }
}

fn paths(value: &Spanned<DeValue<'_>>) -> Result<Vec<PathBuf>, Mistake> {
    let paths = document::list(value, document::absolute_path)?;
    if paths.len() > MAX_NAMES {
        return Err(Mistake::new(
            value,
            format!("more than {MAX_NAMES} lists are named; put them into a folder"),
        ));
    }
    Ok(paths)
}

/// A valid name of a group, or an empty string.
fn group(value: &Spanned<DeValue<'_>>) -> Result<String, Mistake> {
    document::string(value, |name| {
        let is_name = name.len() <= 32 && !name.contains(|c: char| c.is_control() || c == ':');
        is_name.then(|| name.to_owned()).ok_or("group must be the name of a group".into())
    })
}

/// A probability; whole numbers are refused.
fn rate(value: &Spanned<DeValue<'_>>) -> Result<f64, Mistake> {
    let number = value.get_ref().as_float().and_then(|digits| digits.as_str().parse::<f64>().ok());
    let rate = number.filter(|rate| *rate > 0.0 && *rate < 1.0);
    rate.ok_or_else(|| Mistake::new(value, "false_rejection must be a probability such as 0.001"))
}

#[cfg(test)]
mod tests;
