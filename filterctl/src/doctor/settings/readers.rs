//! Settings that their readers cannot read: servers that run as members of the filters' group, and the
//! programs of ordinary users with the drop-in for cracklib. A hardened umask of root makes such files.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_policy::config::{self, DEFAULT_PATH, drop_in_folder};

use super::CHECK;
use crate::{
    doctor::{Subject, remedy, servers},
    host::settings_file::SettingsFile,
};

/// The permissions of others on a file that they read, a folder that they pass and one that they list.
const MAY_READ: u32 = 0o004;
const MAY_PASS: u32 = 0o001;
const MAY_LIST: u32 = MAY_READ | MAY_PASS;

/// A warning for each file of the settings, and each folder, that closes the settings to a reader.
pub(super) fn examine(subject: &Subject) -> Vec<Finding> {
    let settings = SettingsFile::below(&subject.root, Path::new(DEFAULT_PATH));
    if subject.has_named_conf && subject.conf != settings.path {
        return Vec::new();
    }
    let Some(readers) = Readers::of(&settings) else { return Vec::new() };
    let warning = |(path, fix): (PathBuf, &str)| {
        let message = format!("{}: {} cannot read the settings", path.display(), readers.shown);
        Finding::warning(keys::SETTINGS_READERS, CHECK, format!("{message}, and reject every password"))
            .fix(remedy::on_files(fix, [path.as_path()]))
    };
    readers.closed(&settings).into_iter().map(warning).collect()
}

/// Who reads the settings besides root.
struct Readers {
    shown: String,
    /// The group whose permissions they have; none if they are any users.
    group: Option<u32>,
}

impl Readers {
    fn of(settings: &SettingsFile) -> Option<Readers> {
        if servers::has_drop_in(&settings.root) {
            return Some(Readers { shown: "programs that use cracklib".to_owned(), group: None });
        }
        let group = super::update(settings).0.group;
        let (number, members) = servers::members(&settings.root, &group)?;
        let shown = format!("servers that run as members of the group {group} ({})", members.join(", "));
        (!members.is_empty()).then_some(Readers { shown, group: Some(number) })
    }

    /// The paths that are closed to them, each with the command that opens it.
    fn closed(&self, settings: &SettingsFile) -> Vec<(PathBuf, &'static str)> {
        let SettingsFile { root, path } = settings;
        let mut files: Vec<PathBuf> =
            config::files_below(root, path).into_iter().flatten().map(|(file, _)| file).collect();
        files.extend(settings.read().ok().and_then(|config| config.forbidden_words_file));
        let drop_ins = drop_in_folder(path);
        let own = |folder: &&Path| folder.starts_with(root) && folder != root;
        let above = files.iter().flat_map(|file| file.ancestors().skip(1).take_while(own));
        let mut folders: Vec<&Path> = above.chain([drop_ins.as_path()]).collect();
        folders.sort_unstable();
        folders.dedup();
        let bits = |folder: &Path| if folder == drop_ins { MAY_LIST } else { MAY_PASS };
        let folders = folders.into_iter().filter(|folder| self.is_closed(folder, bits(folder)));
        let folders = folders.map(|folder| (folder.to_owned(), "chmod 0755"));
        let files = files.iter().filter(|file| self.is_closed(file, MAY_READ));
        folders.chain(files.map(|file| (file.clone(), "chmod 0644"))).collect()
    }

    /// True if they lack these permissions. What is missing closes nothing.
    fn is_closed(&self, path: &Path, bits: u32) -> bool {
        fs::metadata(path).is_ok_and(|found| {
            let bits = if self.group == Some(found.gid()) { bits << 3 } else { bits };
            found.mode() & bits != bits
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::doctor::sample;

    /// A system with the settings of a site, made under the umask 077, and its group of servers.
    fn system(members: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("etc/security/nearmiss.conf.d");
        fs::create_dir_all(&folder).unwrap();
        fs::write(root.path().join("etc/group"), format!("nearmiss:x:117:{members}\n")).unwrap();
        fs::write(root.path().join("etc/words"), "quuxcorp\n").unwrap();
        let words = "[policy]\nforbidden_words_file = \"/etc/words\"\n";
        fs::write(folder.join("50-site.conf"), words).unwrap();
        for (name, mode) in [
            ("etc", 0o755),
            ("etc/security", 0o755),
            ("etc/words", 0o644),
            ("etc/security/nearmiss.conf.d", 0o755),
            ("etc/security/nearmiss.conf.d/50-site.conf", 0o644),
        ] {
            set(root.path(), name, mode);
        }
        root
    }

    fn set(root: &Path, name: &str, mode: u32) {
        fs::set_permissions(root.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn fixes(root: &Path) -> Vec<String> {
        examine(&sample::subject(root)).into_iter().filter_map(|finding| finding.fix).collect()
    }

    #[test]
    fn settings_that_a_server_cannot_read_are_told_with_the_command_that_opens_them() {
        let root = system("openldap");
        assert_eq!(fixes(root.path()), [""; 0]);
        for (name, mode, fix) in [
            ("etc/security/nearmiss.conf.d/50-site.conf", 0o600, "chmod 0644"),
            ("etc/security/nearmiss.conf.d", 0o700, "chmod 0755"),
            ("etc/security/nearmiss.conf.d", 0o711, "chmod 0755"),
            ("etc/security", 0o700, "chmod 0755"),
            ("etc/words", 0o640, "chmod 0644"),
        ] {
            let path = root.path().join(name);
            let before = fs::metadata(&path).unwrap().mode();
            set(root.path(), name, mode);
            assert_eq!(fixes(root.path()), [format!("{fix} {}", path.display())], "{name} {mode:o}");
            set(root.path(), name, before);
        }
        set(root.path(), "etc/security", 0o711);
        assert_eq!(fixes(root.path()), [""; 0], "nobody lists it");
    }

    /// Settings may be kept from other users where root alone reads them, or the group may.
    #[test]
    fn settings_that_no_server_reads_or_its_group_may_are_fine() {
        let name = "etc/security/nearmiss.conf.d/50-site.conf";
        let [nobody, server] = ["", "openldap"].map(system);
        for root in [&nobody, &server] {
            set(root.path(), name, 0o640);
        }
        assert_eq!((fixes(nobody.path()).len(), fixes(server.path()).len()), (0, 1));
        fs::write(nobody.path().join("etc/passwd"), "openldap:x:9:117::/:/bin/false\n").unwrap();
        assert_eq!(fixes(nobody.path()).len(), 1, "it is the account's own group");
        let gid = fs::metadata(server.path().join(name)).unwrap().gid();
        let group = server.path().join("etc/group");
        fs::write(&group, format!("nearmiss:x:{gid}:openldap\n")).unwrap();
        assert_eq!(fixes(server.path()), [""; 0]);
    }

    /// The drop-in for cracklib is in the programs of any user.
    #[test]
    fn settings_that_users_cannot_read_are_told_where_cracklib_is_nearmiss() {
        let root = system("");
        set(root.path(), "etc/security/nearmiss.conf.d/50-site.conf", 0o600);
        assert_eq!(fixes(root.path()), [""; 0]);
        fs::create_dir(root.path().join("etc/ld.so.conf.d")).unwrap();
        fs::write(root.path().join("etc/ld.so.conf.d/00-nearmiss.conf"), "/usr/lib/nearmiss\n").unwrap();
        assert_eq!(fixes(root.path()).len(), 1);
    }
}
