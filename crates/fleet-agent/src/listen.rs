//! The socket, from systemd or created here, and the drop of privileges.

use std::{
    fs, io,
    os::unix::{
        fs::{FileTypeExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::Path,
};

use nix::unistd::{User, setgid, setgroups, setuid};

/// The socket that systemd passes, or one created at `path`, which only root may use.
///
/// # Errors
/// Another agent is listening on it, `path` is not a socket, or the system's error.
pub fn listener(path: &Path) -> io::Result<UnixListener> {
    match listenfd::ListenFd::from_env().take_unix_listener(0)? {
        Some(listener) => Ok(listener),
        None => bound(path),
    }
}

fn bound(path: &Path) -> io::Result<UnixListener> {
    if UnixStream::connect(path).is_ok() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another agent is listening on it"));
    }
    match fs::symlink_metadata(path) {
        Ok(entry) if entry.file_type().is_socket() => fs::remove_file(path)?,
        Ok(_) => return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it exists and is not a socket")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // Created for the owner only, instead of changing its mode afterwards.
    let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    rustix::process::umask(before);
    let listener = bound?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Drops privileges to this user, permanently, if root started the agent.
///
/// # Errors
/// There is no such user, or the system's error.
pub fn drop_to(name: &str) -> io::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let user = User::from_name(name)?;
    let user = user.ok_or_else(|| io::Error::other(format!("run_as: there is no user {name}")))?;
    setgroups(&[])?;
    setgid(user.gid)?;
    setuid(user.uid)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_is_for_its_owner_alone_and_replaces_a_dead_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.sock");
        let first = bound(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(bound(&path).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        drop(first);
        bound(&path).unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "kept").unwrap();
        assert_eq!(bound(&file).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&file).unwrap(), b"kept");
    }
}
