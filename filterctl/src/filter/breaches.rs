//! Leaked passwords that nearmiss-fetch keeps up to date: where its files are, and how its last run ended.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use nearmiss_filters::storage::{Folder, StorageError};
use serde::{Deserialize, Serialize};

use crate::{
    failure::printable,
    report::SCHEMA,
    system::state_file::{self, StateError},
};

/// A corpus of this age is no longer fresh, in days.
pub(crate) const MAX_AGE_DAYS: u64 = 45;

/// The most bytes of what the program says of its last run.
const MAX_RUN_BYTES: u64 = 64 << 10;

/// The most characters of a reason that are kept.
const MAX_REASON: usize = 500;

/// The files of leaked passwords.
pub(crate) struct Places {
    /// The options of the service: there while leaked passwords are switched on.
    pub(crate) options: PathBuf,
    /// The folder of the user that fetches.
    pub(crate) fetched: PathBuf,
    /// The filter that passwords are checked against.
    pub(crate) filter: PathBuf,
    /// How the last run ended, as root's step saw it.
    pub(crate) state: PathBuf,
    /// The drop-in that names the filter.
    pub(crate) drop_in: PathBuf,
    /// The timer that comes with the package.
    pub(crate) timer: PathBuf,
}

/// The name of the filter in the folder of the user that fetches.
pub(crate) const FETCHED: &str = "leaked.filter";

impl Places {
    /// The files below a folder that holds a system.
    pub(crate) fn below(root: &Path) -> Places {
        Places {
            options: root.join("etc/nearmiss/fetch.env"),
            fetched: root.join("var/lib/private/nearmiss-fetch"),
            filter: root.join("var/cache/nearmiss/leaked.filter"),
            state: root.join("var/cache/nearmiss/leaked.state"),
            drop_in: root.join("etc/security/nearmiss.conf.d/60-breaches.conf"),
            timer: root.join("usr/lib/systemd/system/nearmiss-fetch.timer"),
        }
    }

    /// True while leaked passwords are switched on.
    pub(crate) fn is_on(&self) -> bool {
        self.options.exists()
    }
}

/// How the last run ended, and the filter that is in place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BreachState {
    /// The version of the file.
    pub(crate) schema: u32,
    /// When the last run ended, in seconds since 1970.
    pub(crate) ended: u64,
    /// Why it failed; nothing if it did not.
    #[serde(default)]
    pub(crate) failed: Option<String>,
    /// When a run last ended well: the corpus is as it was then.
    #[serde(default)]
    pub(crate) fresh: Option<u64>,
    /// The options that the filter in place was fetched with.
    #[serde(default)]
    pub(crate) options: String,
}

/// What the program itself says of its last run.
#[derive(Deserialize)]
struct LastRun {
    schema: u32,
    ended: u64,
    result: String,
    #[serde(default)]
    reason: String,
}

impl BreachState {
    /// The state; none if there is none.
    ///
    /// # Errors
    /// [`StateError`].
    pub(crate) fn read(places: &Places) -> Result<Option<BreachState>, StateError> {
        state_file::read(&places.state)
    }

    /// Writes the state.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(crate) fn write(&self, places: &Places) -> Result<(), StorageError> {
        let state = BreachState { schema: SCHEMA, ..self.clone() };
        // Strings and numbers can always be written as JSON.
        let mut bytes = serde_json::to_vec(&state).unwrap_or_default();
        bytes.push(b'\n');
        state_file::replace(&places.state, &bytes)
    }

    /// The state after the run that the program speaks of, in a file that belongs to it: no more is believed
    /// of it than a time and a sentence. None if it does not speak.
    pub(crate) fn after_run(self, folder: &Folder, now: u64) -> Option<BreachState> {
        let mut text = Vec::new();
        let file = folder.open_regular(format!("{FETCHED}.run").as_ref()).ok()?;
        file.take(MAX_RUN_BYTES).read_to_end(&mut text).ok()?;
        let run: LastRun = serde_json::from_slice(&text).ok().filter(|run: &LastRun| run.schema == SCHEMA)?;
        let ended = run.ended.min(now);
        let reason: String = printable(&run.reason).chars().take(MAX_REASON).collect();
        let is_done = run.result == "done";
        Some(BreachState {
            schema: SCHEMA,
            ended,
            failed: (!is_done).then_some(reason),
            fresh: if is_done { Some(ended) } else { self.fresh },
            options: self.options,
        })
    }

    /// Days since the corpus was fresh.
    pub(crate) fn age_days(&self, now: u64) -> Option<u64> {
        self.fresh.map(|fresh| now.saturating_sub(fresh) / 86_400)
    }
}

/// The options that the service is started with.
pub(crate) fn options_in(places: &Places) -> String {
    fs::read_to_string(&places.options).unwrap_or_default()
}

/// The words of the options. An administrator may write the file as well: the last value counts, quoted or
/// not.
pub(crate) fn words_of(options: &str) -> Vec<&str> {
    let value = options.lines().filter_map(|line| line.trim().strip_prefix("OPTIONS=")).next_back();
    let words = value.unwrap_or_default().split(|c: char| c.is_whitespace() || "\"'".contains(c));
    words.filter(|word| !word.is_empty()).collect()
}

/// True for options of a filter that is asked at logins.
pub(crate) fn are_for_logins(options: &str) -> bool {
    words_of(options).contains(&"--logins")
}
