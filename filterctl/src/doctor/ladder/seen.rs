//! The folder of failed logins: `/run/nearmiss`, in memory, for root alone.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_filters::{
    ladder::{SEEN_PAIRS, SeenFailures},
    text::system_reason,
};

use super::disk::{self, is_in_memory};
use crate::{clock, doctor::remedy, finding::Finding};

const CHECK: &str = "failures";

/// Looks at the file, its folder and the file system under it.
pub(super) fn examine(seen: &Path) -> Vec<Finding> {
    let Some(folder) = seen.parent() else { return Vec::new() };
    match fs::symlink_metadata(folder) {
        Err(_) => {
            let message = format!("{} is missing; the first failed login makes it", folder.display());
            vec![Finding::fine(CHECK, message)]
        }
        Ok(metadata) => {
            let mode = metadata.mode() & 0o7777;
            let private = if mode & 0o077 != 0 {
                Finding::wrong(
                    "run mode",
                    format!("{} has mode {mode:04o}: others may look at it", folder.display()),
                )
                .fix(remedy::on_files("chmod 0700", [folder]))
            } else {
                Finding::fine("run mode", format!("{mode:04o}"))
            };
            vec![private, memory(folder), set(seen)]
        }
    }
}

/// The guesses seen must be gone when the system stops, and be in no backup.
fn memory(folder: &Path) -> Finding {
    let check = "run on tmpfs";
    match disk::kind(folder) {
        Ok(kind) if is_in_memory(kind) => {
            Finding::fine(check, "what is remembered is lost when the system stops")
        }
        Ok(_) => Finding::wrong(
            check,
            format!("{} is on a disk: what failed logins leave there outlives a restart", folder.display()),
        )
        .fix(remedy::on_files("mount -t tmpfs -o mode=0700 tmpfs", [folder])),
        Err(error) => Finding::wrong(check, system_reason(&error)),
    }
}

fn set(seen: &Path) -> Finding {
    let opened = match SeenFailures::open(seen) {
        Ok(Some(set)) => set.taken().and_then(|taken| Ok((taken, set.born()?))),
        Ok(None) => return Finding::fine(CHECK, "none was looked at since the system started"),
        Err(error) => {
            return Finding::wrong(CHECK, error.to_string()).fix(remedy::on_files("rm", [seen]));
        }
    };
    match opened {
        Ok((taken, born)) => {
            let now = clock::now();
            let days = now.saturating_sub(born) / 86_400;
            Finding::fine(CHECK, format!("{taken} of {SEEN_PAIRS} places taken, under a key {days} days old"))
        }
        Err(error) => Finding::wrong(CHECK, system_reason(&error)),
    }
}
