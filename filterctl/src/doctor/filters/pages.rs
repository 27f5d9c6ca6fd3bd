//! Every page of a filter is read, and its checksum and content are verified. A damaged page blocks the
//! password changes that look it up, or is skipped for them; a page that was not built from a list rejects
//! arbitrary passwords.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};

use crate::{
    breaches::expected::mismatch,
    doctor::{Subject, remedy},
    filter_file::inspect::Inspection,
    report::counted,
};

const CHECK: &str = "pages";

/// Reads a filter to its end.
pub(super) fn examine(subject: &Subject, file: &Path) -> Option<Finding> {
    let path = file.display();
    let fix = || remedy::of_filter(&subject.conf_root, file);
    let inspection = match Inspection::of(file) {
        Ok(inspection) => inspection,
        Err(failure) => return Some(Finding::wrong(&failure, CHECK, failure.to_string())),
    };
    // A header that cannot be used is the error of opening the filter, and is reported there.
    let header = inspection.header.as_ref().filter(|_| inspection.format_error.is_none())?;
    let (all, damaged) = (inspection.pages.read, inspection.pages.damaged);
    let foreign =
        inspection.faults.first().map(ToString::to_string).or_else(|| mismatch(&subject.root, file, header));
    if let Some(fault) = foreign {
        let message = format!("{path}: {fault}; its checksums match, so it was written like this");
        return Some(Finding::wrong(keys::FILTER_IMPLAUSIBLE, CHECK, message).fix(fix()));
    }
    if damaged == 0 {
        return Some(Finding::fine(CHECK, format!("{path}: {} read, all intact", counted(all, "page"))));
    }
    let first = inspection.problems().into_iter().next().unwrap_or_default();
    let message = format!(
        "{path}: {damaged} of {} damaged, first {first}; passwords that are looked up there are refused, \
         or not checked with on_error = \"allow\"",
        counted(all, "page")
    );
    Some(Finding::wrong(keys::FILTER_DAMAGED, CHECK, message).fix(fix()))
}
