//! Who may read a filter: the options of every command that writes one, and how it is shown.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use nearmiss_filters::storage::Access;
use nix::unistd::{Gid, Group};
use serde::Serialize;

/// Who may read the filter that is written.
#[derive(clap::Args)]
pub struct NewAccess {
    /// Let this group read the filter, too (mode 0640). Default: the group that could read the filter that is replaced.
    #[arg(long, value_name = "GROUP", value_parser = group_number)]
    group: Option<u32>,
    /// Let everybody read the filter (mode 0644): only for one that no secret password is checked against, for
    /// spelling, say. Without this a filter is never public.
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

/// A group's name, or its number where it has none.
pub fn group_name(number: u32) -> String {
    let group = Group::from_gid(Gid::from_raw(number)).ok().flatten();
    group.map_or_else(|| number.to_string(), |group| group.name)
}

/// Who may read a filter, as it is printed.
#[derive(Clone, Serialize)]
pub struct Readers {
    /// `private`, `group` or `public`.
    access: &'static str,
    /// The group that may read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    /// The permission bits in octal digits.
    mode: String,
}

impl Readers {
    /// The readers of a file with this access and these permission bits.
    pub fn new(access: Access, mode: u32) -> Readers {
        let mode = format!("{:04o}", mode & 0o7777);
        let (access, group) = match access {
            Access::Private => ("private", None),
            Access::Group(number) => ("group", Some(group_name(number))),
            Access::Public => ("public", None),
        };
        Readers { access, group, mode }
    }

    /// Writes who may read the filter, without an end of line.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.group {
            Some(group) => write!(out, "group {group} ({})", self.mode)?,
            None => write!(out, "{} ({})", self.access, self.mode)?,
        }
        if self.access == "public" { write!(out, ": {PUBLIC}") } else { Ok(()) }
    }
}

/// What it means that everybody may read a filter.
pub const PUBLIC: &str = "any user can find out what is checked against it, unless it is copied first";

/// What to do about a filter that this process may not read, with the reason.
pub fn advice(path: &Path) -> String {
    let group = match fs::metadata(path).map(|metadata| Access::of(&metadata)) {
        Ok(Access::Group(number)) => format!(" and members of the group {}", group_name(number)),
        _ => String::new(),
    };
    format!(
        "only root{group} may read it, because anyone who reads a filter can find out the passwords that are checked \
         against it; run filterctl as root, or build a filter for yourself and name it with --filter"
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

    #[test]
    fn readers_are_named_with_the_bits() {
        let text = |access, mode| {
            let mut text = Vec::new();
            Readers::new(access, mode).write(&mut text).unwrap();
            String::from_utf8(text).unwrap()
        };
        assert_eq!(text(Access::Private, 0o100_600), "private (0600)");
        assert_eq!(text(Access::Group(0), 0o640), "group root (0640)");
        assert_eq!(text(Access::Public, 0o644), format!("public (0644): {PUBLIC}"));
    }
}
