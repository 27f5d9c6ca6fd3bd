//! Modules that may act beyond this machine, or run programs: they are not run in a copy, and what depends
//! on them is not judged.

use super::{edits::Edits, module_files};
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

/// True for a module that is not run unless the command line says so. The program of the packages that
/// expires a password writes files of this machine alone.
pub(super) fn is_outside(line: &StackEntry) -> bool {
    let name = line.name().trim_end_matches(".so").trim_start_matches("pam_");
    !LOCAL.contains(&name) && !line.runs_helper()
}

/// The lines of such modules that are installed; libpam itself judges one that is missing.
pub(super) fn lines(lines: &[StackEntry]) -> Vec<&StackEntry> {
    lines.iter().filter(|line| is_outside(line) && module_files::is_installed(line)).collect()
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
    let names = lines.iter().map(|line| format!("{} ({})", line.name(), line.place()));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_run(module: &str) -> bool {
        !is_outside(&StackEntry::parse(&format!("password required {module}")).unwrap())
    }

    #[test]
    fn what_is_not_known_to_stay_in_files_is_outside() {
        for outside in ["exec", "script", "python", "ldap", "krb5", "sss", "winbind", "own"] {
            assert!(!is_run(&format!("pam_{outside}.so")), "{outside}");
        }
        assert!(!is_run("/lib/security/pam_exec.so") && is_run("/lib/security/pam_pwhistory.so"));
        assert!(is_run("pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire"));
        assert!(!is_run("pam_exec.so quiet /usr/libexec/nearmiss/expire2"));
        assert!(LOCAL.is_sorted());
    }

    #[test]
    fn modules_of_this_machine_are_run() {
        let modules = "unix pwhistory pwquality cracklib passwdqc localuser succeed_if listfile access time \
                       faillock limits deny permit warn echo env umask nologin wheel rootok keyinit \
                       systemd_home gnome_keyring nearmiss";
        for module in modules.split_whitespace() {
            assert!(is_run(&format!("pam_{module}.so")), "{module}");
        }
    }
}
