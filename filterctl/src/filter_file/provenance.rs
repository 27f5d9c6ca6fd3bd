//! The provenance of a filter, in the file `NAME.sources` beside it: the command that built it, and its
//! lists.
//!
//! It is written before the filter, with marks of the earlier filter and of the new one: the record applies
//! to the one that an interruption leaves in place. A filter without a record, or one that `filterctl
//! install` installed, was built elsewhere, and `filterctl update` replaces it only with `--force`.

use std::path::{Path, PathBuf};

use nearmiss_cli::paths;
use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading, counters::identity_of_parts},
    format::Header,
    page::Page,
    storage::{Access, Replacement, StorageError, read_trusted, with_ending},
};
use serde::{Deserialize, Serialize};

use crate::report::SCHEMA;

/// The most bytes of the record.
const MAX_RECORD_BYTES: usize = 1 << 20;

/// The most names of lists that are kept.
const MAX_NAMES: usize = 200;

/// The command that keeps the system's filter up to date.
pub(crate) const UPDATE: &str = "filterctl update";

/// The content of the file beside the filter.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Provenance {
    schema: u32,
    /// The command and version that built it.
    pub(crate) built_by: String,
    /// The file that it was copied from, if it was built elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) installed_from: Option<String>,
    /// Of settings, names and contents of the lists.
    fingerprint: String,
    /// Of the filter that was built from them.
    filter: String,
    /// Marks of that filter and of the one it replaced.
    #[serde(default)]
    marks: Vec<String>,
    /// The names of the lists.
    #[serde(default)]
    pub(crate) lists: Vec<String>,
}

/// A filter that is written, by its parts.
pub(crate) type FilterParts<'a> = (&'a Header, &'a [Page]);

impl Provenance {
    /// The record beside the filter `output`; none if there is no readable one.
    pub(crate) fn beside(output: &Path) -> Option<Provenance> {
        Provenance::read(output).ok().flatten()
    }

    /// The record beside the filter `output`; none if there is none, or one that says nothing.
    ///
    /// # Errors
    /// [`StorageError`]: it cannot be read, or is not trusted, so that what it says is not known.
    pub(crate) fn read(output: &Path) -> Result<Option<Provenance>, StorageError> {
        let bytes = match read_trusted(&paths::absolute(&path_for(output)), MAX_RECORD_BYTES) {
            Err(error) if error.is_missing() => return Ok(None),
            bytes => bytes?,
        };
        let record = serde_json::from_slice::<Provenance>(&bytes).ok();
        Ok(record.filter(|record| record.schema == SCHEMA))
    }

    /// The record beside the filter, if it belongs to the filter with this header.
    pub(crate) fn of(output: &Path, header: &Header) -> Option<Provenance> {
        Provenance::beside(output).filter(|record| record.is_of(output, header))
    }

    /// The record of a filter that `command` built.
    pub(crate) fn new(command: &str, (header, pages): FilterParts<'_>, mut lists: Vec<String>) -> Provenance {
        lists.truncate(MAX_NAMES);
        Provenance {
            schema: SCHEMA,
            built_by: format!("{command} {}", env!("CARGO_PKG_VERSION")),
            installed_from: None,
            fingerprint: String::new(),
            filter: name_of(identity_of_parts(header, pages)),
            marks: vec![mark(header)],
            lists,
        }
    }

    /// The same, with the fingerprint of the sources and the filter that it replaces.
    pub(crate) fn with(mut self, fingerprint: String, replaced: Option<&Header>) -> Provenance {
        self.marks.extend(replaced.map(mark));
        Provenance { fingerprint, ..self }
    }

    /// The record of the same filter at another path.
    pub(crate) fn installed(record: Option<Provenance>, source: &Path, header: &Header) -> Provenance {
        let unknown = Provenance {
            schema: SCHEMA,
            built_by: "an unknown command".to_owned(),
            installed_from: None,
            fingerprint: String::new(),
            filter: String::new(),
            marks: Vec::new(),
            lists: Vec::new(),
        };
        Provenance {
            installed_from: Some(source.display().to_string()),
            marks: vec![mark(header)],
            ..record.unwrap_or(unknown)
        }
    }

    /// Writes the record that is to be beside the filter; its file is in place once it is committed.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(crate) fn begin(&self, output: &Path) -> Result<Replacement, StorageError> {
        // Strings and numbers can always be written as JSON.
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        let mut file = Replacement::create(&path_for(output), Access::Private)?;
        file.write(&bytes)?;
        Ok(file)
    }

    /// True if the filter is intact and was built from the sources with this fingerprint.
    pub(crate) fn is_current(&self, output: &Path, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint && identity(output) == Some(self.filter.clone())
    }

    /// True if `filterctl update` built the filter with this header at this path.
    pub(crate) fn is_updated(&self, output: &Path, header: &Header) -> bool {
        self.built_by.starts_with(UPDATE) && self.installed_from.is_none() && self.is_of(output, header)
    }

    /// True when it is the record of a filter with this header, built from a list of this name.
    pub(crate) fn names_list(&self, header: &Header, name: &str) -> bool {
        self.marks.contains(&mark(header)) && self.lists.iter().any(|list| list == name)
    }

    /// True for the record of the filter with this header at this path.
    pub(crate) fn is_of(&self, output: &Path, header: &Header) -> bool {
        self.marks.contains(&mark(header)) || identity(output) == Some(self.filter.clone())
    }

    /// The command that built the filter and its lists, in words.
    pub(crate) fn words(&self) -> String {
        let from = self.installed_from.as_ref().map(|file| format!(", installed from {file}"));
        let lists = crate::report::counted(self.lists.len() as u64, "list");
        let lists = if self.lists.is_empty() { String::new() } else { format!(" from {lists}") };
        format!("{}{lists}{}", self.built_by, from.unwrap_or_default())
    }
}

/// The path of a filter's provenance.
pub(crate) fn path_for(output: &Path) -> PathBuf {
    with_ending(output, ".sources")
}

/// The path at which `filterctl install` keeps the earlier filter.
pub(crate) fn previous(target: &Path) -> PathBuf {
    with_ending(target, ".previous")
}

fn identity(output: &Path) -> Option<String> {
    let filter = DictionaryFilter::open(&paths::absolute(output), Loading::Mapped).ok()?;
    let pages = filter.copied_pages().ok()?;
    Some(name_of(identity_of_parts(filter.header(), &pages)))
}

/// Key, date and size of a filter: later damage of pages does not change them, added words do.
fn mark(header: &Header) -> String {
    format!("{:08x} {} {}", header.key.fingerprint(), header.created, header.words)
}

fn name_of(identity: u64) -> String {
    format!("{identity:016x}")
}
