//! A filter without words rejects nothing, and looks like one that works.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};

use crate::{doctor::remedy, filter_file::header::header_at, host::shell::in_root};

const CHECK: &str = "filter";

/// A warning for a filter that has no words.
pub(super) fn examine(root: &Path, file: &Path) -> Option<Finding> {
    header_at(file).filter(|header| header.words == 0)?;
    let message = format!("{}: contains no words, and rejects nothing", file.display());
    let fix = if remedy::is_packaged(root, file) {
        in_root(root, "filterctl update --force")
    } else {
        remedy::on_files("filterctl add", [file, Path::new("LIST")])
    };
    Some(Finding::warning(keys::FILTER_EMPTY, CHECK, message).fix(fix))
}
