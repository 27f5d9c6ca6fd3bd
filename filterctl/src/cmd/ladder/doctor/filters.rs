//! Who may read the configured dictionary filters: anyone who can, can find out the passwords checked against
//! them.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_filters::{
    config::Config,
    dictionary::{DictionaryFilter, Loading, MOST_COPIED_BYTES},
    storage::Access,
    text::system_reason,
};

use super::{Finding, State};
use crate::report::access::group_name;

/// The largest number of a group of the system's own; those of people begin above (`SYS_GID_MAX` of
/// login.defs).
const LAST_SYSTEM_GROUP: u32 = 999;

const CHECK: &str = "filter";

/// Looks at every configured filter.
pub(in crate::cmd) fn examine(config: &Config) -> Vec<Finding> {
    config.dictionaries.iter().map(|rule| filter(&rule.file, config.private_copy)).collect()
}

fn filter(path: &Path, private_copy: bool) -> Finding {
    let opened = DictionaryFilter::open(path, Loading::Mapped);
    let metadata = opened.map_err(|e| e.to_string()).and_then(|filter| {
        let metadata =
            fs::metadata(path).map_err(|e| format!("{}: {}", path.display(), system_reason(&e)))?;
        Ok((filter.access(), metadata))
    });
    match metadata {
        Err(error) => Finding::wrong(CHECK, error),
        Ok((_, metadata)) if private_copy && metadata.len() > MOST_COPIED_BYTES => Finding::wrong(
            CHECK,
            format!("{}: private_copy is set, and it is larger than 64 MiB", path.display()),
        ),
        Ok((access, metadata)) => readers(path, access, metadata.mode() & 0o7777),
    }
}

/// Judges who may read a filter that the module can use; one that others may write it cannot use.
fn readers(path: &Path, access: Access, mode: u32) -> Finding {
    let path = path.display();
    match access {
        Access::Private => Finding::fine(CHECK, format!("{path} is private ({mode:04o})")),
        Access::Public => Finding::wrong(
            CHECK,
            format!(
                "{path} has mode {mode:04o}: any user may read it, so it is copied at each password change; \
                 build it again (filterctl update, or build with --group or without --public), since chmod \
                 does not take it from those who have it open"
            ),
        ),
        Access::Group(number) => {
            let group = group_name(number);
            let told = format!("{path} can be read by the group {group} ({mode:04o})");
            if number <= LAST_SYSTEM_GROUP {
                return Finding::fine(CHECK, told);
            }
            let warning = "its members can find out passwords that are set here; it should be a system group \
                           of servers only";
            Finding::new(CHECK, State::Warning, format!("{told}: {warning}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                finding.told.contains(&format!("{mode:04o}")) && finding.told.contains("/f"),
                "{finding:?}"
            );
        }
    }

    #[test]
    fn a_filter_that_cannot_be_used_is_wrong() {
        let finding = filter(Path::new("/nonexistent/words.filter"), false);
        assert_eq!(finding.state, State::Wrong);
        assert!(finding.told.contains("/nonexistent"), "{finding:?}");
    }
}
