//! The read access of a filter: the options of every command that writes one, and the fix if it may not be
//! read.

use std::{fs, path::Path};

use nearmiss_filters::storage::Access;
use nix::unistd::Group;

use crate::report::access::group_name;

/// The read access of the written filter.
#[derive(Clone, clap::Args)]
pub struct NewAccess {
    /// Also let this group read the filter (mode 0640). Default: the group that could read the replaced
    /// filter.
    #[arg(long, value_name = "GROUP", value_parser = group_number)]
    group: Option<u32>,
    /// Let all users read the filter (mode 0644). Use this only for a filter that no secret password is
    /// checked against, such as one for spelling. Without this option a filter is never public.
    #[arg(long, conflicts_with = "group")]
    public: bool,
    /// Only the owner may read it, no matter who could read the replaced one.
    #[arg(skip)]
    private: bool,
}

/// The lowest number of groups for people.
const FIRST_OF_PERSONS: u32 = 1000;

impl NewAccess {
    /// The access of a filter that is written to this path.
    pub fn of(&self, output: &Path) -> Access {
        match self.group {
            Some(group) => Access::Group(group),
            None if self.public => Access::Public,
            None if self.private => Access::Private,
            None => Access::of_replaced(output).map_or(Access::Private, Access::kept),
        }
    }

    /// The same, with the access of a configuration if the command line gives none: members of this group, or
    /// only the owner if the name is empty.
    ///
    /// # Errors
    /// There is no such group, or the groups cannot be looked up: in words.
    pub fn or_group(&self, name: &str) -> Result<NewAccess, String> {
        if self.group.is_some() || self.public {
            return Ok(self.clone());
        }
        let group = (!name.is_empty()).then(|| group_number(name)).transpose()?;
        Ok(NewAccess { group, public: false, private: name.is_empty() })
    }
}

/// True if there is a system group of this name. A group of people could observe password changes.
pub fn is_system_group(name: &str) -> bool {
    system_group(name).is_some()
}

/// The number of the system group of this name, if it exists.
pub fn system_group(name: &str) -> Option<u32> {
    let number = Group::from_name(name).ok()??.gid.as_raw();
    (number < FIRST_OF_PERSONS).then_some(number)
}

/// The number of a group given by its name, or by its number.
///
/// # Errors
/// There is no such group, or the groups cannot be looked up: in words.
pub fn group_number(text: &str) -> Result<u32, String> {
    let unknown = || format!("there is no group '{text}'; create it with groupadd --system");
    match Group::from_name(text) {
        Ok(Some(group)) => Ok(group.gid.as_raw()),
        // The largest number stands for "no group" in chown(2).
        Ok(None) => text.parse().ok().filter(|&number| number != u32::MAX).ok_or_else(unknown),
        Err(error) => Err(format!("groups cannot be looked up: {}", error.desc())),
    }
}

/// The fix for a filter that this process may not read, with the reason.
pub fn advice(path: &Path) -> String {
    let group = match fs::metadata(path).map(|metadata| Access::of(&metadata)) {
        Ok(Access::Group(number)) => format!(" and members of the group {}", group_name(number)),
        _ => String::new(),
    };
    format!(
        "only root{group} may read it, because anyone who can read a filter can find out which passwords are \
         checked against it; run filterctl as root, or build your own filter and name it with --filter"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_wins_over_the_configuration() {
        let nowhere = Path::new("/nonexistent/file");
        let given = |group, public| NewAccess { group, public, private: false };
        let of = |given: NewAccess, name: &str| given.or_group(name).map(|access| access.of(nowhere));
        assert_eq!(of(given(None, false), "root"), Ok(Access::Group(0)));
        assert_eq!(of(given(None, false), ""), Ok(Access::Private));
        assert_eq!(of(given(Some(7), false), "root"), Ok(Access::Group(7)));
        assert_eq!(of(given(None, true), "no such group"), Ok(Access::Public));
        assert!(of(given(None, false), "no such group").is_err());
        assert!(is_system_group("root") && !is_system_group("no such group"));
    }

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
