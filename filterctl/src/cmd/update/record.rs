//! What the system's filter was built from, in the file `NAME.sources` beside it.
//!
//! It is written before the filter, with marks of the earlier filter and the new one: whichever of them an
//! interruption leaves in place is known as built here. One that nobody recorded was distributed, or built by
//! hand, and is not replaced unasked.

use std::path::{Path, PathBuf};

use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading, counters::identity_of_parts},
    format::Header,
    page::Page,
    storage::{Access, Replacement, StorageError, read_trusted},
};
use serde::{Deserialize, Serialize};

use crate::{inspect::Inspection, paths, report::SCHEMA};

/// The most bytes of the record.
const MAX_RECORD_BYTES: usize = 64 << 10;

/// The most names of lists that are kept.
const MAX_NAMES: usize = 200;

/// What is in the file beside the filter.
#[derive(Serialize, Deserialize)]
pub(crate) struct Record {
    schema: u32,
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

impl Record {
    /// The record beside the filter `output`; none where there is none that can be read.
    pub(crate) fn beside(output: &Path) -> Option<Record> {
        let bytes = read_trusted(&paths::real(&path_for(output)), MAX_RECORD_BYTES).ok()?;
        let record = serde_json::from_slice::<Record>(&bytes).ok()?;
        (record.schema == SCHEMA).then_some(record)
    }

    /// The record of a filter that replaces the one that is there.
    pub(super) fn new(
        fingerprint: String,
        (header, pages): (&Header, &[Page]),
        replaced: Option<&Header>,
        mut lists: Vec<String>,
    ) -> Record {
        let marks = [Some(header), replaced].into_iter().flatten().map(mark).collect();
        lists.truncate(MAX_NAMES);
        let filter = name_of(identity_of_parts(header, pages));
        Record { schema: SCHEMA, fingerprint, filter, marks, lists }
    }

    /// Writes the record beside the filter.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(super) fn write(&self, output: &Path) -> Result<(), StorageError> {
        // Strings and numbers can always be written as JSON.
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        let mut file = Replacement::create(&path_for(output), Access::Private)?;
        file.write(&bytes).and_then(|()| file.commit())
    }

    /// True when the filter is whole and was built from what `fingerprint` stands for.
    pub(super) fn is_current(&self, output: &Path, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint && identity(output) == Some(self.filter.clone())
    }

    /// True when the filter with this header was built by `filterctl update`.
    pub(crate) fn knows(&self, output: &Path, header: &Header) -> bool {
        self.marks.contains(&mark(header)) || identity(output) == Some(self.filter.clone())
    }
}

/// The header of the filter that is there, damaged or not; none where there is none.
pub(super) fn header_at(output: &Path) -> Option<Header> {
    Inspection::of(output).ok().and_then(|inspection| inspection.header)
}

/// Where the record of a filter is.
pub(super) fn path_for(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".sources");
    PathBuf::from(name)
}

fn identity(output: &Path) -> Option<String> {
    let filter = DictionaryFilter::open(&paths::real(output), Loading::Mapped).ok()?;
    let pages = filter.copied_pages().ok()?;
    Some(name_of(identity_of_parts(filter.header(), &pages)))
}

/// Key, date and size of a filter: pages may be damaged since, but words that are added change the rest.
fn mark(header: &Header) -> String {
    format!("{:08x} {} {}", header.key.fingerprint(), header.created, header.words)
}

fn name_of(identity: u64) -> String {
    format!("{identity:016x}")
}
