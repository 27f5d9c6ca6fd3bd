//! A ladder that cannot be used is renamed, so that a new one can be made: otherwise the system would count
//! no passwords from then on. A ladder of a newer format stays in place: the programs must be upgraded.

use std::path::Path;

use nearmiss_cli::{
    clock::now,
    failure::{Failure, warn},
    keys,
};
use nearmiss_filters::{
    ladder::{self, ChosenLadder, GuessLadder, LadderError, LadderFiles},
    storage::{Place, StorageError, with_ending},
    text::system_reason,
};

/// True if a new ladder, of guessed passwords or of chosen ones, is to be made: there is none, or the
/// existing files were renamed.
///
/// # Errors
/// A part that cannot be used now may be usable later (no memory, too many open files), a newer program made
/// the ladder, or a file cannot be written or renamed.
pub(super) fn make_room(files: &LadderFiles, is_guessed: bool) -> Result<bool, Failure> {
    let opened = if is_guessed {
        GuessLadder::open(files).map(|ladder| ladder.is_some())
    } else {
        ChosenLadder::open(files).map(|ladder| ladder.is_some())
    };
    let (is_there, reason) = match opened {
        Ok(true) => return Ok(false),
        Ok(false) if !exists(&files.key) => return Ok(true),
        // A key alone is used for the new ladder, if it can be.
        Ok(false) => match ladder::read_key(&files.key) {
            Ok(_) => return Ok(true),
            Err(error) => (false, error),
        },
        Err(error) => (true, error),
    };
    if reason.is_newer() {
        return Err(Failure::new("cannot use the ladder", reason));
    }
    if reason.may_be_provoked() {
        return Err(Failure::new("cannot use the ladder now", reason));
    }
    let ending = format!("broken-{}", now());
    keep_aside(&files.file, &ending)?;
    // The other ladder has the same key: without it, its counts would be lost, too.
    let keeps_key = match ladder::read_key(&files.key) {
        Ok(_) => true,
        Err(LadderError::Key { .. }) => false,
        Err(_) => is_guessed,
    };
    if !keeps_key {
        keep_aside(&files.key, &ending)?;
    }
    let (renamed, made, old) = if keeps_key {
        ("the ladder", "a new one", "the old one when it is")
    } else {
        ("ladder and key", "new ones", "the old ones when they are")
    };
    let forgotten = if is_there { "; all counts are lost" } else { "" };
    warn(
        keys::LADDER_REPLACED,
        &format!(
            "{reason}: renamed {renamed} with the suffix .{ending}, and made {made}{forgotten}; destroy \
             {old} no longer needed"
        ),
    );
    Ok(true)
}

fn exists(path: &Path) -> bool {
    Place::of(path).is_ok_and(|place| place.is_taken())
}

fn keep_aside(path: &Path, ending: &str) -> Result<(), Failure> {
    if !exists(path) {
        return Ok(());
    }
    let aside = with_ending(path, &format!(".{ending}"));
    let failed = |error: StorageError| {
        let reason = error.source.as_ref().map_or_else(|| error.reason(), system_reason);
        Failure::plain(keys::FILE_UNWRITABLE, format!("{}: cannot be renamed: {reason}", path.display()))
    };
    let renamed = Place::of(path).and_then(|place| place.rename(&Place::of(&aside)?));
    renamed.map_err(failed)
}
