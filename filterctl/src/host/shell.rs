//! Commands as text, to be pasted into a shell.

use std::path::Path;

pub(crate) use nearmiss_cli::shell::{on_files, quoted};
use nearmiss_filters::storage::{Act, StorageError};

/// The command that makes the module trust a file whose owner or mode is wrong, or shows what is in the place
/// of a file.
pub(crate) fn of_storage(error: &StorageError) -> Option<String> {
    let command = match error.act {
        Act::ForeignOwner => "chown root",
        Act::ForeignLink => "chown -h root",
        Act::OthersMayWrite => "chmod go-w",
        Act::OthersMayRead => "chmod 0600",
        Act::NotRegular | Act::DanglingLink | Act::TooManyLinks => "ls -ld",
        _ => return None,
    };
    Some(on_files(command, [error.path.as_path()]))
}

/// A command for the system below `root`: another one's acts on its own files.
pub(crate) fn in_root(root: &Path, command: &str) -> String {
    if root == Path::new("/") { command.to_owned() } else { format!("chroot {} {command}", quoted(root)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_for_another_system_acts_there() {
        assert_eq!(in_root(Path::new("/"), "filterctl update"), "filterctl update");
        assert_eq!(in_root(Path::new("/a b"), "filterctl update"), "chroot '/a b' filterctl update");
    }
}
