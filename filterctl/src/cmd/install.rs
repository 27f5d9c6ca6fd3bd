//! `filterctl install`: installs a filter that was built elsewhere and keeps the earlier one, which
//! `rollback` restores.

mod refused;
mod rollback;

use std::{
    fs::File,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    access::NewAccess,
    failure::{Failure, Outcome, printable},
    keys, paths,
};
use nearmiss_filters::{
    format::Header,
    storage::{Access, CopyError, Occupant, Place, Replacement, StorageError},
};
use serde::Serialize;

pub(crate) use self::rollback::Rollback;
use crate::{
    filter_file::{
        change,
        inspect::Inspection,
        orphans::warn_of_counts,
        provenance::{Provenance, previous},
        update_state::UpdateState,
        watched::Watched,
    },
    flags::output::{Output, make_folder},
    host::syslog,
    report::{Report, header::Facts},
};

const AFTER: &str = "\
The whole filter is read first. It is refused if it is damaged, has pages that are not filled as its
header claims, contains random strings, is of another kind than the installed filter, or does not
fit on the disk; a filter of a million digests or more is also refused if it lacks the most common
passwords. Without --allow-fewer, a filter with less than half of the words or digests of an
installed one of 100 or more is refused. The replaced filter is kept as TARGET.previous, which
filterctl rollback restores. A missing folder is created; only its owner can list it.

Exit status:
  0  the filter is installed
  2  it is refused, or cannot be written

Examples:
  filterctl install --group nearmiss site.filter /etc/nearmiss-filters/site.filter
  filterctl install --json site.filter /etc/nearmiss-filters/site.filter
  filterctl rollback /etc/nearmiss-filters/site.filter";

/// Installs a filter that was built elsewhere, in one step, and keeps the replaced one.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Install {
    /// The filter to install.
    #[arg(value_name = "FILTER")]
    source: PathBuf,
    /// The path under which the configuration names it.
    #[arg(value_name = "TARGET")]
    target: PathBuf,
    /// Install the filter although the installed one has more than twice as many words.
    #[arg(long)]
    allow_fewer: bool,
    #[command(flatten)]
    access: NewAccess,
    #[command(flatten)]
    output: Output,
}

impl Install {
    /// Installs the filter, unless the same one is there.
    ///
    /// # Errors
    /// The filter is damaged, not trusted or cannot be read, or a file cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        Watched::new(&self.target).told(self.install())
    }

    fn install(&self) -> Outcome {
        self.refuse_folder()?;
        let header = examined(&self.source)?;
        let source = paths::absolute(&self.source);
        let seen = Occupant::of(&self.target).unwrap_or_default();
        let access = self.access.of(&self.target);
        let is_same = is_same(&source, &self.target) && Access::of_replaced(&self.target) == Some(access);
        if !is_same {
            self.refuse_outputs()?;
            self.is_possible(&header)?;
            make_folder(&self.target)?;
            // It locks the target: the copy of the earlier one is of the file that is replaced.
            let new = copied(&source, &self.target, access)?;
            new.refuse_another(&seen).map_err(unwritable)?;
            let kept = if self.target.exists() {
                let kept = Access::of_replaced(&self.target).map_or(Access::Private, Access::kept);
                Some(copied(&self.target, &previous(&self.target), kept)?)
            } else {
                None
            };
            let records = self.records(&header)?;
            new.refuse_another(&seen).map_err(unwritable)?;
            // The earlier one is saved first: an interruption between the two loses nothing.
            UpdateState::forgotten(&self.target, || {
                kept.map_or(Ok(()), Replacement::commit).and_then(|()| new.commit()).map_err(unwritable)
            })?;
            syslog::changed(&format!("installed {}", printable(&self.target.display().to_string())));
            put(records, &self.target, "the filter is installed, but its record cannot be written")?;
            warn_of_counts(&self.target, None);
        }
        let state = if is_same { InstallState::Unchanged } else { InstallState::Installed };
        self.output.print(&Installed::new(&self.target, state, Facts::of(&header)))
    }

    /// The provenance, which is copied with the filter; the earlier filter keeps its own.
    fn records(&self, header: &Header) -> Result<Vec<Replacement>, Failure> {
        let source = std::path::absolute(&self.source).unwrap_or_else(|_| self.source.clone());
        let record = Provenance::installed(Provenance::of(&self.source, header), &source, header);
        let before = Provenance::beside(&self.target).map(|before| (before, previous(&self.target)));
        written_records(before.into_iter().chain([(record, self.target.clone())]))
    }
}

/// Writes records that are to be beside these filters: before the filters are replaced, so that nothing is
/// changed where they cannot be written.
fn written_records(
    records: impl Iterator<Item = (Provenance, PathBuf)>,
) -> Result<Vec<Replacement>, Failure> {
    let begun: Result<_, _> = records.map(|(record, filter)| record.begin(&filter)).collect();
    begun.map_err(|e| Failure::new("cannot write the record of the filter", e))
}

/// Puts the records in place, after the filters.
fn put(records: Vec<Replacement>, target: &Path, message: &str) -> Result<(), Failure> {
    let placed = records.into_iter().try_for_each(Replacement::commit);
    placed.map_err(|e| Failure::new(format!("{}: {message}", target.display()), e))
}

/// The header of a filter that is trusted and whole.
fn examined(path: &Path) -> Result<Header, Failure> {
    // The path is verified first: a file that no other user can write stays the same until the copy.
    let header = change::open(path)?.header().clone();
    let inspection = Inspection::of(path)?;
    match inspection.problems().first() {
        None => Ok(header),
        Some(problem) => Err(Failure::plain(
            keys::FILTER_NOT_INSTALLED,
            format!("{}: {problem}; nothing was changed", path.display()),
        )),
    }
}

fn is_same(source: &Path, target: &Path) -> bool {
    let same = || -> io::Result<bool> {
        let open = |path| opened(path).map_err(io::Error::other);
        let (mut a, mut b) = (open(source)?, open(target)?);
        if a.metadata()?.len() != b.metadata()?.len() {
            return Ok(false);
        }
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        loop {
            of_a.clear();
            of_b.clear();
            (&mut a).take(BLOCK_BYTES).read_to_end(&mut of_a)?;
            (&mut b).take(BLOCK_BYTES).read_to_end(&mut of_b)?;
            if of_a != of_b || of_a.is_empty() {
                return Ok(of_a == of_b);
            }
        }
    };
    same().unwrap_or(false)
}

/// The bytes compared at once.
const BLOCK_BYTES: u64 = 1 << 20;

/// Opens a file under its own name: links are not followed, and opening a pipe does not wait.
fn opened(path: &Path) -> Result<File, StorageError> {
    Place::of(path)?.open_regular()
}

/// A copy that is not yet in place.
fn copied(from: &Path, to: &Path, access: Access) -> Result<Replacement, Failure> {
    filled(Replacement::create(to, access).map_err(unwritable)?, from)
}

/// The replacement with the bytes of this file.
fn filled(mut new: Replacement, from: &Path) -> Result<Replacement, Failure> {
    let source = opened(from).map_err(|e| Failure::new("cannot read the filter", e))?;
    match new.copy(source) {
        Ok(()) => Ok(new),
        Err(CopyError::Read(e)) => Err(Failure::new(format!("cannot read {}", from.display()), e)),
        Err(CopyError::Write(e)) => Err(unwritable(e)),
    }
}

fn unwritable(error: StorageError) -> Failure {
    Failure::new("cannot write the filter", error)
}

/// The result of the command.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum InstallState {
    Installed,
    /// The same filter is already installed.
    Unchanged,
    /// The earlier filter is restored, and the other one kept.
    RolledBack,
    /// The earlier filter is restored where there was none.
    Restored,
}

/// The result of an installation.
#[derive(Serialize)]
struct Installed {
    file: String,
    changed: bool,
    state: InstallState,
    #[serde(flatten)]
    facts: Facts,
    #[serde(skip)]
    previous: PathBuf,
}

impl Installed {
    fn new(target: &Path, state: InstallState, facts: Facts) -> Installed {
        let (file, changed) = (target.display().to_string(), state != InstallState::Unchanged);
        Installed { file, changed, state, facts, previous: previous(target) }
    }
}

impl Report for Installed {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let previous = printable(&self.previous.display().to_string());
        let state = match self.state {
            InstallState::Installed => "installed".to_owned(),
            InstallState::Unchanged => "the same filter is already installed".to_owned(),
            InstallState::Restored => {
                format!("restored the earlier filter, since there was none; {previous} is the same one")
            }
            InstallState::RolledBack => {
                format!("restored the earlier filter; the other one is kept as {previous}")
            }
        };
        writeln!(out, "{}: {state}", printable(&self.file))?;
        self.facts.write_text(out)
    }
}
