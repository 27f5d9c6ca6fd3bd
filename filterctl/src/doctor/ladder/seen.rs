//! The folder of failed logins: `/run/nearmiss`, in memory, readable only by root.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_cli::{
    clock::{self, ago, days_since},
    finding::Finding,
    keys,
};
use nearmiss_filters::{
    ladder::{SEEN_PAIRS, SeenFailures},
    text::system_reason,
};

use super::disk::{self, is_in_memory};
use crate::doctor::remedy;

const CHECK: &str = "failures";
const ON_TMPFS: &str = "run on tmpfs";

/// Examines the file, its folder and its file system.
pub(super) fn examine(seen: &Path) -> Vec<Finding> {
    let Some(folder) = seen.parent() else { return Vec::new() };
    match fs::symlink_metadata(folder) {
        Err(_) => {
            let message =
                format!("{} does not exist yet; the first failed login creates it", folder.display());
            vec![Finding::fine(CHECK, message)]
        }
        Ok(metadata) => {
            let mode = metadata.mode() & 0o7777;
            let private = if mode & 0o077 != 0 {
                Finding::wrong(
                    keys::FILE_OPEN_TO_OTHERS,
                    "run mode",
                    format!("{} has mode {mode:04o}: other users can read it", folder.display()),
                )
                .fix(remedy::on_files("chmod 0700", [folder]))
            } else {
                Finding::fine("run mode", format!("{mode:04o}"))
            };
            vec![private, memory(folder), set(seen, clock::now())]
        }
    }
}

/// The record of failed logins must disappear when the system stops, and must not be in backups.
fn memory(folder: &Path) -> Finding {
    match disk::kind(folder) {
        Ok(kind) => of_kind(folder, kind),
        Err(error) => Finding::wrong(&error, ON_TMPFS, system_reason(&error)),
    }
}

fn of_kind(folder: &Path, kind: u64) -> Finding {
    if is_in_memory(kind) {
        return Finding::fine(ON_TMPFS, "the record of failed logins is lost when the system stops");
    }
    let message =
        format!("{} is on a disk: the record of failed logins survives a restart", folder.display());
    Finding::wrong(keys::SEEN_ON_DISK, ON_TMPFS, message)
        .fix(remedy::on_files("mount -t tmpfs -o mode=0700 tmpfs", [folder]))
}

/// The set of this file, at the time `now`.
fn set(seen: &Path, now: u64) -> Finding {
    let opened = match SeenFailures::open(seen) {
        Ok(Some(set)) => set.taken().and_then(|taken| Ok((taken, set.born()?))),
        Ok(None) => return Finding::fine(CHECK, "no failed login since the system started"),
        Err(error) => {
            return Finding::wrong(&error, CHECK, error.to_string()).fix(remedy::on_files("rm", [seen]));
        }
    };
    match opened {
        Ok((taken, born)) => {
            let days = days_since(born, now);
            let message = format!("{taken} of {SEEN_PAIRS} entries taken, under a key made {}", ago(days));
            if days < 0 {
                return Finding::clock_ahead(CHECK, &message);
            }
            Finding::fine(CHECK, message)
        }
        Err(error) => Finding::wrong(&error, CHECK, system_reason(&error)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use nearmiss_filters::ladder::SEEN_BYTES;

    use super::*;
    use nearmiss_cli::finding::State;

    const DAY: u64 = 86_400;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn only_root_may_look_at_the_folder_of_failed_logins() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("nearmiss");
        let seen = folder.join("failures");
        let found = examine(&seen);
        assert_eq!((found.len(), found[0].state), (1, State::Fine));
        assert!(found[0].message.ends_with("the first failed login creates it"), "{found:?}");
        fs::create_dir(&folder).unwrap();
        let fix = remedy::on_files("chmod 0700", [folder.as_path()]);
        for (mode, state, says) in [
            (0o700, State::Fine, "0700"),
            (0o1700, State::Fine, "1700"),
            (0o701, State::Wrong, "has mode 0701: other users"),
            (0o1740, State::Wrong, "has mode 1740: other users"),
        ] {
            set_mode(&folder, mode);
            let found = examine(&seen);
            let checks: Vec<&str> = found.iter().map(|finding| finding.check.as_str()).collect();
            assert_eq!(checks, ["run mode", ON_TMPFS, CHECK]);
            assert_eq!((found[0].state, found[0].message.contains(says)), (state, true), "{found:?}");
            assert_eq!(found[0].fix.as_deref(), (state == State::Wrong).then_some(&*fix));
        }
    }

    /// A record of failed logins on a disk survives a restart, and may be in backups.
    #[test]
    fn the_folder_is_in_memory_or_a_command_makes_it_so() {
        const TMPFS: u64 = 0x0102_1994;
        const EXT4: u64 = 0xEF53;
        let folder = Path::new("/run/nearmiss");
        assert_eq!(of_kind(folder, TMPFS).state, State::Fine);
        let found = of_kind(folder, EXT4);
        assert_eq!(found.state, State::Wrong);
        assert_eq!(found.fix.as_deref(), Some("mount -t tmpfs -o mode=0700 tmpfs /run/nearmiss"));
    }

    #[test]
    fn the_set_of_failed_logins_says_how_full_and_how_old_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let seen = folder.path().join("failures");
        let born = 20_000 * DAY;
        let found = |now| set(&seen, now);
        assert_eq!(found(born).message, "no failed login since the system started");
        // Magic and time of the key; the last bucket holds three of eight fingerprints.
        let mut bytes = vec![0; usize::try_from(SEEN_BYTES).unwrap()];
        bytes[..8].copy_from_slice(b"NMRECENT");
        bytes[8..16].copy_from_slice(&born.to_le_bytes());
        bytes.iter_mut().rev().take(3).for_each(|place| *place = 64);
        fs::write(&seen, bytes).unwrap();
        set_mode(&seen, 0o600);
        for (now, days) in [(born, 0), (born + 3 * DAY - 1, 2), (born + 3 * DAY, 3), (born - 1, 0)] {
            let found = found(now);
            let says = format!("3 of {SEEN_PAIRS} entries taken, under a key made {days} days ago");
            assert_eq!((found.state, found.message), (State::Fine, says));
        }
        let ahead = found(born - 3 * DAY);
        assert_eq!((ahead.state, ahead.key.as_deref()), (State::Warning, Some("clock-ahead")));
        assert!(ahead.message.contains("made 3 days in the future; this host's clock is wrong"), "{ahead:?}");
        fs::write(&seen, "no set").unwrap();
        let found = found(born);
        assert_eq!((found.state, found.fix), (State::Wrong, Some(remedy::on_files("rm", [seen.as_path()]))));
    }
}
