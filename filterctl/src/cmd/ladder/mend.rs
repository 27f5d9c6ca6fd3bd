//! A ladder that cannot be used is kept aside, so that a new one can be made: a system without a usable
//! ladder would go without its second opinion from then on.

use std::{fs, path::Path};

use nearmiss_filters::{
    ladder::{ChosenLadder, LadderFiles},
    text::system_reason,
};

use crate::{
    change::now,
    failure::{Failure, warn},
};

/// True where a new ladder is to be made: there is none, or what there was is kept aside now.
///
/// # Errors
/// What cannot be used now may be usable later (no memory, too many open files), or a file cannot be renamed.
pub(super) fn make_room(files: &LadderFiles) -> Result<bool, Failure> {
    let (is_there, reason) = match ChosenLadder::open(files) {
        Ok(Some(_)) => return Ok(false),
        Ok(None) if !exists(&files.key) => return Ok(true),
        // A key alone is used for the new ladder, if it can be.
        Ok(None) => match nearmiss_filters::ladder::read_key(&files.key) {
            Ok(_) => return Ok(true),
            Err(error) => (false, error),
        },
        Err(error) => (true, error),
    };
    if reason.may_be_provoked() {
        return Err(Failure::new("cannot use the ladder now", reason));
    }
    let ending = format!("broken-{}", now());
    for path in [&files.file, &files.key] {
        keep_aside(path, &ending)?;
    }
    let forgotten = if is_there { "; what was counted is forgotten" } else { "" };
    warn(&format!(
        "{reason}: ladder and key are kept aside with the ending .{ending}, and new ones made{forgotten}; \
         destroy the old ones when they are not needed any more"
    ));
    Ok(true)
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn keep_aside(path: &Path, ending: &str) -> Result<(), Failure> {
    if !exists(path) {
        return Ok(());
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".{ending}"));
    fs::rename(path, aside).map_err(|error| {
        Failure::plain(format!("{}: cannot be renamed: {}", path.display(), system_reason(&error)))
    })
}
