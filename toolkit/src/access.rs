//! Who may read a filter: the options of every command that writes one, and what to do where it may not be
//! read.

use std::{fs, path::Path};

use nearmiss_filters::storage::Access;
use nix::unistd::Group;

use crate::report::access::group_name;

/// Who may read the filter that is written.
#[derive(clap::Args)]
pub struct NewAccess {
    /// Let this group read the filter, too (mode 0640). Default: the group that could read the filter that is
    /// replaced.
    #[arg(long, value_name = "GROUP", value_parser = group_number)]
    group: Option<u32>,
    /// Let everybody read the filter (mode 0644): only for one that no secret password is checked against,
    /// for spelling, say. Without this a filter is never public.
    #[arg(long, conflicts_with = "group")]
    public: bool,
}

impl NewAccess {
    /// The access of a filter that is written to this path.
    pub fn of(&self, output: &Path) -> Access {
        match self.group {
            Some(group) => Access::Group(group),
            None if self.public => Access::Public,
            None => Access::of_replaced(output).map_or(Access::Private, Access::kept),
        }
    }
}

/// The number of a group given by its name, or by its number.
fn group_number(text: &str) -> Result<u32, String> {
    let unknown = || format!("there is no group '{text}'; groupadd --system makes one");
    match Group::from_name(text) {
        Ok(Some(group)) => Ok(group.gid.as_raw()),
        // The largest number stands for "no group" in chown(2).
        Ok(None) => text.parse().ok().filter(|&number| number != u32::MAX).ok_or_else(unknown),
        Err(error) => Err(format!("the groups cannot be looked up: {}", error.desc())),
    }
}

/// What to do about a filter that this process may not read, with the reason.
pub fn advice(path: &Path) -> String {
    let group = match fs::metadata(path).map(|metadata| Access::of(&metadata)) {
        Ok(Access::Group(number)) => format!(" and members of the group {}", group_name(number)),
        _ => String::new(),
    };
    format!(
        "only root{group} may read it, because anyone who reads a filter can find out the passwords that are \
         checked against it; run filterctl as root, or build a filter for yourself and name it with --filter"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_known_by_name_and_number() {
        assert_eq!((group_number("root"), group_number("0")), (Ok(0), Ok(0)));
        assert_eq!(group_number("987654"), Ok(987_654));
        assert_eq!((group_name(0).as_str(), group_name(987_654).as_str()), ("root", "987654"));
        for none in ["", "no such group", "-1", "4294967295", "4294967296"] {
            assert!(group_number(none).is_err_and(|told| told.contains("there is no group")), "{none}");
        }
    }
}
