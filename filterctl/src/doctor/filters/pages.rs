//! Every page of a filter is read, and its checksum computed: a damaged page refuses the users whose
//! passwords are looked for in it, or is passed over for them.

use std::path::Path;

use crate::{doctor::remedy, filter::inspect::Inspection, finding::Finding, report::counted};

const CHECK: &str = "pages";

/// Reads a filter to its end.
pub(super) fn examine(file: &Path) -> Option<Finding> {
    let path = file.display();
    let inspection = match Inspection::of(file) {
        Ok(inspection) => inspection,
        Err(failure) => return Some(Finding::wrong(CHECK, failure.to_string())),
    };
    // A header that cannot be used is what opening the filter fails with, and told there.
    inspection.header.as_ref().filter(|_| inspection.format_error.is_none())?;
    let (all, damaged) = (inspection.pages.read, inspection.pages.damaged);
    if damaged == 0 {
        return Some(Finding::fine(CHECK, format!("{path}: {} read, all intact", counted(all, "page"))));
    }
    let first = inspection.problems().into_iter().next().unwrap_or_default();
    let message = format!(
        "{path}: {damaged} of {} damaged, first {first}; whoever chooses a password that is looked for \
         there is refused, or not checked where on_error = \"allow\"",
        counted(all, "page")
    );
    Some(Finding::wrong(CHECK, message).fix(remedy::of_filter(file)))
}
