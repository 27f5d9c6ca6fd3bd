//! `filterctl breaches install`: root's step after each run of nearmiss-fetch.
//!
//! What was fetched belongs to another user, who may change it at any time. It is copied first, and the copy
//! is looked at.

use std::{
    fs::{self, File},
    io::{self, Read, Seek},
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    config::{DEFAULT_PATH, FILTER_GROUP, UpdateRules},
    dictionary::read_header,
    format::Header,
    storage::{Access, CopyError, Folder, Replacement, StorageError, sync_folder, with_ending},
};

use super::Target;
use crate::{
    access::system_group,
    clock::now,
    exit::Exit,
    failure::{Failure, Outcome, warn},
    filter::{
        breaches::{BreachState, FETCHED, Places, are_for_logins, options_in},
        expected::Fetched,
        header::header_at,
        inspect::Inspection,
        known::Known,
        provenance::previous,
        room,
    },
    keys,
    output::make_folder,
    system::syslog,
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
        let options = options_in(&places);
        let has_other_options = state.options != options;
        if let Some(state) = state.clone().after_run(&folder, now()) {
            make_folder(&places.filter);
            state.write(&places).map_err(unwritable)?;
        }
        let Ok(file) = folder.open_regular(FETCHED.as_ref()) else { return Ok(Exit::Done) };
        let header = read_header(&file, &places.fetched.join(FETCHED));
        let header = header.map_err(|e| Failure::new("cannot read what was fetched", e))?;
        let before = header_at(&places.filter);
        if before.as_ref().is_some_and(|before| is_same(before, &header)) {
            return configure(&places).map(|()| Exit::Done);
        }
        let fetched = Fetched::with(&options);
        let refused = |failure: Failure| {
            Failure::plain(keys::BREACHES_REFUSED, format!("what was fetched is refused: {failure}"))
        };
        if let Some(reason) = fetched.refuses(&header) {
            return Err(refused(Failure::plain(keys::BREACHES_REFUSED, reason)));
        }
        room::check(&file, &header, &places.filter, 1).map_err(refused)?;
        let candidate = copied(file, &header, &places)?;
        let checked = check(&candidate, &fetched, before.as_ref().filter(|_| !has_other_options));
        if let Err(failure) = checked {
            let _ = fs::remove_file(&candidate);
            return Err(failure);
        }
        place(&candidate, &places.filter)?;
        let mut state = BreachState::read(&places).ok().flatten().unwrap_or_default();
        state.options = options;
        state.write(&places).map_err(unwritable)?;
        let digests = header.words;
        syslog::changed(&format!("installed {}: {digests} leaked passwords", places.filter.display()));
        configure(&places).map(|()| Exit::Done)
    }
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
    let kept = previous(target);
    let failed = |e: io::Error| Failure::new("cannot put the filter in place", e);
    if target.exists() {
        match fs::remove_file(&kept) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(e)),
            _ => fs::hard_link(target, &kept).map_err(failed)?,
        }
    }
    fs::rename(candidate, target).map_err(failed)?;
    sync_folder(target).map_err(unwritable)
}

/// Names the filter in the configuration, once it is there: one that is missing would keep everybody from
/// changing a password.
fn configure(places: &Places) -> Result<(), Failure> {
    // One that was fetched with other options may not be sure enough.
    let state = BreachState::read(places).ok().flatten().unwrap_or_default();
    let is_for_logins = state.options == options_in(places) && are_for_logins(&state.options);
    let logins = if is_for_logins { "logins = true\n" } else { "" };
    let text = format!(
        "# Written by filterctl breaches enable; filterctl breaches disable removes it.\n\
         [[dictionary]]\nfile = \"{}\"\nmatch = \"exact\"\n{logins}",
        places.filter.display()
    );
    if fs::read_to_string(&places.drop_in).is_ok_and(|there| there == text) {
        return Ok(());
    }
    let mut file = Replacement::create(&places.drop_in, Access::Public).map_err(unwritable)?;
    file.write(text.as_bytes()).and_then(|()| file.commit()).map_err(unwritable)
}

fn unwritable(error: StorageError) -> Failure {
    Failure::new("cannot install leaked passwords", error)
}
