//! `filterctl breaches install`: root's step after each run of nearmiss-fetch.
//!
//! What was fetched belongs to another user, who may change it at any time. It is copied first, and the copy
//! is looked at.

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
    keys,
};
use nearmiss_filters::{
    dictionary::read_header,
    format::Header,
    storage::{Access, CopyError, Folder, Place, Replacement, StorageError, with_ending},
};
use nearmiss_policy::config::{DEFAULT_PATH, FILTER_GROUP, UpdateRules};

use super::Target;
use crate::{
    breaches::{
        expected::Fetched,
        filter::{BreachState, FETCHED, Places, are_for_logins, options_in, text_in},
    },
    filter_file::{header::header_at, inspect::Inspection, known::Known, provenance::previous, room},
    flags::output::make_folder,
    host::syslog,
};

const AFTER: &str = "\
The unit nearmiss-breaches.service runs it. A filter is refused that is damaged, that the
options do not give (another kind, a higher rate, more digests than there are), whose pages
are not filled as its header claims, that contains random digests or lacks the most common
ones, for which the disk has no room, that is older than the one in place, or over 1 %
smaller with the same options. The one before is kept for filterctl rollback.

Examples:
  filterctl breaches install";

/// One part in this many fewer than before.
const SMALLER: u64 = 100;

/// Puts what nearmiss-fetch made in place, once every page of it is verified.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    #[command(flatten)]
    target: Target,
}

impl Args {
    /// Installs the filter, unless it is in place, and remembers how the last run ended.
    ///
    /// # Errors
    /// The filter is refused or cannot be copied.
    pub(super) fn run(&self) -> Outcome {
        let places = self.target.places();
        if !places.is_on() {
            warn(keys::BREACHES_STALE, "leaked passwords are switched off: nothing is installed");
            return Ok(Exit::Done);
        }
        let folder = Folder::open(&places.fetched).map_err(|e| Failure::new("nothing was fetched", e))?;
        let state = BreachState::read(&places).ok().flatten().unwrap_or_default();
        make_folder(&places.filter);
        // Written last: it says what is in place.
        match installed(&places, &folder, &state) {
            Ok(options) => {
                let state = BreachState { options, ..state };
                let state = state.clone().after_run(&folder, now()).unwrap_or(state);
                state.write(&places).map_err(unwritable)?;
                Ok(Exit::Done)
            }
            Err(failure) => {
                let reason = failure.to_string();
                syslog::warning(&format!("leaked passwords are not installed: {}", printable(&reason)));
                if let Err(error) = state.not_installed(&reason, now()).write(&places) {
                    warn(&error, &format!("the state cannot be written: {error}"));
                }
                Err(failure)
            }
        }
    }
}

/// Puts the filter in place, unless it is, and names it in the configuration. Returns the options that the
/// filter in place was fetched with.
fn installed(places: &Places, folder: &Folder, state: &BreachState) -> Result<String, Failure> {
    let options = options_in(places);
    let has_other_options = state.options != options;
    let file = match folder.open_regular(FETCHED.as_ref()) {
        Ok(file) => file,
        // A run that failed left nothing to install.
        Err(_) if !is_done(state, folder) => return Ok(state.options.clone()),
        Err(error) => return Err(Failure::new("cannot read what was fetched", error)),
    };
    let header = read_header(&file, &places.fetched.join(FETCHED));
    let header = header.map_err(|e| Failure::new("cannot read what was fetched", e))?;
    let before = header_at(&places.filter);
    if before.as_ref().is_some_and(|before| is_same(before, &header)) {
        configure(places, &state.options)?;
        return Ok(state.options.clone());
    }
    let fetched = Fetched::with(&options);
    let refused = |failure: Failure| {
        Failure::plain(keys::BREACHES_REFUSED, format!("what was fetched is refused: {failure}"))
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

fn is_done(state: &BreachState, folder: &Folder) -> bool {
    state.clone().after_run(folder, now()).is_some_and(|state| state.failed.is_none())
}

fn is_same(a: &Header, b: &Header) -> bool {
    (a.key.bytes(), a.created, a.words, a.pages) == (b.key.bytes(), b.created, b.words, b.pages)
}

/// A copy beside the place that it is for, with the access it is to have.
fn copied(mut from: File, header: &Header, places: &Places) -> Result<PathBuf, Failure> {
    let candidate = with_ending(&places.filter, ".candidate");
    let group =
        UpdateRules::load(Path::new(DEFAULT_PATH)).map_or_else(|_| FILTER_GROUP.to_owned(), |r| r.group);
    let access = system_group(&group).map_or(Access::Private, Access::Group);
    make_folder(&candidate);
    let mut new = Replacement::create(&candidate, access).map_err(unwritable)?;
    let unreadable = |e: io::Error| Failure::new("cannot read what was fetched", e);
    from.rewind().map_err(unreadable)?;
    // Not a byte more than a filter with this header has.
    new.copy(from.take(header.file_bytes())).map_err(|error| match error {
        CopyError::Read(e) => unreadable(e),
        CopyError::Write(e) => unwritable(e),
    })?;
    new.commit().map_err(unwritable)?;
    Ok(candidate)
}

/// Refuses a copy that is damaged, not what was to be fetched, or less than the one in place.
fn check(candidate: &Path, fetched: &Fetched, before: Option<&Header>) -> Result<(), Failure> {
    let refuse = |reason: String| {
        Failure::plain(keys::BREACHES_REFUSED, format!("what was fetched is refused: {reason}"))
    };
    let known = |path: &Path, header: &Header| {
        if fetched.is_of_everyone { Known::common() } else { Known::by_header(path, header) }
    };
    let inspection = Inspection::knowing(candidate, known)?;
    if let Some(problem) = inspection.problems().first() {
        return Err(refuse(problem.clone()));
    }
    let header = inspection.header.ok_or_else(|| refuse("it has no header".to_owned()))?;
    // The copy's own header: what belongs to another user may have changed while it was copied.
    if let Some(reason) = fetched.refuses(&header) {
        return Err(refuse(reason));
    }
    let Some(before) = before else { return Ok(()) };
    // A date to come is of a clock that was wrong.
    if header.created < before.created && before.created <= now() {
        return Err(refuse("it is older than the one in place".to_owned()));
    }
    // Of words the pages tell; lines are a claim.
    let less = |is: u64, was: u64| is < was.saturating_sub(was / SMALLER);
    for (is, was) in [(header.lines, before.lines), (header.words, before.words)] {
        if less(is, was) {
            return Err(refuse(format!("it has {is} digests, and the one in place has {was}")));
        }
    }
    Ok(())
}

/// Exchanges the filter in one step; the one before keeps a name, without being copied.
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

/// Names the filter in the configuration, once it is there: one that is missing would keep everybody from
/// changing a password.
fn configure(places: &Places, options: &str) -> Result<(), Failure> {
    // One that was fetched with other options may not be sure enough.
    let is_for_logins = options == options_in(places) && are_for_logins(options);
    let logins = if is_for_logins { "logins = true\n" } else { "" };
    let text = format!(
        "# Written by filterctl breaches enable; filterctl breaches disable removes it.\n\
         [[dictionary]]\nfile = \"{}\"\nmatch = \"exact\"\n{logins}",
        places.filter.display()
    );
    if text_in(&places.drop_in) == text {
        return Ok(());
    }
    let mut file = Replacement::create(&places.drop_in, Access::Public).map_err(unwritable)?;
    file.write(text.as_bytes()).and_then(|()| file.commit()).map_err(unwritable)
}

fn unwritable(error: StorageError) -> Failure {
    Failure::new("cannot install leaked passwords", error)
}
