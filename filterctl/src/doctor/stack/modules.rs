//! The modules that the lines name: each is loaded, as libpam loads it, in a process of its own.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};

use super::{CHECK, misspelt};
use crate::{
    doctor::{
        child::{self, Failed, LoadedModule},
        remedy,
    },
    host::{
        pam_module,
        pam_stack::{MODULE, StackEntry},
    },
};

/// The folders in which libpam looks for modules, by distribution; multiarch folders are added.
const FOLDERS: [&str; 4] = ["usr/lib64/security", "lib64/security", "usr/lib/security", "lib/security"];

/// Modules that every Linux-PAM has: the folder that has one of them is libpam's.
const OF_LIBPAM: [&str; 2] = ["pam_permit.so", "pam_unix.so"];

/// True for a module that sets a local password.
pub(super) fn can_set(line: &StackEntry) -> bool {
    line.name() == "pam_unix.so"
}

/// True for a module of this system that is there.
pub(super) fn is_installed(line: &StackEntry) -> bool {
    let root = Path::new("/");
    place(root, folder_of_libpam(root).as_deref(), Path::new(&line.module)).is_some_and(|file| file.exists())
}

/// What knows whether the module of a line is not there, below this root; where no folder of libpam is known,
/// only of a module with its path.
pub(in crate::doctor) fn absent(root: &Path) -> impl Fn(&StackEntry) -> bool {
    let folder = folder_of_libpam(root);
    move |line| place(root, folder.as_deref(), Path::new(&line.module)).is_some_and(|file| !file.exists())
}

/// Loads every module of a stack once. A stack that needs one that cannot be loaded lets nobody change a
/// password.
pub(super) fn examine(root: &Path, lines: &[StackEntry]) -> Vec<Finding> {
    let folder = folder_of_libpam(root);
    let mut seen: Vec<&str> = Vec::new();
    let mut findings = Vec::new();
    for line in lines {
        if seen.contains(&line.module.as_str()) {
            continue;
        }
        seen.push(&line.module);
        let file = place(root, folder.as_deref(), Path::new(&line.module));
        findings.extend(examine_one(root, line, file.as_deref()));
    }
    findings
}

/// True if the module that a line names can be used: what the findings say of it.
pub(crate) fn is_usable(root: &Path, line: &StackEntry) -> bool {
    let file = place(root, folder_of_libpam(root).as_deref(), Path::new(&line.module));
    file.is_some_and(|file| file.exists() && fault(root, line, &file).is_none())
}

fn examine_one(root: &Path, line: &StackEntry, file: Option<&Path>) -> Option<Finding> {
    let Some(file) = file.filter(|file| file.exists()) else {
        return missing(root, line, file);
    };
    let fault = fault(root, line, file)?;
    // A module that is there, but not for passwords, is none to reinstall, unless it has the check's name.
    let is_other = fault.is_other && !line.is_ours();
    let fix = if is_other { remedy::edit(line) } else { reinstall(root, file) };
    let (state, meaning) = meaning(line);
    let message = format!("{}: {}; {meaning}", file.display(), fault.words);
    Some(Finding::new(keys::PAM_MODULE, CHECK, state, message).fix(fix))
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
fn missing(root: &Path, line: &StackEntry, file: Option<&Path>) -> Option<Finding> {
    if line.is_silent && !line.is_ours() {
        return None;
    }
    let (state, meaning) = if line.is_silent {
        (State::Wrong, "its line begins with '-', so that libpam passes over it: passwords are not checked")
    } else {
        meaning(line)
    };
    // A package manager knows a file by its whole path alone.
    let file = file.unwrap_or(Path::new(&line.module));
    let message = format!("{}: {}: is not installed; {meaning}", line.place(), file.display());
    let fix = match line {
        line if line.is_ours() => reinstall(root, file),
        line if misspelt::is_so(line) => misspelt::correction(line),
        line => remedy::edit(line),
    };
    Some(Finding::new(keys::PAM_MODULE, CHECK, state, message).fix(fix))
}

/// The effect of a line whose module cannot be used. A line that is passed over then is one that somebody
/// wanted, and without the one that sets local passwords none is set.
fn meaning(line: &StackEntry) -> (State, &'static str) {
    let is_ignored = ["optional", "sufficient"].contains(&line.control.as_str())
        || line.control.contains("default=ignore");
    if !is_ignored || line.name() == "pam_unix.so" {
        return (State::Wrong, "nobody can change a password");
    }
    (if line.is_ours() { State::Wrong } else { State::Warning }, "the line does nothing")
}

/// The command that brings a module back.
fn reinstall(root: &Path, module: &Path) -> String {
    let name = module.file_name().unwrap_or_default();
    let package = if name == MODULE { "libpam-nearmiss" } else { "libpam-modules" };
    if root.join("usr/bin/apt-get").exists() {
        let package = package_of(root, name).unwrap_or_else(|| package.to_owned());
        return format!("apt-get install --reinstall {package}");
    }
    if root.join("usr/bin/dnf").exists() {
        return remedy::on_files("dnf reinstall", [module]);
    }
    remedy::on_files("ls -lL", [module])
}

/// The package of Debian that has a module, by the lists of dpkg.
fn package_of(root: &Path, module: &OsStr) -> Option<String> {
    let file = format!("/security/{}", module.to_str()?);
    let has = |list: &Path| {
        let is_list = list.extension().is_some_and(|end| end == "list");
        is_list && fs::read_to_string(list).is_ok_and(|text| text.lines().any(|line| line.ends_with(&file)))
    };
    let mut lists = fs::read_dir(root.join("var/lib/dpkg/info")).ok()?.flatten().map(|entry| entry.path());
    let list = lists.find(|list| has(list))?;
    let package = list.file_stem()?.to_str()?.split(':').next()?;
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "+.-".contains(character);
    package.chars().all(is_plain).then(|| package.to_owned())
}

/// The folder that libpam of this system looks into.
fn folder_of_libpam(root: &Path) -> Option<PathBuf> {
    let multiarch = fs::read_dir(root.join("usr/lib")).into_iter().flatten().flatten();
    let multiarch = multiarch.map(|entry| entry.path().join("security"));
    let folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).chain(multiarch).collect();
    let has = |folder: &&PathBuf| OF_LIBPAM.iter().any(|module| folder.join(module).exists());
    folders.iter().find(has).or_else(|| folders.iter().find(|folder| folder.exists())).cloned()
}

/// The path of a module that a line names.
fn place(root: &Path, folder: Option<&Path>, named: &Path) -> Option<PathBuf> {
    match named.strip_prefix("/") {
        Ok(below) => Some(root.join(below)),
        Err(_) => Some(folder?.join(named)),
    }
}

#[cfg(test)]
mod tests {
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
    fn a_missing_module_comes_back_by_the_systems_own_package_manager() {
        for (program, ours) in [
            ("usr/bin/apt-get", "apt-get install --reinstall libpam-nearmiss"),
            ("usr/bin/dnf", "dnf reinstall ROOT/usr/lib64/security/pam_nearmiss.so"),
            ("usr/bin/pacman", "ls -lL ROOT/usr/lib64/security/pam_nearmiss.so"),
        ] {
            let root = system(program);
            let fix = |line: &str| findings(root.path(), line).remove(0).fix.unwrap();
            let ours = ours.replace("ROOT", root.path().to_str().unwrap());
            assert_eq!(fix("password requisite pam_nearmiss.so retry=3"), ours);
            assert_eq!(fix("password required pam_krb5.so"), "vi +2 /etc/pam.d/passwd");
        }
        let root = system("usr/bin/apt-get");
        let other = root.path().join("usr/lib64/security/pam_unix.so");
        assert_eq!(reinstall(root.path(), &other), "apt-get install --reinstall libpam-modules");
        let info = root.path().join("var/lib/dpkg/info");
        fs::create_dir_all(&info).unwrap();
        let list = "/.\n/lib/x86_64-linux-gnu/security/pam_pwquality.so\n";
        fs::write(info.join("libpam-pwquality:amd64.list"), list).unwrap();
        fs::write(info.join("libpam-pwquality.postinst"), "").unwrap();
        let quality = other.with_file_name("pam_pwquality.so");
        assert_eq!(reinstall(root.path(), &quality), "apt-get install --reinstall libpam-pwquality");
        assert_eq!(reinstall(root.path(), &other), "apt-get install --reinstall libpam-modules");
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
