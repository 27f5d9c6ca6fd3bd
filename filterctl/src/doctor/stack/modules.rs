//! The modules that the lines name: each is loaded, as libpam loads it, in a process of its own.

use std::{ffi::OsStr, path::Path};

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};

use super::{
    CHECK, misspelt,
    module_files::{folder_of_libpam, place, reinstall},
};
use crate::{
    doctor::{
        child::{self, Failed, LoadedModule},
        remedy,
    },
    host::{pam_module, pam_stack::StackEntry},
};

/// True for a module that sets a local password.
pub(super) fn can_set(line: &StackEntry) -> bool {
    line.name() == "pam_unix.so"
}

/// A module that cannot be used, or is not there.
struct Unusable {
    state: State,
    message: String,
    /// What makes it usable; none if the line has to be edited.
    command: Option<String>,
}

/// Loads every module of a stack once. A stack that needs one that cannot be loaded lets nobody change a
/// password.
pub(super) fn examine(root: &Path, lines: &[StackEntry]) -> Vec<Finding> {
    let found = unusable(root, lines).map(|(line, module)| {
        let fix = module.command.unwrap_or_else(|| remedy::edit(line));
        Finding::new(keys::PAM_MODULE, CHECK, module.state, module.message).fix(fix)
    });
    found.collect()
}

/// The command for the first module without which nobody can change a password; none if the lines have to
/// be edited.
pub(super) fn brought_back(root: &Path, lines: &[StackEntry]) -> Option<String> {
    let mut wrong = unusable(root, lines).filter(|(_, module)| module.state == State::Wrong);
    wrong.find_map(|(_, module)| module.command)
}

/// The modules that cannot be used, each with the first line that names it.
fn unusable<'l>(root: &Path, lines: &'l [StackEntry]) -> impl Iterator<Item = (&'l StackEntry, Unusable)> {
    let folder = folder_of_libpam(root);
    let mut seen: Vec<&str> = Vec::new();
    let first = lines.iter().filter(move |line| {
        let is_first = !seen.contains(&line.module.as_str());
        seen.push(&line.module);
        is_first
    });
    first.filter_map(move |line| {
        let file = place(root, folder.as_deref(), Path::new(&line.module));
        Some((line, examine_one(root, line, file.as_deref())?))
    })
}

/// True if the module that a line names can be used: what the findings say of it.
pub(crate) fn is_usable(root: &Path, line: &StackEntry) -> bool {
    let file = place(root, folder_of_libpam(root).as_deref(), Path::new(&line.module));
    file.is_some_and(|file| file.exists() && fault(root, line, &file).is_none())
}

fn examine_one(root: &Path, line: &StackEntry, file: Option<&Path>) -> Option<Unusable> {
    let Some(file) = file.filter(|file| file.exists()) else {
        return missing(root, line, file);
    };
    let fault = fault(root, line, file)?;
    // A module that is there, but not for passwords, is none to reinstall, unless it has the check's name.
    let is_other = fault.is_other && !line.is_ours();
    let command = (!is_other).then(|| reinstall(root, file));
    let (state, meaning) = meaning(line);
    let message = format!("{}: {}; {meaning}", file.display(), fault.words);
    Some(Unusable { state, message, command })
}

/// Why a module cannot be used.
struct Fault {
    words: String,
    /// True for one that can be loaded, and is no module for passwords.
    is_other: bool,
}

/// The fault of a module that is there; none if it can be used. Of another system nothing can be loaded:
/// there the file of the check is read, and no other.
fn fault(root: &Path, line: &StackEntry, file: &Path) -> Option<Fault> {
    let is_broken = || line.is_ours() && !pam_module::is_complete(file);
    let incomplete = || {
        let words = "is damaged: it is no complete shared object".to_owned();
        is_broken().then_some(Fault { words, is_other: false })
    };
    if root != Path::new("/") {
        return incomplete();
    }
    let words = match child::ask::<LoadedModule>(&[OsStr::new("load"), file.as_os_str()], "", child::ONE) {
        Ok(LoadedModule { error: None, sets_passwords: true }) => return None,
        // What could not be tried is said with the change.
        Err(Failed::NotStarted(_)) => return incomplete(),
        Ok(LoadedModule { error: None, .. }) => {
            let words = "has no pam_sm_chauthtok: it is no module for passwords".to_owned();
            return Some(Fault { words, is_other: true });
        }
        Ok(LoadedModule { error: Some(error), .. }) => format!("cannot be loaded: {error}"),
        Err(Failed::Ended(ended)) => format!("a process that loads it {ended}"),
    };
    Some(Fault { words, is_other: false })
}

/// A module that is not there: nothing where the line says that this is no matter, unless it is the check.
fn missing(root: &Path, line: &StackEntry, file: Option<&Path>) -> Option<Unusable> {
    if line.is_silent && !line.is_ours() {
        return None;
    }
    let (state, meaning) = if line.is_silent {
        (State::Wrong, "its line begins with '-', so that libpam passes over it: passwords are not checked")
    } else {
        meaning(line)
    };
    let file = file.unwrap_or(Path::new(&line.module));
    let message = format!("{}: {}: is not installed; {meaning}", line.place(), file.display());
    let command = if line.is_ours() || can_set(line) {
        Some(reinstall(root, file))
    } else {
        misspelt::is_so(line).then(|| misspelt::correction(line))
    };
    Some(Unusable { state, message, command })
}

/// The effect of a line whose module cannot be used. A line that is passed over then is one that somebody
/// wanted, and without the one that sets local passwords none is set.
pub(super) fn meaning(line: &StackEntry) -> (State, &'static str) {
    let is_ignored = ["optional", "sufficient"].contains(&line.control.as_str())
        || line.control.contains("default=ignore");
    if !is_ignored || line.name() == "pam_unix.so" {
        return (State::Wrong, "nobody can change a password");
    }
    (if line.is_ours() { State::Wrong } else { State::Warning }, "the line does nothing")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::host::pam_module::tests::object;

    const FOLDER: &str = "usr/lib64/security";

    /// A system that has this program, and one module.
    fn system(program: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in [program, &format!("{FOLDER}/pam_permit.so")] {
            fs::create_dir_all(root.path().join(file).parent().unwrap()).unwrap();
            fs::write(root.path().join(file), "").unwrap();
        }
        root
    }

    fn findings(root: &Path, line: &str) -> Vec<Finding> {
        let line = StackEntry::parse(line).unwrap();
        examine(root, &[StackEntry { file: "/etc/pam.d/passwd".into(), number: 2, ..line }])
    }

    #[test]
    fn what_a_missing_module_means_depends_on_its_line() {
        let root = system("usr/bin/apt-get");
        let (nobody, nothing) = ("nobody can change a password", "the line does nothing");
        for (line, state, meaning) in [
            ("requisite pam_nearmiss.so", State::Wrong, nobody),
            ("required pam_krb5.so", State::Wrong, nobody),
            ("sufficient pam_krb5.so", State::Warning, nothing),
            ("[success=2 default=ignore] pam_krb5.so", State::Warning, nothing),
            ("[success=1 default=ignore] pam_unix.so", State::Wrong, nobody),
            ("optional pam_nearmiss.so record", State::Wrong, nothing),
        ] {
            let found = findings(root.path(), &format!("password {line}"));
            assert_eq!((found.len(), found[0].state), (1, state), "{line}: {found:?}");
            assert!(found[0].message.ends_with(&format!("is not installed; {meaning}")), "{found:?}");
        }
        assert!(findings(root.path(), "-password required pam_krb5.so").is_empty());
        assert!(findings(root.path(), "password required pam_permit.so").is_empty());
    }

    /// An edit of the lines is tried instead where no package has the module.
    #[test]
    fn a_module_is_brought_back_by_a_command_and_not_by_an_editor() {
        let root = system("usr/bin/apt-get");
        let unknown = "password required pam_cracklib2.so";
        for (lines, command) in [
            (vec![unknown], None),
            (vec![unknown, "password requisite pam_nearmiss.so"], Some("libpam-nearmiss")),
            (vec![unknown, "password required pam_unix.so use_authtok"], Some("libpam-modules")),
            (vec!["password optional pam_cracklib2.so", "password required pam_permit.so"], None),
        ] {
            let stack: Vec<_> = lines.iter().map(|line| StackEntry::parse(line).unwrap()).collect();
            let found = brought_back(root.path(), &stack);
            assert_eq!(found.is_some(), command.is_some(), "{lines:?}: {found:?}");
            assert!(found.unwrap_or_default().ends_with(command.unwrap_or_default()), "{lines:?}");
        }
    }

    /// One source: what metrics say of a module is what the doctor finds.
    #[test]
    fn a_module_is_usable_where_nothing_is_found_of_it() {
        let root = system("usr/bin/apt-get");
        let line = StackEntry::parse("password requisite pam_nearmiss.so").unwrap();
        let file = root.path().join(FOLDER).join("pam_nearmiss.so");
        let found = || examine(root.path(), std::slice::from_ref(&line));
        assert!(!is_usable(root.path(), &line) && found().len() == 1);
        fs::write(&file, "junk").unwrap();
        assert!(!is_usable(root.path(), &line));
        assert!(found()[0].message.contains("no complete shared object"), "{:?}", found());
        fs::write(&file, object(true, false)).unwrap();
        assert!(is_usable(root.path(), &line) && found().is_empty());
        let other = StackEntry::parse("password required pam_permit.so").unwrap();
        assert!(examine(root.path(), &[other]).is_empty(), "it is not read");
    }

    #[test]
    fn a_misspelt_name_of_the_check_is_told_and_corrected() {
        let root = system("usr/bin/apt-get");
        for name in ["pam_nearmis.so", "pam-nearmiss.so", "/lib/security/pam_nearmiss", "pam_naermiss.so"] {
            let found = findings(root.path(), &format!("password requisite {name} retry=3"));
            let [finding] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!(finding.state, State::Wrong);
            assert!(
                finding.message.ends_with("is not installed; nobody can change a password"),
                "{finding:?}"
            );
            let fix = finding.fix.as_ref().unwrap();
            assert!(fix.starts_with("sed -i -e '2s/") && fix.contains("pam_nearmiss.so"), "{name}: {fix}");
        }
        let other = findings(root.path(), "password requisite pam_winbind.so");
        assert_eq!(other[0].fix.as_deref(), Some("vi +2 /etc/pam.d/passwd"));
    }
}
