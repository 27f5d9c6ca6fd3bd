//! The report of a run: as text, as JSON, and in the file next to the filter that metrics and doctor read.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use nearmiss_cli::report::{Report, SCHEMA, counted};
use nearmiss_filters::storage::{Access, Replacement, with_ending};
use serde::Serialize;

pub(crate) use nearmiss_cli::report::{START, number};

use crate::failure::printable;

/// The result of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Done {
    /// The filter.
    pub(crate) file: PathBuf,
    /// `built` or `refreshed`.
    pub(crate) state: &'static str,
    /// All ranges.
    pub(crate) ranges: u64,
    /// Requests to the server.
    pub(crate) asked: u64,
    /// Responses that a range is unchanged.
    pub(crate) unchanged: u64,
    /// Responses with a range.
    pub(crate) fetched: u64,
    /// Bytes of these responses.
    pub(crate) bytes: u64,
    /// Groups of ranges that an interrupted run had written.
    pub(crate) groups_resumed: u64,
    /// Groups that were copied from the earlier filter.
    pub(crate) groups_copied: u64,
    /// All groups.
    pub(crate) groups: u64,
    /// Digests in the filter.
    pub(crate) entries: u64,
    /// Bytes of the filter.
    pub(crate) file_bytes: u64,
    /// The rate that the filter keeps.
    pub(crate) false_rejection: f64,
    /// The duration.
    pub(crate) seconds: f64,
}

impl Report for Done {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let file = printable(&self.file.display().to_string());
        let (entries, filter) = (counted(self.entries, "digest"), size(self.file_bytes as f64));
        writeln!(out, "{file}: {}, {entries}, {filter}", self.state)?;
        writeln!(
            out,
            "ranges: {} fetched ({}), {} unchanged, in {:.0} s",
            number(self.fetched),
            size(self.bytes as f64),
            number(self.unchanged),
            self.seconds
        )
    }
}

/// The file next to a filter with the result of its last run.
#[derive(Serialize)]
struct RunReport<'r> {
    schema: u32,
    /// Seconds since 1970.
    ended: u64,
    /// `done` or `failed`.
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(flatten)]
    done: Option<&'r Done>,
}

/// The file of the result of the last run with this output.
pub(crate) fn path(output: &Path) -> PathBuf {
    with_ending(output, ".run")
}

/// Writes the result of a run next to the filter. A failure to write it is ignored, since the run has
/// reported its result.
pub(crate) fn keep(output: &Path, ended: u64, result: Result<&Done, &str>) {
    let last = RunReport {
        schema: SCHEMA,
        ended,
        result: if result.is_ok() { "done" } else { "failed" },
        reason: result.err(),
        done: result.ok(),
    };
    let file = Replacement::create(&path(output), Access::Private);
    if let (Ok(mut text), Ok(mut file)) = (serde_json::to_vec(&last), file) {
        text.push(b'\n');
        let _ = file.write(&text).and_then(|()| file.commit());
    }
}

/// A number of bytes in a unit for people.
pub(crate) fn size(bytes: f64) -> String {
    let (unit, name) = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
        .into_iter()
        .find(|(unit, _)| bytes >= *unit)
        .unwrap_or((1.0, "bytes"));
    let number = bytes / unit;
    if unit > 1.0 && number < 10.0 { format!("{number:.1} {name}") } else { format!("{number:.0} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_digits_or_three() {
        let sizes = [0.0, 999.0, 1000.0, 94_321.0, 5.4e9, 2e12];
        assert_eq!(sizes.map(size), ["0 bytes", "999 bytes", "1.0 kB", "94 kB", "5.4 GB", "2000 GB"]);
    }
}
