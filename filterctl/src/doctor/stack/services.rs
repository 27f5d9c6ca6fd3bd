//! The services that can change a password: their stack reaches a module that sets one. Services with the
//! same lines are one group, which is examined once.

use std::{collections::BTreeSet, fs, path::Path};

use super::{modules::can_set, outside::is_outside};
use crate::{
    doctor::{copy::Actor, names::shortened},
    host::{
        left_behind::is_left_behind,
        pam_stack::{self, Stack},
        text_file::is_file_below,
    },
};

/// Services of programs that answer every prompt with the new password.
const BATCH: [&str; 3] = ["chpasswd", "newusers", "chgpasswd"];

/// The service of the program that a user changes the own password with.
const PASSWD: &str = "passwd";

/// Services with the same lines.
pub(super) struct ServiceGroup {
    /// Their names; the first one is the one that the examination is about, if it is among them.
    pub(super) names: Vec<String>,
    /// Their lines.
    pub(super) stack: Stack,
}

impl ServiceGroup {
    /// The names, shortened where there are many.
    pub(super) fn shown(&self) -> String {
        shortened(&self.names)
    }

    /// The changes that these services make: by each actor, through one of them.
    pub(super) fn actors(&self) -> Vec<(Actor, &str)> {
        let find =
            |is_one: &dyn Fn(&str) -> bool| self.names.iter().map(String::as_str).find(|name| is_one(name));
        let passwd = find(&|name| name == PASSWD);
        let batch = find(&|name| BATCH.contains(&name));
        let login = find(&|name| name != PASSWD && !BATCH.contains(&name));
        let mut actors = Vec::new();
        actors.extend(passwd.map(|name| (Actor::User, name)));
        actors.extend(login.map(|name| (Actor::Login, name)));
        actors.extend(passwd.map(|name| (Actor::Root, name)));
        actors.extend(batch.map(|name| (Actor::Batch, name)));
        actors
    }
}

/// The groups of a system; that of `first` comes first, also if it sets nothing.
pub(super) fn groups(root: &Path, first: &str) -> Vec<ServiceGroup> {
    let services = names(root).into_iter().filter(|name| name != first);
    let included: Vec<String> = names(root)
        .iter()
        .flat_map(|name| pam_stack::included(root, name, "password"))
        .filter(|name| name != PASSWD)
        .collect();
    let services = services.filter(|name| !included.contains(name));
    grouped(root, first, std::iter::once(first.to_owned()).chain(services))
}

/// The groups of every file that may be a service's, also those that others include, and the fallback: an
/// edit may reach each of them.
pub(super) fn readers(root: &Path) -> Vec<ServiceGroup> {
    grouped(root, "", names(root))
}

fn grouped(root: &Path, first: &str, names: impl IntoIterator<Item = String>) -> Vec<ServiceGroup> {
    let mut groups: Vec<ServiceGroup> = Vec::new();
    for name in names {
        let Some(stack) = Stack::of_service(root, &name) else { continue };
        let sets = stack.lines.iter().any(|line| can_set(line) || is_outside(line));
        if !sets && name != first {
            continue;
        }
        match groups.iter_mut().find(|group| group.stack.is_same(&stack)) {
            Some(group) => group.names.push(name),
            None => groups.push(ServiceGroup { names: vec![name], stack }),
        }
    }
    groups
}

/// The names of the files of a system's services, without those that were left behind, and those that libpam
/// never looks up: it writes a service in lower case (`pam_start.c`).
pub(in crate::doctor) fn names(root: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for folder in pam_stack::FOLDERS {
        let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        let files = entries.filter(|entry| is_file_below(root, &entry.path()));
        names.extend(files.filter_map(|entry| entry.file_name().into_string().ok()));
    }
    let is_looked_up =
        |name: &str| !name.starts_with('.') && !name.contains(|c: char| c.is_ascii_uppercase());
    names.retain(|name| !is_left_behind(name) && is_looked_up(name));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("etc/pam.d")).unwrap();
        for (name, text) in files {
            fs::write(root.path().join("etc/pam.d").join(name), text).unwrap();
        }
        root
    }

    #[test]
    fn services_that_set_passwords_are_found_by_their_lines_and_grouped() {
        let common = "password requisite pam_nearmiss.so\npassword required pam_unix.so use_authtok\n";
        let root = system(&[
            ("common-password", common),
            ("common-password.dpkg-old", common),
            ("passwd", "@include common-password\n"),
            ("sshd", "auth required pam_unix.so\n@include common-password\n"),
            ("chpasswd", "password include common-password\n"),
            ("sudo", "auth required pam_unix.so\n"),
            ("polkit", "password required pam_deny.so\n"),
            ("Foo", "password required pam_unix.so\n"),
            ("su", "password required pam_unix.so\n"),
            // A service of its own, though another includes its account lines.
            ("usermin", "account required pam_unix.so\npassword required pam_unix.so\n"),
            ("web", "account include usermin\npassword required pam_ldap.so\n"),
            // That of every service without a file.
            ("other", "password required pam_unix.so\n"),
        ]);
        let groups = groups(root.path(), "passwd");
        let names: Vec<String> = groups.iter().map(ServiceGroup::shown).collect();
        assert_eq!(names, ["passwd, chpasswd, sshd", "other", "su", "usermin", "web"]);
        let all = [
            (Actor::User, "passwd"),
            (Actor::Login, "sshd"),
            (Actor::Root, "passwd"),
            (Actor::Batch, "chpasswd"),
        ];
        assert_eq!(groups[0].actors(), all);
        assert_eq!(groups[1].actors(), [(Actor::Login, "other")]);
    }
}
