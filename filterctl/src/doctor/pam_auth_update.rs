//! What `pam-auth-update` of Debian would do: it writes nothing, and reports success, where it does not know
//! the profile, or where a line of its files is not one that it wrote.

use std::{fs, path::Path};

use crate::host::text_file::read_lossy;

/// The types of its files; each has a file of what was written.
const TYPES: [&str; 5] = ["auth", "account", "password", "session", "session-noninteractive"];

/// The comments around the lines that it writes (`diff_profiles` in pam-auth-update).
const MARKS: [&str; 4] = [
    "# here are the per-package modules (the \"Primary\" block)",
    "# here's the fallback if no module succeeds",
    "# and here are more per-package modules (the \"Additional\" block)",
    "# end of pam-auth-update config",
];

/// True if `pam-auth-update --enable PROFILE` would put the lines of the profile into the stacks.
pub(super) fn enables(root: &Path, profile: &str) -> bool {
    root.join("usr/sbin/pam-auth-update").exists()
        && root.join("usr/share/pam-configs").join(profile).exists()
        && TYPES.iter().all(|kind| is_as_written(root, kind).unwrap_or(false))
}

/// True if every line between the marks was written; lines may be missing, and options may differ. None if a
/// file cannot be read or lacks the marks.
fn is_as_written(root: &Path, kind: &str) -> Option<bool> {
    let saved = fs::read_to_string(root.join("var/lib/pam").join(kind)).ok()?;
    let mut saved = saved.lines().filter(|line| !line.starts_with("Module: "));
    let current = read_lossy(root, &root.join("etc/pam.d").join(format!("common-{kind}"))).ok()?;
    let word = kind.trim_end_matches("-noninteractive");
    let mut passed = 0_usize;
    for line in current.lines() {
        if MARKS.get(passed).is_some_and(|mark| line.starts_with(mark)) {
            passed = passed.saturating_add(1);
        } else if passed == 1 || passed == 3 {
            let own = module_of(line.strip_prefix(word).unwrap_or(line));
            if !saved.any(|written| module_of(written) == own) {
                return Some(false);
            }
        }
    }
    (passed == MARKS.len()).then_some(true)
}

/// Control and module of a line, without the places to which the control jumps.
fn module_of(line: &str) -> String {
    let line = line.trim_start();
    let (control, rest) =
        line.split_once(']').unwrap_or_else(|| line.split_once(char::is_whitespace).unwrap_or((line, "")));
    let control = control.replace("end", "");
    let control = control.chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace());
    control.chain([' ']).chain(rest.split_whitespace().next().unwrap_or_default().chars()).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const PASSWORD: &str = "# a comment\n# here are the per-package modules (the \"Primary\" block)\n\
        password\t[success=1 default=ignore]\tpam_unix.so obscure yescrypt\n\
        # here's the fallback if no module succeeds\npassword\trequisite\tpam_deny.so\n\
        # and here are more per-package modules (the \"Additional\" block)\n\
        # end of pam-auth-update config\n";

    /// A system on which `pam-auth-update` wrote the stacks, with this profile.
    pub(in crate::doctor) fn system(profile: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("usr/sbin/pam-auth-update", "");
        write(&format!("usr/share/pam-configs/{profile}"), "");
        for kind in TYPES {
            let word = kind.trim_end_matches("-noninteractive");
            write(&format!("etc/pam.d/common-{kind}"), &PASSWORD.replace("password\t", &format!("{word}\t")));
            let saved = "Module: unix\n[success=end default=ignore]\tpam_unix.so obscure yescrypt\n";
            write(&format!("var/lib/pam/{kind}"), saved);
        }
        root
    }

    #[test]
    fn a_profile_is_enabled_where_it_is_known_and_the_stacks_are_as_written() {
        let root = system("nearmiss");
        assert!(enables(root.path(), "nearmiss") && !enables(root.path(), "nearmiss-failed"));
        let file = root.path().join("etc/pam.d/common-password");
        let unix = "password\t[success=1 default=ignore]\tpam_unix.so obscure yescrypt\n";
        for (text, is_as_written) in [
            (PASSWORD.replace("success=1", "success=2").replace(" obscure", ""), true),
            (PASSWORD.replace(unix, ""), true),
            // Behind the block, whose lines alone are written.
            (format!("{PASSWORD}password optional pam_x.so\n"), true),
            (PASSWORD.replace(unix, &format!("password requisite pam_pwquality.so\n{unix}")), false),
            (PASSWORD.replace("[success=1 default=ignore]", "requisite"), false),
            (PASSWORD.replace(MARKS[3], ""), false),
            (String::new(), false),
        ] {
            fs::write(&file, &text).unwrap();
            assert_eq!(enables(root.path(), "nearmiss"), is_as_written, "{text}");
        }
        fs::write(&file, PASSWORD).unwrap();
        fs::remove_file(root.path().join("var/lib/pam/session")).unwrap();
        assert!(!enables(root.path(), "nearmiss"));
    }
}
