//! Errors of file operations.

use std::{
    error::Error,
    fmt, io,
    path::{Path, PathBuf},
};

use rustix::io::Errno;

use crate::{
    keys::{self, Keyed, MessageKey},
    text::system_reason,
};

/// The file operation that failed, or the rule of trust that a file violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Act {
    /// Opening the file or a folder on its path.
    Open,
    /// Reading the file or its metadata.
    Read,
    /// Mapping the file into memory.
    Map,
    /// Creating the temporary file next to the target.
    Create,
    /// Writing the temporary file.
    Write,
    /// Syncing the file or its folder to disk.
    Sync,
    /// Renaming the temporary file over the target.
    Rename,
    /// Assigning the temporary file to the group that is to read it.
    Give,
    /// The path is not absolute.
    NotAbsolute,
    /// The file is not a regular file, or a folder on its path is not a folder.
    NotRegular,
    /// A symbolic link on the path belongs to an untrusted user.
    ForeignLink,
    /// A symbolic link on the path is in a folder in which others can create entries.
    OpenLink,
    /// There are more symbolic links on the path than are followed.
    TooManyLinks,
    /// A symbolic link on the path leads to a missing file or folder.
    DanglingLink,
    /// A symbolic link on the path leads out of the folder of the system that is examined.
    LeadsOut,
    /// The file or a folder on its path is owned by an untrusted user.
    ForeignOwner,
    /// The file or a folder on its path can be written by others.
    OthersMayWrite,
    /// The file can be read by others and holds a secret.
    OthersMayRead,
    /// The file is larger than any file of its kind.
    TooLarge,
    /// Another process is replacing the same file.
    Busy,
    /// Another process replaced the file since it was read.
    Replaced,
    /// Another user's file, a link, or something that is not a file has the name of the temporary file.
    Occupied,
    /// Another process renamed or removed the temporary file while it was being written.
    Displaced,
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Act::Open => "cannot be opened",
            Act::Read => "cannot be read",
            Act::Map => "cannot be mapped",
            Act::Create => "cannot be created",
            Act::Write => "cannot be written",
            Act::Sync => "cannot be synced to disk",
            Act::Rename => "cannot be renamed over the old file",
            Act::Give => "cannot be assigned to its group: that takes root or a member",
            Act::NotAbsolute => "is not an absolute path",
            Act::NotRegular => "is not a regular file, or not a folder where one is needed",
            Act::ForeignLink => "is another user's symbolic link; only root's are followed",
            Act::OpenLink => "is a symbolic link in a folder that others can write to; it is not followed",
            Act::TooManyLinks => "is a ninth symbolic link, or in a circle",
            Act::DanglingLink => "is a symbolic link to a missing file",
            Act::LeadsOut => "leads out of the folder of its system by a symbolic link",
            Act::ForeignOwner => "is not owned by root; chown it to root",
            Act::OthersMayWrite => "can be written by others; run chmod go-w on it",
            Act::OthersMayRead => "can be read by others and holds a secret; chmod it to 0600",
            Act::TooLarge => "is larger than any file of its kind",
            Act::Busy => "is being replaced by another process; try again",
            Act::Replaced => "was replaced meanwhile; try again",
            Act::Occupied => "blocks the temporary file: another owner's, or a link; remove it",
            Act::Displaced => "was not replaced: another process removed the temporary file",
        })
    }
}

/// A file that could not be read, written or trusted: the path, the operation, and the system's reason if
/// any.
#[derive(Debug)]
pub struct StorageError {
    /// The file or a folder on its path.
    pub path: PathBuf,
    /// The operation, or the rule that was violated.
    pub act: Act,
    /// The system's error, if there is one.
    pub source: Option<io::Error>,
}

impl StorageError {
    /// The system refused `act` on `path`.
    pub fn io(path: &Path, act: Act, source: impl Into<io::Error>) -> StorageError {
        StorageError { path: path.to_owned(), act, source: Some(source.into()) }
    }

    /// `path` violates the rule `act`.
    pub fn rule(path: &Path, act: Act) -> StorageError {
        StorageError { path: path.to_owned(), act, source: None }
    }

    /// True when this process may not read the file.
    pub fn is_denied(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.kind() == io::ErrorKind::PermissionDenied)
    }

    /// The error without the path.
    pub fn reason(&self) -> String {
        match &self.source {
            None => self.act.to_string(),
            Some(source) => format!("{}: {}", self.act, system_reason(source)),
        }
    }

    /// True when the caller of a setuid program could have brought the error about. A violated rule is never
    /// provoked by the caller.
    pub fn may_be_provoked(&self) -> bool {
        self.source.as_ref().is_some_and(may_be_provoked)
    }

    /// True when the file (or its folder) does not exist.
    pub fn is_missing(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.kind() == io::ErrorKind::NotFound)
    }
}

/// System errors about the file, its disk or an unreachable server: no limit, signal or descriptor of the
/// caller can cause them. (They exclude a connection that times out or is closed: the caller can suspend the
/// program.)
const NOT_OF_THE_CALLER: [Errno; 10] = [
    Errno::NOENT,
    Errno::NOTDIR,
    Errno::ISDIR,
    Errno::LOOP,
    Errno::IO,
    Errno::STALE,
    Errno::FAULT,
    Errno::CONNREFUSED,
    Errno::HOSTUNREACH,
    Errno::NETUNREACH,
];

/// True when the caller of a setuid program could have brought a system error about: no memory, no
/// descriptor, a limit, and any error that is not known to be different. An error without a system error
/// number concerns the content: a truncated file, for instance.
pub(crate) fn may_be_provoked(error: &io::Error) -> bool {
    match Errno::from_io_error(error) {
        Some(number) => !NOT_OF_THE_CALLER.contains(&number),
        None => error.kind() == io::ErrorKind::OutOfMemory,
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason())
    }
}

impl Keyed for StorageError {
    fn key(&self) -> MessageKey {
        if self.is_missing() {
            return keys::FILE_MISSING;
        }
        if self.is_denied() {
            return keys::FILE_DENIED;
        }
        match self.act {
            Act::Open | Act::Read | Act::Map => keys::FILE_UNREADABLE,
            Act::Create | Act::Write | Act::Sync | Act::Rename | Act::Give => keys::FILE_UNWRITABLE,
            Act::NotAbsolute => keys::PATH_NOT_ABSOLUTE,
            Act::NotRegular
            | Act::ForeignLink
            | Act::OpenLink
            | Act::TooManyLinks
            | Act::DanglingLink
            | Act::LeadsOut => keys::FILE_NOT_REGULAR,
            Act::ForeignOwner => keys::FILE_OWNER,
            Act::OthersMayWrite | Act::OthersMayRead => keys::FILE_OPEN_TO_OTHERS,
            Act::TooLarge => keys::FILE_TOO_LARGE,
            Act::Busy | Act::Replaced => keys::FILE_BUSY,
            Act::Occupied => keys::FILE_OCCUPIED,
            Act::Displaced => keys::FILE_DISPLACED,
        }
    }
}

impl Error for StorageError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_caller_are_provoked_and_what_the_file_is_like_is_not() {
        let provoked =
            |error: io::Error| StorageError::io(Path::new("/f"), Act::Open, error).may_be_provoked();
        for code in [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::AGAIN, Errno::PERM, Errno::ACCESS] {
            assert!(provoked(code.into()), "{code}");
        }
        for code in NOT_OF_THE_CALLER {
            assert!(!provoked(code.into()), "{code}");
        }
        assert!(provoked(io::ErrorKind::OutOfMemory.into()));
        assert!(!provoked(io::ErrorKind::UnexpectedEof.into()));
        assert!(!StorageError::rule(Path::new("/f"), Act::OthersMayWrite).may_be_provoked());
    }

    #[test]
    fn an_error_of_the_system_is_the_source_and_a_broken_rule_has_none() {
        let cause = || io::Error::from(io::ErrorKind::NotFound);
        let missing = StorageError::io(Path::new("/f"), Act::Open, cause());
        assert!(missing.is_missing());
        assert_eq!(missing.to_string(), format!("/f: cannot be opened: {}", cause()));
        assert_eq!(missing.source().map(ToString::to_string), Some(cause().to_string()));
        let loose = StorageError::rule(Path::new("/f"), Act::OthersMayWrite);
        assert!(!loose.is_missing() && !loose.is_denied() && loose.source().is_none());
        let denied = StorageError::io(Path::new("/f"), Act::Open, io::ErrorKind::PermissionDenied);
        assert!(denied.is_denied() && !denied.is_missing() && !missing.is_denied());
        assert_eq!(loose.to_string(), "/f: can be written by others; run chmod go-w on it");
    }
}
