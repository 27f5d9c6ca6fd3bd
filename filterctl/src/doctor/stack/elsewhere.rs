//! The services of other groups: an edit of a file that they read, too, is tried on them as well.

use std::{
    cell::OnceCell,
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::{change::Trial, edits::Edits, faults::Shown, leaving_out, modules::can_set};

/// The groups besides that of a trial.
pub(super) struct Elsewhere<'t> {
    others: Vec<OtherGroup<'t>>,
}

struct OtherGroup<'t> {
    trial: Trial<'t>,
    files: BTreeSet<PathBuf>,
    /// The faults without an edit, by the reply of modules that are not run; none if they cannot be known.
    before: OnceCell<Option<Vec<Vec<Shown>>>>,
}

impl<'t> Elsewhere<'t> {
    /// The groups besides that of this trial.
    pub(super) fn of(trial: &Trial<'t>) -> Elsewhere<'t> {
        let others = trial.all.iter().filter(|group| !group.stack.is_same(&trial.group.stack));
        let other = |group| OtherGroup::of(Trial { group, ..*trial });
        Elsewhere { others: others.map(other).collect() }
    }

    /// True if one of them reads a file that the edits change.
    pub(super) fn reads(&self, edits: &Edits) -> bool {
        self.others.iter().any(|other| other.reads(edits))
    }

    /// True if the edits bring no fault to any of them. One that cannot be run here is taken to have a fault
    /// then.
    pub(super) fn bears(&self, edits: &Edits) -> bool {
        self.others.iter().filter(|other| other.reads(edits)).all(|other| other.bears(edits))
    }
}

impl<'t> OtherGroup<'t> {
    fn of(trial: Trial<'t>) -> OtherGroup<'t> {
        let lines = trial.group.stack.lines.iter().chain(&trial.group.stack.missing);
        let files = lines.map(|line| real(&line.file)).collect();
        OtherGroup { trial, files, before: OnceCell::new() }
    }

    fn reads(&self, edits: &Edits) -> bool {
        edits.files().any(|file| self.files.contains(&real(file)))
    }

    fn bears(&self, edits: &Edits) -> bool {
        if !self.trial.runs_all && !self.trial.group.stack.lines.iter().any(can_set) {
            return false;
        }
        let before = self.before.get_or_init(|| self.trial.run_each(&Edits::default()).ok());
        let (Some(before), Ok(after)) = (before, self.trial.run_each(edits)) else { return false };
        let is_known = |known: &[Shown], one: &Shown| known.iter().any(|own| own.fault == one.fault);
        let is_same =
            before.iter().zip(&after).all(|(before, after)| after.iter().all(|one| is_known(before, one)));
        is_same && leaving_out::are_more(&self.trial, edits) == Ok(false)
    }
}

fn real(file: &Path) -> PathBuf {
    file.canonicalize().unwrap_or_else(|_| file.to_owned())
}
