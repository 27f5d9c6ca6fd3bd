//! Which sockets a process trusts: who listens there learns the positions of a password's rungs.

use std::{io, path::Path};

use rustix::{
    fs::{AtFlags, CWD, Stat, statat},
    io::Errno,
    process::geteuid,
};

use crate::storage::{Act, StorageError};

/// The permission bits of the socket's folder that only its owner may have.
const OTHERS_WRITE: u32 = 0o022;

/// The rule that keeps this process from using a socket, as it keeps the module: root, or this process's own
/// user, created it, and no other user can replace it. None if the socket is used.
///
/// # Errors
/// The socket or its folder does not exist, or cannot be examined.
pub fn untrusted(socket: &Path) -> io::Result<Option<StorageError>> {
    Ok(broken_rule(socket)?.map(|(path, act)| StorageError::rule(path, act)))
}

/// The same rule of the folder of a socket, which may be made later.
///
/// # Errors
/// The folder does not exist, or cannot be examined.
pub fn untrusted_folder(folder: &Path) -> io::Result<Option<StorageError>> {
    let rule = rule_of(&statat(CWD, folder, AtFlags::empty())?);
    Ok(rule.map(|act| StorageError::rule(folder, act)))
}

/// The rule that this folder breaks.
fn rule_of(folder: &Stat) -> Option<Act> {
    match (is_ours(folder), folder.st_mode & OTHERS_WRITE) {
        (true, 0) => None,
        (true, _) => Some(Act::OthersMayWrite),
        (false, _) => Some(Act::ForeignOwner),
    }
}

fn is_ours(of: &Stat) -> bool {
    of.st_uid == 0 || of.st_uid == geteuid().as_raw()
}

pub(super) fn broken_rule(socket: &Path) -> Result<Option<(&Path, Act)>, Errno> {
    let folder = socket.parent().ok_or(Errno::NOENT)?;
    let [of_folder, of_socket] =
        [statat(CWD, folder, AtFlags::empty())?, statat(CWD, socket, AtFlags::SYMLINK_NOFOLLOW)?];
    let of_folder = rule_of(&of_folder).map(|act| (folder, act));
    Ok(of_folder.or_else(|| (!is_ours(&of_socket)).then_some((socket, Act::ForeignOwner))))
}
