//! The settings of a run, and its resources.

use std::{path::PathBuf, sync::Arc};

use nearmiss_filters::{format::StatedRate, hash::Key};
use tokio::runtime::Runtime;

use crate::{
    client::{Client, ClientSettings, Fault, Refused},
    failure::Failure,
    keys,
    range::RangeForm,
};

/// The number of further ranges that a message names.
const NAMED: usize = 4;

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

    /// The message for ranges that cannot be fetched; the others are kept.
    pub(super) fn refused(&self, refused: &[Refused], missing: u64) -> Failure {
        let total = self.form().ranges();
        let asked: Vec<&Refused> =
            refused.iter().filter(|range| !matches!(range.fault, Fault::GivenUp)).collect();
        let first = asked.first().map_or_else(|| "no range was requested".to_owned(), ToString::to_string);
        let others: Vec<&str> = asked.iter().skip(1).map(|range| range.range.as_str()).take(NAMED).collect();
        let more = if asked.len() > NAMED + 1 { ", ..." } else { "" };
        let others =
            if others.is_empty() { String::new() } else { format!("; also {}{more}", others.join(", ")) };
        let all =
            if self.client.has_given_up() { "; too many failed, the rest was not requested" } else { "" };
        Failure::plain(
            keys::FETCH_INCOMPLETE,
            format!(
                "cannot fetch from {}: {first}{others}{all}; {missing} of {total} ranges are missing, and \
                 the filter is unchanged; run it again to resume",
                self.settings.client.base.as_str()
            ),
        )
    }
}
