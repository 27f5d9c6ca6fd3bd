//! Who may read the configured dictionary filters: anyone who can, can find out the passwords checked against
//! them.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading},
    storage::Access,
};

use crate::{doctor::remedy, finding::Finding, report::access::group_name};

/// The largest number of a group of the system's own; those of people begin above (`SYS_GID_MAX` of
/// login.defs).
const LAST_SYSTEM_GROUP: u32 = 999;

const CHECK: &str = "filter";

/// Judges who may read a filter; none where it cannot be opened, which the site tells.
pub(super) fn examine(path: &Path) -> Option<Finding> {
    let filter = DictionaryFilter::open(path, Loading::Mapped).ok()?;
    let mode = fs::metadata(path).ok()?.mode() & 0o7777;
    Some(readers(path, filter.access(), mode))
}

/// Judges who may read a filter that the module can use; one that others may write it cannot use.
fn readers(path: &Path, access: Access, mode: u32) -> Finding {
    let shown = path.display();
    match access {
        Access::Private => Finding::fine(CHECK, format!("{shown} is private ({mode:04o})")),
        Access::Public => Finding::wrong(
            CHECK,
            format!(
                "{shown} has mode {mode:04o}: any user may read it, so it is copied at each password change; \
                 build it again (filterctl update, or build with --group or without --public), since chmod \
                 does not take it from those who have it open"
            ),
        )
        .fix(remedy::of_filter(path)),
        Access::Group(number) => {
            let group = group_name(number);
            let told = format!("{shown} can be read by the group {group} ({mode:04o})");
            if number <= LAST_SYSTEM_GROUP {
                return Finding::fine(CHECK, told);
            }
            let warning = "its members can find out passwords that are set here; it should be a system group \
                           of servers only";
            Finding::warning(CHECK, format!("{told}: {warning}"))
                .fix(remedy::on_files("chgrp nearmiss", [path]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::State;

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
            let finding = readers(Path::new("/f"), access, mode);
            assert_eq!(finding.state, state, "{access:?}");
            assert!(
                finding.message.contains(&format!("{mode:04o}")) && finding.message.contains("/f"),
                "{finding:?}"
            );
        }
    }
}
