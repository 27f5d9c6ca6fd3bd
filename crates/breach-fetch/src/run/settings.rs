//! The settings of a run, and its resources.

use std::{path::PathBuf, sync::Arc};

use nearmiss_filters::{format::StatedRate, hash::Key};
use tokio::runtime::Runtime;

use crate::{
    client::{Client, ClientSettings, Refused},
    failure::Failure,
    keys,
    range::RangeForm,
};

/// The settings of a run.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The filter.
    pub(crate) output: PathBuf,
    /// The server and its ranges.
    pub(crate) client: ClientSettings,
    /// Certificates that are trusted in addition to the system's.
    pub(crate) roots: Option<PathBuf>,
    /// The rate to keep.
    pub(crate) stated: StatedRate,
    /// The hash key; a random one if there is none.
    pub(crate) key: Option<Key>,
    /// Accepts a corpus that shrank.
    pub(crate) accept_smaller: bool,
    /// Shows no progress.
    pub(crate) is_quiet: bool,
}

/// A run.
pub(super) struct Run<'s> {
    pub(super) settings: &'s Settings,
    pub(super) client: Arc<Client>,
    pub(super) runtime: Runtime,
}

impl Run<'_> {
    /// The form of the server's ranges.
    pub(super) fn form(&self) -> RangeForm {
        self.settings.client.form
    }

    /// The message for a range that cannot be fetched.
    pub(super) fn refused(&self, refused: &Refused, missing: u64) -> Failure {
        let total = self.form().ranges();
        Failure::plain(
            keys::FETCH_INCOMPLETE,
            format!(
                "cannot fetch from {}: {refused}; {missing} of {total} ranges are missing, and the filter is \
                 unchanged; run it again to resume",
                self.settings.client.base.as_str()
            ),
        )
    }
}
