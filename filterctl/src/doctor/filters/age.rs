//! The age of a filter, and the command that built it.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use nearmiss_filters::config::is_packaged;

use crate::{
    doctor::remedy,
    filter::provenance::{self, Provenance},
    finding::Finding,
    report::counted,
};

const CHECK: &str = "age";

/// A filter that was built longer ago than this.
const OLD: Duration = Duration::from_secs(400 * 86_400);

/// Looks at the date of a filter that is there.
pub(super) fn examine(file: &Path) -> Finding {
    let path = file.display();
    let modified =
        fs::metadata(file).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let age = SystemTime::now().duration_since(modified).unwrap_or_default();
    let recorded = provenance::header_at(file).and_then(|header| Provenance::of(file, &header));
    let is_packaged = is_packaged(file);
    let is_updated = recorded.as_ref().is_some_and(|own| own.words().starts_with(provenance::UPDATE));
    let by = recorded.map_or_else(|| "by hand or elsewhere".to_owned(), |own| format!("by {}", own.words()));
    let left = if is_packaged && !is_updated { ": filterctl update leaves it as it is" } else { "" };
    let message = format!("{path} was written {} ago, {by}{left}", counted(age.as_secs() / 86_400, "day"));
    if age <= OLD {
        return Finding::fine(CHECK, message);
    }
    let fix = if is_packaged { "filterctl update --force".to_owned() } else { remedy::of_filter(file) };
    Finding::warning(CHECK, message).fix(fix)
}
