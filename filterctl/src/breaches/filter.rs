//! Leaked passwords that nearmiss-fetch keeps up to date: the paths of its files, and the result of its last
//! run.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    clock::{days_since, now},
    failure::printable,
};
use nearmiss_filters::storage::{Folder, Place, StorageError};
use nearmiss_policy::config::{Config, stays_below};
use serde::{Deserialize, Serialize};

use crate::{
    breaches::TIMER_TARGET,
    host::{
        shell::in_root,
        state_file::{self, StateError},
        systemd,
    },
    report::SCHEMA,
};

/// A corpus of this age is no longer fresh, in days.
pub(crate) const MAX_AGE_DAYS: i64 = 45;

/// The maximum size of the program's report on its last run, in bytes.
const MAX_RUN_BYTES: u64 = 64 << 10;

/// The room for a failure in the file of a successful run, in bytes.
const RESERVE_BYTES: usize = 4 * MAX_REASON + 100;

/// The message for a run whose filter is not known to be in place.
const NOT_INSTALLED: &str = "the filter fetched last is not installed: run filterctl breaches install";

/// The most characters of a reason that are kept.
const MAX_REASON: usize = 500;

/// The files of leaked passwords.
pub(crate) struct Places {
    /// The options of the service; the file exists while leaked passwords are switched on, as every user and
    /// systemd may see: it is not in the folder of the keys.
    pub(crate) options: PathBuf,
    /// The folder of the user that fetches.
    pub(crate) fetched: PathBuf,
    /// The filter that passwords are checked against.
    pub(crate) filter: PathBuf,
    /// The result of the last run, as recorded by root's step.
    pub(crate) state: PathBuf,
    /// The drop-in that names the filter.
    pub(crate) drop_in: PathBuf,
    /// The program that comes with the package, by distribution; at most one is there.
    programs: [PathBuf; 2],
    /// The timer that comes with the package.
    pub(crate) timer: PathBuf,
    /// The scripts for cron that come with the package, by distribution; at most one is there.
    scripts: [PathBuf; 2],
    /// The folder that holds the system.
    root: PathBuf,
}

/// The scripts for cron: Debian's and Alpine's.
const SCRIPTS: [&str; 2] = ["etc/cron.weekly/nearmiss-fetch", "etc/periodic/weekly/nearmiss-fetch"];

/// The program that fetches: its place on Debian and others, and on Arch.
const PROGRAMS: [&str; 2] = ["usr/sbin/nearmiss-fetch", "usr/bin/nearmiss-fetch"];

/// The filter that passwords are checked against, as the system itself names it.
pub(super) const FILTER: &str = "/var/cache/nearmiss/leaked.filter";

/// The name of the filter in the folder of the user that fetches.
pub(crate) const FETCHED: &str = "leaked.filter";

/// The ending of the copy that is verified before it replaces the filter.
pub(super) const CANDIDATE: &str = ".candidate";

impl Places {
    /// The files below a folder that holds a system.
    pub(crate) fn below(root: &Path) -> Places {
        Places {
            options: root.join("etc/nearmiss-fetch.env"),
            fetched: root.join("var/lib/private/nearmiss-fetch"),
            filter: root.join(FILTER.trim_start_matches('/')),
            state: root.join("var/cache/nearmiss/leaked.state"),
            drop_in: root.join("etc/security/nearmiss.conf.d/60-breaches.conf"),
            programs: PROGRAMS.map(|program| root.join(program)),
            timer: root.join("usr/lib/systemd/system/nearmiss-fetch.timer"),
            scripts: SCRIPTS.map(|script| root.join(script)),
            root: root.to_owned(),
        }
    }

    /// Requires that no symbolic link of the system leads to files of another one.
    ///
    /// # Errors
    /// `Act::LeadsOut`, naming the first of these files that are elsewhere.
    pub(super) fn see_that_they_stay(&self) -> Result<(), StorageError> {
        let wants = systemd::own_wants(&self.root, TIMER_TARGET);
        let files = [&self.options, &self.fetched, &self.filter, &self.state, &self.drop_in, &self.timer];
        files.into_iter().chain([&wants]).try_for_each(|file| stays_below(&self.root, file))
    }

    /// True if the program that fetches is there. The script for cron is a file of the administrator's, which
    /// stays when the package is removed.
    pub(crate) fn has_program(&self) -> bool {
        self.programs.iter().any(|program| program.exists())
    }

    /// The script that fetches every week where systemd does not run, as the system names it.
    pub(crate) fn script(&self) -> Option<String> {
        let there = self.scripts.iter().zip(SCRIPTS).find(|(path, _)| path.exists());
        there.map(|(_, name)| format!("/{name}"))
    }

    /// The command that fetches now.
    pub(crate) fn fetch(&self) -> String {
        let script = self.script().filter(|_| !systemd::runs(&self.root));
        let start = || "systemctl start nearmiss-fetch.service".to_owned();
        in_root(&self.root, &script.unwrap_or_else(start))
    }

    /// True while leaked passwords are switched on.
    ///
    /// # Errors
    /// This user may not look.
    pub(crate) fn is_on(&self) -> io::Result<bool> {
        self.options.try_exists()
    }

    /// True if a dictionary of this configuration, of the same system, is the filter.
    pub(super) fn are_checked_by(&self, config: &Config) -> bool {
        config.dictionaries.iter().any(|rule| rule.file == self.filter)
    }

    /// True if there is a fetched filter, which root can install.
    pub(super) fn is_fetched(&self) -> bool {
        self.fetched.join(FETCHED).exists()
    }

    /// The command that brings a missing filter back: from the fetched one, if there is one.
    pub(crate) fn restore(&self) -> String {
        if self.is_fetched() { in_root(&self.root, "filterctl breaches install") } else { self.fetch() }
    }
}

/// The result of the last run, and the installed filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BreachState {
    /// The version of the file.
    pub(crate) schema: u32,
    /// The end of the last run, in seconds since 1970.
    pub(crate) ended: u64,
    /// The reason why it failed; none if it succeeded.
    #[serde(default)]
    pub(crate) failed: Option<String>,
    /// The end of the last successful run: the corpus is as of then.
    #[serde(default)]
    pub(crate) fresh: Option<u64>,
    /// The options that the filter in place was fetched with.
    #[serde(default)]
    pub(crate) options: String,
}

/// The program's own report on its last run.
#[derive(Deserialize)]
struct LastFetch {
    schema: u32,
    ended: u64,
    result: String,
    #[serde(default)]
    reason: String,
}

impl LastFetch {
    fn left_in(folder: &Folder) -> Option<LastFetch> {
        let mut text = Vec::new();
        let file = folder.open_regular(format!("{FETCHED}.run").as_ref()).ok()?;
        file.take(MAX_RUN_BYTES).read_to_end(&mut text).ok()?;
        serde_json::from_slice(&text).ok().filter(|run: &LastFetch| run.schema == SCHEMA)
    }

    fn is_done(&self) -> bool {
        self.result == "done"
    }
}

fn reason_of(text: &str) -> String {
    printable(text).chars().take(MAX_REASON).collect()
}

impl BreachState {
    /// Reads the state; none if there is no file.
    ///
    /// # Errors
    /// [`StateError`].
    pub(crate) fn read(places: &Places) -> Result<Option<BreachState>, StateError> {
        let state: Option<BreachState> = state_file::read(&places.state)?;
        Ok(state.map(|state| state.beside_run(places)))
    }

    /// The same, or a failure where a run ended well that the state says nothing of: its filter was not
    /// installed, or that could not be written.
    fn beside_run(self, places: &Places) -> BreachState {
        let run = Folder::open(&places.fetched).ok().and_then(|folder| LastFetch::left_in(&folder));
        match run.filter(LastFetch::is_done).map(|run| run.ended.min(now())) {
            Some(ended) if ended > self.ended => {
                BreachState { ended, failed: Some(NOT_INSTALLED.to_owned()), ..self }
            }
            _ => self,
        }
    }

    /// Writes the state.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(crate) fn write(&self, places: &Places) -> Result<(), StorageError> {
        let state = BreachState { schema: SCHEMA, ..self.clone() };
        // Strings and numbers can always be written as JSON.
        let text = serde_json::to_vec(&state).unwrap_or_default();
        let reserve = if state.failed.is_none() { RESERVE_BYTES } else { 0 };
        state_file::keep(&places.state, &state_file::padded(text, reserve))
    }

    /// The state after a failed installation: the age of the corpus does not change.
    #[must_use]
    pub(crate) fn not_installed(self, reason: &str, now: u64) -> BreachState {
        BreachState { ended: now, failed: Some(reason_of(reason)), ..self }
    }

    /// The state after the run that the program speaks of, in a file that belongs to it: no more is believed
    /// of it than a time and a sentence. None if it does not speak.
    pub(crate) fn after_run(self, folder: &Folder, now: u64) -> Option<BreachState> {
        let run = LastFetch::left_in(folder)?;
        let (ended, reason, is_done) = (run.ended.min(now), reason_of(&run.reason), run.is_done());
        Some(BreachState {
            schema: SCHEMA,
            ended,
            failed: (!is_done).then_some(reason),
            fresh: if is_done { Some(ended) } else { self.fresh },
            options: self.options,
        })
    }

    /// Days since the corpus was fresh; negative if that is in the future.
    pub(crate) fn age_days(&self, now: u64) -> Option<i64> {
        self.fresh.map(|fresh| days_since(fresh, now))
    }
}

/// The options that the service is started with.
pub(crate) fn options_in(places: &Places) -> String {
    text_in(&places.options)
}

/// The text of a small file, without following links; empty if there is no file.
pub(crate) fn text_in(path: &Path) -> String {
    let mut text = String::new();
    let opened = Place::of(path).and_then(|place| place.open_regular());
    let read = opened.is_ok_and(|file| file.take(MAX_RUN_BYTES).read_to_string(&mut text).is_ok());
    if read { text } else { String::new() }
}

/// The words of the options. An administrator may write the file as well: the last value counts, quoted or
/// not.
pub(crate) fn words_of(options: &str) -> Vec<&str> {
    let value = options.lines().filter_map(|line| line.trim().strip_prefix("OPTIONS=")).next_back();
    let words = value.unwrap_or_default().split(|c: char| c.is_whitespace() || "\"'".contains(c));
    words.filter(|word| !word.is_empty()).collect()
}

/// True for options of a filter that is used at logins.
pub(crate) fn are_for_logins(options: &str) -> bool {
    words_of(options).contains(&"--logins")
}
