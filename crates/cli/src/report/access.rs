//! The read access of a filter in the output of commands.

use std::io::{self, Write};

use nearmiss_filters::storage::Access;
use nix::unistd::{Gid, Group};
use serde::Serialize;

/// A group's name, or its number if it has none.
pub fn group_name(number: u32) -> String {
    let group = Group::from_gid(Gid::from_raw(number)).ok().flatten();
    group.map_or_else(|| number.to_string(), |group| group.name)
}

/// A filter's read access for printing.
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

    /// Writes the read access of the filter, without a line end.
    ///
    /// # Errors
    /// The error of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match &self.group {
            Some(group) => write!(out, "group {group} ({})", self.mode)?,
            None => write!(out, "{} ({})", self.access, self.mode)?,
        }
        if self.access == "public" { write!(out, ": {PUBLIC}") } else { Ok(()) }
    }
}

/// The risk of a filter that all users may read.
pub const PUBLIC: &str = "any user can find out which passwords are checked against it, unless it is copied \
                          first";

#[cfg(test)]
mod tests {
    use super::*;

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
