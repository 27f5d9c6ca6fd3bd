//! Modules that may act beyond this machine, or run programs: they are not run in a copy, and what depends
//! on them is not judged.

use super::{
    edits::{self, Edits},
    modules,
};
use crate::host::pam_stack::StackEntry;

/// Modules whose effects stay in the files of this machine: by the sources of Linux-PAM, libpwquality,
/// passwdqc, systemd, gnome-keyring, `KWallet` and `eCryptfs`.
const LOCAL: [&str; 53] = [
    "access",
    "cap",
    "cracklib",
    "debug",
    "deny",
    "echo",
    "ecryptfs",
    "env",
    "faildelay",
    "faillock",
    "fscrypt",
    "gnome_keyring",
    "group",
    "issue",
    "keyinit",
    "kwallet",
    "kwallet5",
    "lastlog",
    "lastlog2",
    "limits",
    "listfile",
    "localuser",
    "loginuid",
    "mail",
    "mkhomedir",
    "motd",
    "namespace",
    "nearmiss",
    "nologin",
    "passwdqc",
    "permit",
    "pwhistory",
    "pwquality",
    "rootok",
    "securetty",
    "selinux",
    "sepermit",
    "setquota",
    "shells",
    "succeed_if",
    "systemd",
    "systemd_home",
    "systemd_loadkey",
    "tally",
    "tally2",
    "time",
    "timestamp",
    "tty_audit",
    "umask",
    "unix",
    "usertype",
    "warn",
    "wheel",
];

/// The replies of a module that is not run: one that does not know the account, and one that succeeds.
pub(super) const REPLIES: [&str; 2] = ["user_unknown", "success"];

/// True for a module that is not run unless the command line says so.
pub(super) fn is_outside(line: &StackEntry) -> bool {
    let name = line.name().trim_end_matches(".so").trim_start_matches("pam_");
    !LOCAL.contains(&name)
}

/// The lines of such modules that are installed; libpam itself judges one that is missing.
pub(super) fn lines(lines: &[StackEntry]) -> Vec<&StackEntry> {
    lines.iter().filter(|line| is_outside(line) && modules::is_installed(line)).collect()
}

/// The lines with `pam_debug` in place of the module, which returns a reply (`pam_debug(8)`).
pub(super) fn stand_ins(lines: &[&StackEntry], reply: &str) -> Edits {
    lines.iter().fold(Edits::default(), |edits, line| {
        let dash = if line.is_silent { "-" } else { "" };
        let text =
            format!("{dash}password {} pam_debug.so prechauthtok={reply} chauthtok={reply}", line.control);
        edits.replace(line, &text)
    })
}

/// Their names with their places, for a message.
pub(super) fn names(lines: &[&StackEntry]) -> String {
    let names = lines.iter().map(|line| format!("{} ({})", line.name(), edits::short_place(line)));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_to_stay_in_files_is_outside() {
        let is =
            |module: &str| is_outside(&StackEntry::parse(&format!("password required {module}")).unwrap());
        assert!(
            ["pam_exec.so", "pam_sss.so", "pam_script.so", "pam_python.so", "pam_own.so"]
                .iter()
                .all(|one| is(one))
        );
        assert!(
            !["pam_unix.so", "/lib/security/pam_pwhistory.so", "pam_nearmiss.so"].iter().any(|one| is(one))
        );
        assert!(LOCAL.is_sorted());
    }
}
