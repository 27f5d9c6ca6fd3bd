//! The account of the copy: it exists there alone, with a known password.

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions, Permissions},
    io::{self, Write},
    os::unix::fs::{PermissionsExt, chown},
    path::{Path, PathBuf},
};

use nearmiss_filters::text::system_reason;
use nix::unistd::User;

use crate::host::{ffi, text_file::read_lossy, user::PEOPLE};

/// The name of the account.
pub(in crate::doctor) const USER: &str = "nearmiss-doctor";

/// Its password.
pub(in crate::doctor) const CURRENT: &str = "Vt7:kq2.Lw9_hz4";

/// The setting of its hash: SHA-512 with the fewest rounds, so that the examination is quick (crypt(5)).
const SETTING: &str = "$6$rounds=1000$nearmissdoctor";

const PASSWD: &str = "/etc/passwd";

/// Files that hold accounts, or passwords used before.
const FILES: [&str; 5] = [PASSWD, "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/security/opasswd"];

/// The account.
pub(super) struct CopiedAccount {
    pub(super) uid: u32,
    /// The content of the files when no password was changed; none for a file that does not exist.
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl CopiedAccount {
    /// Adds the account to the files of the copy.
    ///
    /// # Errors
    /// Why a local account cannot be added here.
    pub(super) fn add() -> Result<CopiedAccount, String> {
        let passwd = read_lossy(Path::new("/"), Path::new(PASSWD))
            .map_err(|error| format!("{PASSWD}: {}", system_reason(&error)))?;
        let uid = free_uid(&passwd).ok_or("every uid of people is in use")?;
        let hash = ffi::crypt(CURRENT, SETTING)?;
        for (file, line) in [
            (PASSWD, format!("{USER}:x:{uid}:{uid}::/home/{USER}:/bin/sh")),
            ("/etc/group", format!("{USER}:x:{uid}:")),
            // The last change was long ago, so that no least age forbids another.
            ("/etc/shadow", format!("{USER}:{hash}:19000:0:99999:7:::")),
        ] {
            append(file, &line).map_err(|error| format!("{file}: {}", system_reason(&error)))?;
        }
        if User::from_name(USER).ok().flatten().is_none_or(|user| user.uid.as_raw() != uid) {
            return Err("this machine does not look accounts up in /etc/passwd".to_owned());
        }
        // No module needs the folder; one that keeps its own files there finds one.
        let home = format!("/home/{USER}");
        let made = fs::create_dir(&home).and_then(|()| chown(&home, Some(uid), Some(uid)));
        let _ = made.and_then(|()| fs::set_permissions(&home, Permissions::from_mode(0o700)));
        let files = FILES.iter().map(|file| (PathBuf::from(file), fs::read(file).ok())).collect();
        Ok(CopiedAccount { uid, files })
    }

    /// Puts the files back as they were when no password was changed.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn restore(&self) -> io::Result<()> {
        for (file, content) in &self.files {
            match content {
                // Overwritten, not replaced, so that owner and mode stay.
                Some(content) if fs::read(file).ok().as_ref() != Some(content) => fs::write(file, content)?,
                Some(_) => {}
                None => match fs::remove_file(file) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                },
            }
        }
        Ok(())
    }
}

/// The hash of the account's password.
pub(super) fn hash() -> Option<String> {
    let shadow = read_lossy(Path::new("/"), Path::new("/etc/shadow")).ok()?;
    let line = shadow.lines().find_map(|line| line.strip_prefix(USER)?.strip_prefix(':'))?;
    line.split(':').next().map(str::to_owned)
}

fn append(file: &str, line: &str) -> io::Result<()> {
    let is_open_line = fs::read(file)?.last().is_some_and(|last| *last != b'\n');
    let start = if is_open_line { "\n" } else { "" };
    OpenOptions::new().append(true).open(file)?.write_all(format!("{start}{line}\n").as_bytes())
}

/// The highest uid of people that no line has; the account has it.
fn free_uid(passwd: &str) -> Option<u32> {
    let taken: BTreeSet<u32> =
        passwd.lines().filter_map(|line| line.split(':').nth(2)?.parse().ok()).collect();
    PEOPLE.rev().find(|uid| !taken.contains(uid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_has_a_uid_of_people_that_no_other_has() {
        assert_eq!(free_uid(""), Some(59_999));
        assert_eq!(free_uid("a:x:59999:1::/:\nb:x:59998:1::/:\n"), Some(59_997));
        let all: String = PEOPLE.map(|uid| format!("u:x:{uid}:1::/:\n")).collect();
        assert_eq!(free_uid(&all), None);
    }
}
