//! The result of the last `filterctl doctor --record`: its subject, its time, and the number of its findings
//! by state.
//!
//! The timer `nearmiss-doctor.timer` runs it: `filterctl metrics` counts what a whole examination found, and
//! not what reading a few files would show. The findings themselves are not recorded: they tell where a host
//! is weak.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    clock::now,
    finding::{Finding, State},
};
use nearmiss_filters::storage::StorageError;
use serde::{Deserialize, Serialize};

use super::Subject;
use crate::{
    host::state_file::{self, StateError},
    report::SCHEMA,
};

/// A whole examination of a system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DoctorRun {
    schema: u32,
    /// The root and the configuration of the system that was examined.
    root: PathBuf,
    conf: PathBuf,
    /// The time of its end, in seconds since 1970.
    pub(crate) at: u64,
    wrong: usize,
    warning: usize,
    unjudged: usize,
}

impl DoctorRun {
    /// These findings were made now.
    pub(crate) fn new(subject: &Subject, findings: &[Finding]) -> DoctorRun {
        let count = |state| findings.iter().filter(|finding| finding.state == state).count();
        let (wrong, warning, unjudged) = (count(State::Wrong), count(State::Warning), count(State::Unjudged));
        let (root, conf) = (subject.root.clone(), subject.conf.clone());
        DoctorRun { schema: SCHEMA, root, conf, at: now(), wrong, warning, unjudged }
    }

    /// True for a run that examined this system with this configuration: an image's findings are none of its
    /// host's.
    pub(crate) fn is_of(&self, subject: &Subject) -> bool {
        self.root == subject.root && self.conf == subject.conf
    }

    /// The number of findings of each state that is not fine, by its name.
    pub(crate) fn counts(&self) -> [(&'static str, usize); 3] {
        [("wrong", self.wrong), ("warning", self.warning), ("unjudged", self.unjudged)]
    }

    /// Reads the result in a file; none if there is no file.
    ///
    /// # Errors
    /// [`StateError`]: it is there and cannot be read or understood, or is not trusted.
    pub(crate) fn read(path: &Path) -> Result<Option<DoctorRun>, StateError> {
        state_file::read(path)
    }

    /// Writes the result, for its owner alone.
    ///
    /// # Errors
    /// [`StorageError`].
    pub(crate) fn write(&self, path: &Path) -> Result<(), StorageError> {
        state_file::write(path, self)
    }
}

#[cfg(test)]
mod tests {
    use nearmiss_cli::keys;

    use super::*;
    use crate::doctor::sample;

    #[test]
    fn what_is_written_is_read_and_counts_each_state() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("examined");
        assert!(DoctorRun::read(&file).unwrap().is_none());
        let finding = |state| Finding::new(keys::ARGUMENTS, "a", state, "b");
        let states = [State::Fine, State::Wrong, State::Unjudged, State::Wrong, State::Fine];
        let subject = sample::subject(Path::new("/"));
        let run = DoctorRun::new(&subject, &states.map(finding));
        assert!(run.is_of(&subject) && !run.is_of(&sample::subject(Path::new("/image"))));
        assert_eq!(run.counts(), [("wrong", 2), ("warning", 0), ("unjudged", 1)]);
        run.write(&file).unwrap();
        assert_eq!(DoctorRun::read(&file).unwrap(), Some(run));
        std::fs::write(&file, "{\"schema\":2}").unwrap();
        assert!(matches!(DoctorRun::read(&file), Err(StateError::Unknown(_))));
    }
}
