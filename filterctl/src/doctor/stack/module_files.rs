//! Where the modules of a system are, and which package has them.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    doctor::remedy,
    host::{
        pam_stack::{MODULE, StackEntry},
        shell::in_root,
    },
};

/// The folders in which libpam looks for modules, by distribution; multiarch folders are added.
const FOLDERS: [&str; 4] = ["usr/lib64/security", "lib64/security", "usr/lib/security", "lib/security"];

/// The folders of multiarch folders; the second one is another folder where `/usr` is not merged.
const MULTIARCH: [&str; 2] = ["usr/lib", "lib"];

/// Modules that every Linux-PAM has: the folder that has one of them is libpam's.
const OF_LIBPAM: [&str; 2] = ["pam_permit.so", "pam_unix.so"];

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

/// The folder that libpam of this system looks into.
pub(super) fn folder_of_libpam(root: &Path) -> Option<PathBuf> {
    let multiarch = MULTIARCH.iter().flat_map(|folder| fs::read_dir(root.join(folder)));
    let multiarch = multiarch.flatten().flatten().map(|entry| entry.path().join("security"));
    let folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root.join(folder)).chain(multiarch).collect();
    let has = |folder: &&PathBuf| OF_LIBPAM.iter().any(|module| folder.join(module).exists());
    folders.iter().find(has).or_else(|| folders.iter().find(|folder| folder.exists())).cloned()
}

/// The path of a module that a line names.
pub(super) fn place(root: &Path, folder: Option<&Path>, named: &Path) -> Option<PathBuf> {
    match named.strip_prefix("/") {
        Ok(below) => Some(root.join(below)),
        Err(_) => Some(folder?.join(named)),
    }
}

/// The command that brings a module of the system below `root` back, by the package manager of that system:
/// or the one that looks for it.
pub(super) fn reinstall(root: &Path, module: &Path) -> String {
    let name = module.file_name().unwrap_or_default();
    let package = if name == MODULE { "libpam-nearmiss" } else { "libpam-modules" };
    if root.join("usr/bin/apt-get").exists() {
        let package = package_of(root, name).unwrap_or_else(|| package.to_owned());
        return in_root(root, &format!("apt-get install --reinstall {package}"));
    }
    if root.join("usr/bin/dnf").exists() {
        return in_root(root, &remedy::on_files("dnf reinstall", [inside(root, module).as_path()]));
    }
    if module.is_absolute() {
        return remedy::on_files("ls -lL", [module]);
    }
    remedy::on_files("find", [root]) + &remedy::on_files(" -xdev -name", [Path::new(name)])
}

/// The path of a module within its system: a package manager knows a file by its whole path alone.
fn inside(root: &Path, module: &Path) -> PathBuf {
    let below = module.strip_prefix(root).map(Path::to_owned);
    let below = below.unwrap_or_else(|_| Path::new(FOLDERS[0]).join(module.file_name().unwrap_or_default()));
    Path::new("/").join(below)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A system with these files.
    fn system(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            fs::create_dir_all(root.path().join(file).parent().unwrap()).unwrap();
            fs::write(root.path().join(file), "").unwrap();
        }
        root
    }

    /// The running system is not the one that lacks a module.
    #[test]
    fn a_missing_module_comes_back_by_the_package_manager_of_its_system() {
        for (program, at_place, nowhere) in [
            (
                "usr/bin/apt-get",
                "chroot ROOT apt-get install --reinstall libpam-nearmiss",
                "chroot ROOT apt-get install --reinstall libpam-nearmiss",
            ),
            (
                "usr/bin/dnf",
                "chroot ROOT dnf reinstall /usr/lib/security/pam_nearmiss.so",
                "chroot ROOT dnf reinstall /usr/lib64/security/pam_nearmiss.so",
            ),
            (
                "usr/bin/pacman",
                "ls -lL ROOT/usr/lib/security/pam_nearmiss.so",
                "find ROOT -xdev -name pam_nearmiss.so",
            ),
        ] {
            let root = system(&[program]);
            let named = |text: &str| text.replace("ROOT", root.path().to_str().unwrap());
            let module = root.path().join("usr/lib/security").join(MODULE);
            assert_eq!(reinstall(root.path(), &module), named(at_place));
            assert_eq!(reinstall(root.path(), Path::new(MODULE)), named(nowhere));
        }
    }

    #[test]
    fn a_module_of_another_package_comes_back_with_that() {
        let root = system(&["usr/bin/apt-get", "var/lib/dpkg/info/libpam-pwquality.postinst"]);
        let command =
            |package: &str| format!("chroot {} apt-get install --reinstall {package}", root.path().display());
        let other = root.path().join("usr/lib64/security/pam_unix.so");
        assert_eq!(reinstall(root.path(), &other), command("libpam-modules"));
        let list = "/.\n/lib/x86_64-linux-gnu/security/pam_pwquality.so\n";
        fs::write(root.path().join("var/lib/dpkg/info/libpam-pwquality:amd64.list"), list).unwrap();
        let quality = other.with_file_name("pam_pwquality.so");
        assert_eq!(reinstall(root.path(), &quality), command("libpam-pwquality"));
        assert_eq!(reinstall(root.path(), &other), command("libpam-modules"));
    }

    #[test]
    fn the_folder_of_libpam_is_found_with_and_without_a_merged_usr() {
        for folder in ["usr/lib64", "lib", "usr/lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"] {
            let root = system(&[&format!("{folder}/security/pam_unix.so"), "usr/lib/os-release"]);
            let expected = root.path().join(folder).join("security");
            assert_eq!(folder_of_libpam(root.path()), Some(expected), "{folder}");
        }
        assert_eq!(folder_of_libpam(system(&[]).path()), None);
    }
}
