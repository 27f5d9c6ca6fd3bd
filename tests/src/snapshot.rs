//! The files that a test of passwords and logins could leave behind on a machine, compared before and after.

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt, path::Path};

/// Files and folders that `passwd`, `su` and `login` write.
const WATCHED: [&str; 16] = [
    "/etc/passwd",
    "/etc/shadow",
    "/etc/group",
    "/etc/gshadow",
    "/etc/.pwd.lock",
    "/etc/nshadow",
    "/etc/pam.d",
    "/etc/security",
    "/var/log/wtmp",
    "/var/log/btmp",
    "/var/log/lastlog",
    "/var/log/faillog",
    "/run/utmp",
    "/run/motd.dynamic",
    "/dev/log",
    "/var/mail",
];

/// The state of each watched file: its size, time of change, inode, mode and owner, or why there is none.
pub fn snapshot() -> BTreeMap<String, String> {
    let mut states = BTreeMap::new();
    for path in WATCHED {
        note(Path::new(path), &mut states);
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| note(&entry.path(), &mut states));
    }
    states
}

fn note(path: &Path, states: &mut BTreeMap<String, String>) {
    let state = match fs::symlink_metadata(path) {
        Ok(at) => {
            let changed = (at.mtime(), at.mtime_nsec(), at.ctime(), at.ctime_nsec());
            format!(
                "{} bytes, {changed:?}, inode {}, {:o} {}:{}",
                at.len(),
                at.ino(),
                at.mode(),
                at.uid(),
                at.gid()
            )
        }
        Err(error) => error.to_string(),
    };
    states.insert(path.display().to_string(), state);
}
