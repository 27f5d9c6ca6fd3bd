//! A copy of a stack that sets nothing: the lines that ask and check, and `pam_permit` in the place of all
//! others.

use std::{
    fs::{self, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::Path,
};

use nearmiss_filters::text::system_reason;
use tempfile::TempDir;

use crate::host::pam_stack::StackEntry;

/// Folders for it: in memory, if possible. No variable of the environment names one.
const PLACES: [&str; 3] = ["/run", "/tmp", "/var/tmp"];

/// The service.
const SERVICE: &str = "nearmiss-doctor";

/// Modules that ask or judge and write nothing.
const HARMLESS: [&str; 6] =
    ["pam_cracklib.so", "pam_deny.so", "pam_passwdqc.so", "pam_permit.so", "pam_pwquality.so", "pam_warn.so"];

/// The copy; it is gone when this is dropped.
pub(super) struct Replica {
    folder: TempDir,
}

impl Replica {
    /// Copies these lines. `conf` is another configuration for the module's lines.
    ///
    /// # Errors
    /// Why no file can be written.
    pub(super) fn new(lines: &[StackEntry], conf: Option<&Path>) -> Result<Replica, String> {
        Replica::try_new(lines, conf).map_err(|error| system_reason(&error))
    }

    fn try_new(lines: &[StackEntry], conf: Option<&Path>) -> io::Result<Replica> {
        let new = |place: &str| {
            let mut builder = tempfile::Builder::new();
            builder.prefix(".nearmiss-doctor-").permissions(Permissions::from_mode(0o700)).tempdir_in(place)
        };
        let mut tried = PLACES.iter().map(|place| new(place));
        let folder = tried.find(Result::is_ok).unwrap_or_else(|| new("/run"))?;
        fs::write(folder.path().join(SERVICE), text(lines, conf))?;
        // What libpam falls back on for the other kinds of lines.
        fs::write(folder.path().join("other"), "password required pam_deny.so\n")?;
        Ok(Replica { folder })
    }

    /// The folder that has the service.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The lines of the copy, one for one, so that jumps land where they did.
fn text(lines: &[StackEntry], conf: Option<&Path>) -> String {
    let at = lines.iter().position(StackEntry::is_checking).unwrap_or(lines.len());
    lines.iter().enumerate().map(|(number, line)| copied(line, number > at, conf)).collect()
}

/// A line that checks or asks stays as it is. What sets passwords ahead of the check is taken for one that
/// knows nothing of the user and so lets the stack go on; what stands behind it, for one that succeeds.
fn copied(line: &StackEntry, is_behind: bool, conf: Option<&Path>) -> String {
    let dash = if line.is_silent { "-" } else { "" };
    if line.is_checking() || HARMLESS.contains(&line.name()) {
        let mut text = format!("{dash}password {} {}", line.control, line.module);
        for argument in &line.arguments {
            text.push(' ');
            text.push_str(&bracketed(argument));
        }
        if let Some(conf) = conf.filter(|_| line.is_checking()) {
            text.push(' ');
            text.push_str(&bracketed(&format!("conf={}", conf.display())));
        }
        return text + "\n";
    }
    let control = if is_behind { &line.control } else { "optional" };
    format!("password {control} pam_permit.so\n")
}

/// An argument as a line has it.
fn bracketed(argument: &str) -> String {
    let is_plain =
        !argument.is_empty() && !argument.contains(char::is_whitespace) && !argument.starts_with('[');
    if is_plain { argument.to_owned() } else { format!("[{}]", argument.replace(']', "\\]")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(stack: &str, conf: Option<&str>) -> String {
        let lines: Vec<StackEntry> = stack.lines().filter_map(StackEntry::parse).collect();
        text(&lines, conf.map(Path::new))
    }

    #[test]
    fn what_sets_or_counts_becomes_permit_and_jumps_stay() {
        let stack = "password [success=3 default=ignore] pam_krb5.so\n\
                     password requisite pam_pwquality.so retry=3\n\
                     password requisite pam_nearmiss.so use_authtok [conf=/a b]\n\
                     password [success=1 default=ignore] pam_unix.so obscure use_authtok\n\
                     password requisite pam_deny.so\n\
                     password required pam_permit.so\n\
                     password optional pam_nearmiss.so record\n\
                     -password optional pam_gnome_keyring.so\n";
        let wanted = "password optional pam_permit.so\n\
                      password requisite pam_pwquality.so retry=3\n\
                      password requisite pam_nearmiss.so use_authtok [conf=/a b]\n\
                      password [success=1 default=ignore] pam_permit.so\n\
                      password requisite pam_deny.so\n\
                      password required pam_permit.so\n\
                      password optional pam_permit.so\n\
                      password optional pam_permit.so\n";
        assert_eq!(copy(stack, None), wanted);
        let one = copy("password requisite pam_nearmiss.so retry=3\n", Some("/c"));
        assert_eq!(one, "password requisite pam_nearmiss.so retry=3 conf=/c\n");
    }

    #[test]
    fn it_is_roots_alone_and_leaves_nothing() {
        let copy = Replica::new(&[], None).unwrap();
        let folder = copy.folder().to_owned();
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o7777, 0o700);
        assert!(folder.join(SERVICE).is_file() && folder.join("other").is_file());
        drop(copy);
        assert!(!folder.exists());
    }
}
