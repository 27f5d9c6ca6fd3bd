//! A ladder that cannot be used is renamed, so that a new one can be made: otherwise the system would count
//! no passwords from then on. A ladder of a newer format stays in place: the programs must be upgraded.

use std::path::Path;

use nearmiss_cli::{
    clock::now,
    failure::{Failure, warn},
    keys,
};
use nearmiss_filters::{
    ladder::{self, ChosenLadder, LadderFiles},
    storage::{Place, StorageError, with_ending},
    text::system_reason,
};

/// True if a new ladder is to be made: there is none, or the existing files were renamed.
///
/// # Errors
/// A part that cannot be used now may be usable later (no memory, too many open files), a newer program made
/// the ladder, or a file cannot be written or renamed.
pub(super) fn make_room(files: &LadderFiles) -> Result<bool, Failure> {
    let (is_there, reason) = match ChosenLadder::open(files) {
        Ok(Some(_)) => return Ok(false),
        Ok(None) if !exists(&files.key) => return Ok(true),
        // A key alone is used for the new ladder, if it can be.
        Ok(None) => match ladder::read_key(&files.key) {
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
    for path in [&files.file, &files.key] {
        keep_aside(path, &ending)?;
    }
    let forgotten = if is_there { "; all counts are lost" } else { "" };
    warn(
        keys::LADDER_REPLACED,
        &format!(
            "{reason}: renamed ladder and key with the suffix .{ending}, and made new \
             ones{forgotten}; destroy the old ones when they are no longer needed"
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
