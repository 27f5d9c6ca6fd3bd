//! Lists that cannot be used.

use std::path::Path;

use nearmiss_cli::{failure, keys};
use nearmiss_filters::storage::StorageError;

use super::sources::Skipped;

/// A list, or a folder of lists, that cannot be used, and why.
pub(super) struct RejectedList {
    /// Its path.
    pub(super) file: String,
    /// The reason, in plain words.
    pub(super) reason: String,
    /// It is named in the configuration or on the command line.
    pub(super) is_named: bool,
}

impl RejectedList {
    /// This error keeps a list or a folder from being used. The error may be that of a folder or a link on
    /// the path; a refused list keeps its own path, by which an earlier update recorded it.
    pub(super) fn new(path: &Path, error: &StorageError, is_named: bool) -> RejectedList {
        let reason = if error.path == path { error.reason() } else { error.to_string() };
        RejectedList { file: path.display().to_string(), reason, is_named }
    }

    /// It is also reported on standard error, since the caller may print nothing else.
    pub(super) fn left_out(self) -> Skipped {
        failure::warn(keys::LIST_LOST, &format!("{}: {}; skipped", self.file, self.reason));
        Skipped { file: self.file, reason: self.reason }
    }
}
