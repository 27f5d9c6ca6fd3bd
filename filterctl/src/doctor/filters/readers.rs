//! The readers of the configured dictionary filters: every reader can find out the passwords that are checked
//! against them.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_cli::{access, finding::Finding, keys};
use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading},
    storage::Access,
};
use nearmiss_policy::config::{FILTER_GROUP, UpdateRules};

use crate::{
    doctor::{Subject, names::shortened, remedy, servers},
    report::access::group_name,
};

/// The largest number of a group of the system's own; groups of people begin above (`SYS_GID_MAX` of
/// login.defs).
const LAST_SYSTEM_GROUP: u32 = 999;

/// The permission of others to pass a folder, and that of its group.
const MAY_PASS: u32 = 0o001;
const MAY_PASS_AS_GROUP: u32 = 0o010;

const CHECK: &str = "filter";

/// Checks who may read a filter; none if it cannot be opened, which the site reports.
pub(super) fn examine(subject: &Subject, path: &Path, update: &UpdateRules) -> Vec<Finding> {
    let root = &subject.conf_root;
    let Ok(filter) = DictionaryFilter::open(path, Loading::Mapped) else { return Vec::new() };
    let Ok(metadata) = fs::metadata(path) else { return Vec::new() };
    let group = access::system_group(&update.group).filter(|_| remedy::is_packaged(root, path));
    let shut_out = group.and_then(|number| shut_out(path, filter.access(), number));
    let unreachable = unreachable(path, filter.access());
    let readers = readers(root, path, filter.access(), metadata.mode() & 0o7777);
    let people = group_of(filter.access()).and_then(|group| people(subject, path, &group, update));
    let readers = people.unwrap_or(readers);
    [readers].into_iter().chain(shut_out).chain(unreachable).collect()
}

/// The name of a group of the system that may read a filter.
fn group_of(access: Access) -> Option<String> {
    let Access::Group(number @ ..=LAST_SYSTEM_GROUP) = access else { return None };
    Some(group_name(number))
}

/// Reports a group of the system that has people as members.
fn people(subject: &Subject, path: &Path, group: &str, update: &UpdateRules) -> Option<Finding> {
    let people = servers::people(&subject.root, group);
    if people.is_empty() {
        return None;
    }
    let names: Vec<&str> = people.iter().map(|(name, _)| name.as_str()).collect();
    let shown = shortened(&names);
    let message = format!(
        "{} can be read by the group {group}, which has people as members ({shown}): they can find out \
         passwords that are set here; use a system group of servers only",
        path.display()
    );
    let leave = |(name, is_own): &(String, bool)| {
        let name = remedy::quoted(Path::new(name));
        if *is_own { format!("usermod -g users {name}") } else { format!("gpasswd -d {name} {group}") }
    };
    let fix = if group == FILTER_GROUP {
        people.iter().map(leave).collect::<Vec<_>>().join(" && ")
    } else if group == update.group {
        subject.changed_settings()
    } else {
        remedy::on_files(&format!("chgrp {FILTER_GROUP}"), [path])
    };
    Some(Finding::warning(keys::FILTER_READERS, CHECK, message).fix(fix))
}

/// Reports a filter that a group may read, in a folder that its members cannot pass: a hardened umask of root
/// makes such folders.
fn unreachable(path: &Path, access: Access) -> Option<Finding> {
    let Access::Group(group @ 1..) = access else { return None };
    let is_closed = |folder: &&Path| {
        fs::metadata(folder).is_ok_and(|found| {
            let bits = if found.gid() == group { MAY_PASS_AS_GROUP } else { MAY_PASS };
            found.mode() & bits == 0
        })
    };
    let folder = path.ancestors().skip(1).find(is_closed)?;
    let message = format!(
        "{}: members of the group {} cannot read it, since they cannot pass {}: servers that run as members \
         cannot check passwords",
        path.display(),
        group_name(group),
        folder.display()
    );
    let fix = remedy::on_files("chmod o+x", [folder]);
    Some(Finding::warning(keys::FILTER_READERS, "group", message).fix(fix))
}

/// Reports a packaged filter that the group of `[update]` cannot read: servers that run as its members check
/// nothing, or refuse every password.
fn shut_out(path: &Path, access: Access, group: u32) -> Option<Finding> {
    let is_open = match access {
        Access::Public => true,
        Access::Group(number) => number == group,
        Access::Private => false,
    };
    if is_open {
        return None;
    }
    let group = group_name(group);
    let message = format!(
        "{}: members of the group {group} cannot read it, although [update] group names this group: servers \
         that run as members cannot check passwords",
        path.display()
    );
    let fix = remedy::on_files(&format!("chgrp {group}"), [path])
        + " && "
        + &remedy::on_files("chmod 0640", [path]);
    Some(Finding::warning(keys::FILTER_READERS, "group", message).fix(fix))
}

/// Checks who may read a filter that the module can use; it refuses one that other users may write.
fn readers(root: &Path, path: &Path, access: Access, mode: u32) -> Finding {
    let shown = path.display();
    match access {
        Access::Private => Finding::fine(CHECK, format!("{shown} is private ({mode:04o})")),
        Access::Public if mode & 0o004 == 0 => Finding::wrong(
            keys::FILTER_PUBLIC,
            CHECK,
            format!(
                "{shown} has an access control list: users that it names may read it, so each password \
                 change copies it; rebuild it, since setfacl does not take it from processes that have it \
                 open"
            ),
        )
        .fix(remedy::of_filter(root, path)),
        Access::Public => Finding::wrong(
            keys::FILTER_PUBLIC,
            CHECK,
            format!(
                "{shown} has mode {mode:04o}: any user may read it, so each password change copies it; \
                 rebuild it (filterctl update, or build with --group or without --public), since chmod does \
                 not take it from processes that have it open"
            ),
        )
        .fix(remedy::of_filter(root, path)),
        Access::Group(number) => {
            let group = group_name(number);
            let message = format!("{shown} can be read by the group {group} ({mode:04o})");
            if number <= LAST_SYSTEM_GROUP {
                return Finding::fine(CHECK, message);
            }
            let warning = "its members can find out passwords that are set here; use a system group of \
                           servers only";
            Finding::warning(keys::FILTER_READERS, CHECK, format!("{message}: {warning}"))
                .fix(remedy::on_files("chgrp nearmiss", [path]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;
    use nearmiss_cli::finding::State;

    #[test]
    fn a_filter_that_the_group_of_servers_cannot_read_is_a_warning() {
        let state = |access| shut_out(Path::new("/f"), access, 117).map(|finding| finding.state);
        assert_eq!(state(Access::Private), Some(State::Warning));
        assert_eq!(state(Access::Group(118)), Some(State::Warning));
        assert_eq!(state(Access::Group(117)), None);
        assert_eq!(state(Access::Public), None, "everybody may, which is worse, and reported");
    }

    #[test]
    fn a_folder_that_the_group_cannot_pass_is_a_warning() {
        use std::os::unix::fs::PermissionsExt;

        let top = tempfile::tempdir().unwrap();
        let [inner, file] = ["inner", "inner/site.filter"].map(|name| top.path().join(name));
        fs::create_dir(&inner).unwrap();
        fs::write(&file, "").unwrap();
        let set =
            |folder: &Path, mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
        set(top.path(), 0o755);
        let own = fs::metadata(&inner).unwrap().gid();
        for (mode, group, is_open) in [
            (0o700, own + 117, false),
            (0o710, own + 117, false),
            (0o711, own + 117, true),
            (0o755, own + 117, true),
        ] {
            set(&inner, mode);
            let found = unreachable(&file, Access::Group(group));
            assert_eq!(found.is_none(), is_open, "{mode:o}");
            let named = format!("cannot pass {}", inner.display());
            assert!(found.is_none_or(|found| found.message.contains(&named)), "{mode:o}");
        }
        set(&inner, 0o700);
        assert!(unreachable(&file, Access::Private).is_none(), "for root alone");
        assert!(unreachable(&file, Access::Group(0)).is_none(), "root passes it");
    }

    /// The number of a group does not tell who its members are.
    #[test]
    fn people_in_a_group_of_the_system_are_named() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("etc")).unwrap();
        let put = |name: &str, text: &str| fs::write(root.path().join("etc").join(name), text).unwrap();
        put(
            "passwd",
            "mysql:x:104:110::/:\nanna:x:1000:1000::/:\nbert:x:1001:100::/:\ncarl:x:1002:117::/:\n",
        );
        put("group", "nearmiss:x:117:mysql,anna\nusers:x:100:\nsite:x:118:anna\nservers:x:119:mysql\n");
        let subject = sample::subject(root.path());
        let found = |group: &str, configured: &str| {
            let update = UpdateRules { group: configured.to_owned(), ..UpdateRules::default() };
            people(&subject, Path::new("/f"), group, &update)
        };
        for (group, configured, named, fix) in [
            ("nearmiss", "nearmiss", "(anna, carl)", "gpasswd -d anna nearmiss && usermod -g users carl"),
            ("users", "users", "(bert)", &*subject.changed_settings()),
            ("site", "nearmiss", "(anna)", "chgrp nearmiss /f"),
        ] {
            let found = found(group, configured).unwrap();
            assert!(found.state == State::Warning && found.message.contains(named), "{found:?}");
            assert_eq!(found.fix.as_deref(), Some(fix));
        }
        assert!(found("servers", "servers").is_none() && found("none", "none").is_none());
    }

    #[test]
    fn public_is_wrong_and_a_group_of_people_a_warning() {
        for (access, mode, state) in [
            (Access::Private, 0o600, State::Fine),
            (Access::Group(0), 0o640, State::Fine),
            (Access::Group(999), 0o640, State::Fine),
            (Access::Group(1000), 0o640, State::Warning),
            (Access::Public, 0o644, State::Wrong),
            (Access::Public, 0o604, State::Wrong),
        ] {
            let finding = readers(Path::new("/"), Path::new("/f"), access, mode);
            assert_eq!(finding.state, state, "{access:?}");
            assert!(
                finding.message.contains(&format!("{mode:04o}")) && finding.message.contains("/f"),
                "{finding:?}"
            );
        }
    }
}
