//! `filterctl rollback`: exchanges an installed filter with the one that it replaced.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    failure::{Failure, Outcome, printable},
    keys,
};
use nearmiss_filters::storage::{Access, Occupant, Place, Replacement};

use super::{InstallState, Installed, copied, examined, filled, put, unwritable, written_records};
use crate::{
    filter_file::{
        orphans::warn_of_counts,
        provenance::{self, Provenance, previous},
        replaceable::{FileKind, refuse_other_records},
        update_state::UpdateState,
        watched::Watched,
    },
    flags::output::Output,
    host::syslog,
    report::header::Facts,
};

const AFTER: &str = "\
Exchanges TARGET with TARGET.previous, which filterctl install kept, in one step. Both files
are kept, so a second rollback undoes the first. If TARGET was lost, it becomes a copy of
TARGET.previous, for the same readers. The earlier filter is read first, and refused if it is
damaged.

Exit status:
  0  the filters are exchanged, or the lost one is replaced
  2  there is no earlier filter, it cannot be used, or a file cannot be written

Examples:
  filterctl rollback /etc/nearmiss-filters/site.filter";

/// Restores the filter that the last filterctl install replaced; run it again to undo that.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Rollback {
    /// The installed filter.
    #[arg(value_name = "TARGET")]
    target: PathBuf,
    #[command(flatten)]
    output: Output,
}

impl Rollback {
    /// Exchanges the filter with the earlier one.
    ///
    /// # Errors
    /// There is no earlier filter, it is damaged, or a file cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        Watched::new(&self.target).told(self.roll_back())
    }

    fn roll_back(&self) -> Outcome {
        let before = previous(&self.target);
        if !before.exists() {
            let message = "no earlier filter to restore; filterctl install keeps the one that it replaces";
            return Err(Failure::plain(
                keys::FILTER_NOT_INSTALLED,
                format!("{}: {message}", before.display()),
            ));
        }
        let seen = Occupant::of(&self.target).unwrap_or_default();
        let is_lost = !self.target.exists();
        // Where the filter was lost, the earlier one still tells who may read it.
        let readers = if is_lost { &before } else { &self.target };
        let access = Access::of_replaced(readers).map_or(Access::Private, Access::kept);
        // It locks the target, which another command may be replacing: what is examined is what comes back.
        let new = Replacement::create(&self.target, access).map_err(unwritable)?;
        new.refuse_another(&seen).map_err(unwritable)?;
        let facts = Facts::of(&examined(&before)?);
        let records = self.records(&before, is_lost)?;
        // The file that comes back gets the readers of the other one while it still is the earlier one.
        UpdateState::forgotten(&self.target, || {
            if is_lost {
                return filled(new, &before)?.commit().map_err(unwritable);
            }
            copied(&before, &before, access)?.commit().map_err(unwritable)?;
            self.exchange(new, &before, access)
        })?;
        syslog::changed(&format!("rolled back {}", printable(&self.target.display().to_string())));
        put(records, &self.target, "the filters are exchanged, but their records cannot be written")?;
        warn_of_counts(&self.target, None);
        let state = if is_lost { InstallState::Restored } else { InstallState::RolledBack };
        self.output.print(&Installed::new(&self.target, state, facts))
    }

    /// The records of both filters, each for the place of the other; of a lost one, none is left.
    fn records(&self, before: &Path, is_lost: bool) -> Result<Vec<Replacement>, Failure> {
        let kept = (!is_lost).then_some((self.target.as_path(), before));
        let places = [(before, self.target.as_path())].into_iter().chain(kept);
        refuse_other_records(&self.target)?;
        FileKind::Record.refuse_other_files(&provenance::path_for(before))?;
        let moved = |(from, to): (&Path, &Path)| Provenance::beside(from).map(|one| (one, to.to_owned()));
        written_records(places.filter_map(moved))
    }

    /// Exchanges the two files in one step, so that an interruption loses neither. Where the file system
    /// cannot, the newer filter is kept under the other name before the older one takes its place as `new`.
    fn exchange(&self, new: Replacement, before: &Path, access: Access) -> Result<(), Failure> {
        let places = Place::of(&self.target).and_then(|place| Ok((place, Place::of(before)?)));
        let (place, earlier) = places.map_err(unwritable)?;
        if place.exchange(&earlier).map_err(unwritable)? {
            return place.sync_folder().map_err(unwritable);
        }
        let new = filled(new, before)?;
        copied(&self.target, before, access)?.commit().and_then(|()| new.commit()).map_err(unwritable)
    }
}
