//! A ladder of an earlier format is migrated. One that cannot be used is kept aside, so that a new one can be
//! made: a system without a usable ladder would go without its second opinion from then on. One of a newer
//! format is neither: the programs are to be upgraded.

use std::{fs, path::Path};

use nearmiss_filters::{
    ladder::{self, ChosenLadder, LadderFiles, Migrated},
    storage::{Place, StorageError, with_ending},
    text::system_reason,
};

use crate::{
    clock::now,
    failure::{Failure, warn},
    keys,
    system::syslog,
};

/// True where a new ladder is to be made: there is none, or what there was is kept aside now.
///
/// # Errors
/// A part that cannot be used now may be usable later (no memory, too many open files), a newer program made
/// the ladder, or a file cannot be written or renamed.
pub(super) fn make_room(files: &LadderFiles) -> Result<bool, Failure> {
    migrate(files);
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
    let forgotten = if is_there { "; what was counted is forgotten" } else { "" };
    warn(
        keys::LADDER_REPLACED,
        &format!(
            "{reason}: ladder and key are kept aside with the ending .{ending}, and new ones \
             made{forgotten}; destroy the old ones when they are not needed any more"
        ),
    );
    Ok(true)
}

/// A ladder that cannot be migrated is still read: what keeps it from being migrated is said, and is no
/// failure.
fn migrate(files: &LadderFiles) {
    let accounts = fs::read("/etc/passwd").unwrap_or_default();
    let names =
        accounts.split(|&byte| byte == b'\n').filter_map(|line| line.split(|&byte| byte == b':').next());
    let file = files.file.display();
    match ladder::migrate(files, &now().to_string(), names) {
        Ok(Some(Migrated { kept, accounts, dropped })) => {
            let kept = kept.display();
            syslog::changed(&format!("migrated the ladder {file}"));
            warn(
                keys::LADDER_MIGRATED,
                &format!(
                    "{file}: migrated to the present format, nothing counted is lost; the stamps of \
                     {accounts} \
                 accounts are carried over, the stamps of {dropped} that this system does not list are not; \
                 the old file is {kept}: destroy it when no downgrade is planned"
                ),
            );
        }
        Err(error) if ChosenLadder::open(files).is_ok() => {
            warn(
                keys::LADDER_OLD_FORMAT,
                &format!("{error}: the ladder is not migrated, and counts as its format can until it is"),
            );
        }
        // A ladder of today; or one that cannot be opened either, which the next command says.
        Ok(None) | Err(_) => {}
    }
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
