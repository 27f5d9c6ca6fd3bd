//! `filterctl breaches install`: root's step after each run of nearmiss-fetch.
//!
//! The fetched filter belongs to another user, who may change it at any time. It is copied first, and the
//! copy is checked.

use std::{
    fs::File,
    io::{self, Read, Seek},
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    access::system_group,
    clock::now,
    exit::Exit,
    failure::{Failure, Outcome, printable, warn},
    keys, shell,
};
use nearmiss_filters::{
    dictionary::read_header,
    format::Header,
    storage::{Access, CopyError, Folder, Place, Replacement, StorageError, with_ending},
};
use nearmiss_policy::config::{DEFAULT_PATH, FILTER_GROUP, UpdateRules};

use super::{BreachTarget, unknown};
use crate::{
    breaches::{
        expected::Fetched,
        filter::{BreachState, CANDIDATE, FETCHED, FILTER, Places, are_for_logins, options_in, text_in},
    },
    filter_file::{
        header::header_at, inspect::Inspection, known::Known, provenance::previous, room, watched::Watched,
    },
    flags::output::make_folder,
    host::syslog,
};

const AFTER: &str = "\
The unit nearmiss-breaches.service runs this command. It refuses a filter that is damaged, does
not match the options (another kind, a higher rate, more digests than exist), has pages that are
not filled as its header claims, contains random digests, lacks the most common ones, does not
fit on the disk, is older than the installed one, or is over 1 % smaller with the same options.
The replaced filter is kept for filterctl rollback. A filter that a rollback has removed is not
installed again.

Exit status:
  0  the filter is installed, or was already; or the checks are off
  2  there is none, it is refused, or it cannot be written

Examples:
  filterctl breaches install";

/// The result of a run that failed before it could report one.
const NO_REPORT: &str = "nearmiss-fetch left no report: its own messages are in the system log";

/// One part in this many fewer than before.
const SMALLER: u64 = 100;

/// Installs the filter that nearmiss-fetch built, once every page of it is verified.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    #[command(flatten)]
    target: BreachTarget,
}

impl Args {
    /// Installs the filter, unless it is installed already, and records the result of the last run.
    ///
    /// # Errors
    /// The filter is refused or cannot be copied.
    pub(super) fn run(&self) -> Outcome {
        let places = self.target.places()?;
        if !places.is_on().map_err(unknown)? {
            warn(keys::BREACHES_STALE, "leaked passwords are switched off: nothing is installed");
            return Ok(Exit::Done);
        }
        let state = BreachState::read(&places).ok().flatten().unwrap_or_default();
        // A failure is that of the file that is written there.
        let _ = make_folder(&places.filter);
        let watched = Watched::new(&places.filter);
        let folder = match Folder::open(&places.fetched) {
            Ok(folder) => folder,
            Err(error) => {
                return Err(recorded(state, &places, Failure::new("nothing was fetched", error)));
            }
        };
        // Written last: it names the installed filter.
        match watched.told(installed(&places, &folder, &state)) {
            Ok(options) => {
                let state = BreachState { options, ..state };
                let after = state.clone().after_run(&folder, now());
                let state = after.unwrap_or_else(|| state.not_installed(NO_REPORT, now()));
                watched.told(state.write(&places).map_err(unwritable))?;
                Ok(Exit::Done)
            }
            Err(failure) => Err(recorded(state, &places, failure)),
        }
    }
}

/// The failure, once the log and the state have it.
fn recorded(state: BreachState, places: &Places, failure: Failure) -> Failure {
    let reason = failure.to_string();
    syslog::warning(&format!("cannot install leaked passwords: {}", printable(&reason)));
    if let Err(error) = state.not_installed(&reason, now()).write(places) {
        warn(&error, &format!("cannot record the failure: {error}"));
    }
    failure
}

/// Installs the filter, unless it is installed already, and names it in the configuration. Returns the
/// options that the installed filter was fetched with.
fn installed(places: &Places, folder: &Folder, state: &BreachState) -> Result<String, Failure> {
    let options = options_in(places);
    let has_other_options = state.options != options;
    let file = match folder.open_regular(FETCHED.as_ref()) {
        Ok(file) => file,
        // A run that failed left nothing to install.
        Err(_) if !is_done(state, folder) => return Ok(state.options.clone()),
        Err(error) => return Err(Failure::new("cannot read the fetched filter", error)),
    };
    let header = read_header(&file, &places.fetched.join(FETCHED));
    let header = header.map_err(|e| Failure::new("cannot read the fetched filter", e))?;
    let before = header_at(&places.filter);
    if before.as_ref().is_some_and(|before| is_same(before, &header)) {
        configure(places, &state.options)?;
        return Ok(state.options.clone());
    }
    // A rollback exchanges the two.
    if header_at(&previous(&places.filter)).is_some_and(|back| is_same(&back, &header)) {
        return Err(taken_back(places));
    }
    let fetched = Fetched::with(&options);
    let refused = |failure: Failure| {
        Failure::plain(keys::BREACHES_REFUSED, format!("refused the fetched filter: {failure}"))
    };
    if let Some(reason) = fetched.refuses(&header) {
        return Err(refused(Failure::plain(keys::BREACHES_REFUSED, reason)));
    }
    room::check(&file, &header, &places.filter, 1).map_err(refused)?;
    let candidate = copied(file, &header, places)?;
    let checked = check(&candidate, &fetched, before.as_ref().filter(|_| !has_other_options));
    if let Err(failure) = checked {
        let _ = Place::of(&candidate).and_then(|candidate| candidate.remove());
        return Err(failure);
    }
    place(&candidate, &places.filter)?;
    let digests = header.words;
    syslog::changed(&format!("installed {}: {digests} leaked passwords", places.filter.display()));
    configure(places, &options)?;
    Ok(options)
}

/// The administrator had a reason to return to the filter before.
fn taken_back(places: &Places) -> Failure {
    let again = shell::on_files("filterctl rollback", [places.filter.as_path()]);
    let message = format!(
        "the filter fetched last was taken back by filterctl rollback and is not installed again; {again} \
         installs it, and the next fetch brings a newer one"
    );
    Failure::plain(keys::BREACHES_REFUSED, message)
}

fn is_done(state: &BreachState, folder: &Folder) -> bool {
    state.clone().after_run(folder, now()).is_some_and(|state| state.failed.is_none())
}

fn is_same(a: &Header, b: &Header) -> bool {
    (a.key.bytes(), a.created, a.words, a.pages) == (b.key.bytes(), b.created, b.words, b.pages)
}

/// A copy beside the target, with the access it is to have.
fn copied(mut from: File, header: &Header, places: &Places) -> Result<PathBuf, Failure> {
    let candidate = with_ending(&places.filter, CANDIDATE);
    let group =
        UpdateRules::load(Path::new(DEFAULT_PATH)).map_or_else(|_| FILTER_GROUP.to_owned(), |r| r.group);
    let access = system_group(&group).map_or(Access::Private, Access::Group);
    make_folder(&candidate)?;
    let mut new = Replacement::create(&candidate, access).map_err(unwritable)?;
    let unreadable = |e: io::Error| Failure::new("cannot read the fetched filter", e);
    from.rewind().map_err(unreadable)?;
    // At most the bytes of a filter with this header.
    new.copy(from.take(header.file_bytes())).map_err(|error| match error {
        CopyError::Read(e) => unreadable(e),
        CopyError::Write(e) => unwritable(e),
    })?;
    new.commit().map_err(unwritable)?;
    Ok(candidate)
}

/// Refuses a copy that is damaged, does not match the options, or has less than the installed one.
fn check(candidate: &Path, fetched: &Fetched, before: Option<&Header>) -> Result<(), Failure> {
    let refuse = |reason: String| {
        Failure::plain(keys::BREACHES_REFUSED, format!("refused the fetched filter: {reason}"))
    };
    let known = |path: &Path, header: &Header| {
        if fetched.is_of_everyone { Known::common() } else { Known::by_header(path, header) }
    };
    let inspection = Inspection::knowing(candidate, known)?;
    if let Some(problem) = inspection.problems().first() {
        return Err(refuse(problem.clone()));
    }
    let header = inspection.header.ok_or_else(|| refuse("it has no header".to_owned()))?;
    // The copy's own header: another user's file may have changed while it was copied.
    if let Some(reason) = fetched.refuses(&header) {
        return Err(refuse(reason));
    }
    let Some(before) = before else { return Ok(()) };
    // A date in the future comes from a clock that was wrong.
    if header.created < before.created && before.created <= now() {
        return Err(refuse("it is older than the installed one".to_owned()));
    }
    // The pages confirm the number of words; the number of lines is only a claim.
    let less = |is: u64, was: u64| is < was.saturating_sub(was / SMALLER);
    for (is, was) in [(header.lines, before.lines), (header.words, before.words)] {
        if less(is, was) {
            return Err(refuse(format!("it has {is} digests, and the installed one has {was}")));
        }
    }
    Ok(())
}

/// Replaces the filter in one step; the earlier one is linked to another name, not copied.
fn place(candidate: &Path, target: &Path) -> Result<(), Failure> {
    let placed = || {
        let place = Place::of(target)?;
        if place.is_taken() {
            let kept = Place::of(&previous(target))?;
            kept.remove()?;
            place.link(&kept)?;
        }
        Place::of(candidate)?.rename(&place)?;
        place.sync_folder()
    };
    placed().map_err(unwritable)
}

/// Names the filter in the configuration, once it is there: a missing filter would keep every user from
/// changing a password.
fn configure(places: &Places, options: &str) -> Result<(), Failure> {
    // A filter that was fetched with other options may have too high a rate.
    let is_for_logins = options == options_in(places) && are_for_logins(options);
    let logins = if is_for_logins { "logins = true\n" } else { "" };
    let text = format!(
        "# Written by filterctl breaches enable; filterctl breaches disable removes it.\n\
         [[dictionary]]\nfile = \"{FILTER}\"\nmatch = \"exact\"\n{logins}"
    );
    if text_in(&places.drop_in) == text {
        return Ok(());
    }
    let mut file = Replacement::create(&places.drop_in, Access::Public).map_err(unwritable)?;
    file.write(text.as_bytes()).map_err(unwritable)?;
    Watched::new(&places.drop_in).told(file.commit().map_err(unwritable))
}

fn unwritable(error: StorageError) -> Failure {
    Failure::new("cannot install leaked passwords", error)
}
