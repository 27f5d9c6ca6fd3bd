//! A hook's standard input, in memory that is wiped.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::AsFd,
};

use nearmiss_cli::failure::Failure;
use nearmiss_policy::policy::MAX_PASSWORD_BYTES;
use zeroize::Zeroizing;

/// Room for a password that is too long, and for the lines around it.
const MAX_BYTES: usize = 16 * MAX_PASSWORD_BYTES;

/// Everything that the server writes, or enough of it to show that the password is too long.
///
/// # Errors
/// Standard input cannot be read.
pub(super) fn read() -> Result<Zeroizing<Vec<u8>>, Failure> {
    read_from(|| Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
        .map_err(|error| Failure::new("cannot read standard input", error))
}

/// Reads without the standard library's buffer, which would keep copies.
fn read_from<R: Read>(open: impl FnOnce() -> io::Result<R>) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut stream = open()?;
    let mut input = Zeroizing::new(vec![0; MAX_BYTES]);
    let mut filled = 0_usize;
    while let Some(room) = input.get_mut(filled..).filter(|room| !room.is_empty()) {
        match stream.read(room) {
            Ok(0) => break,
            Ok(count) => filled = filled.saturating_add(count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    input.truncate(filled);
    Ok(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_read_up_to_a_bound() {
        let read = |bytes: &'static [u8]| read_from(|| Ok(bytes)).unwrap().to_vec();
        assert_eq!(read(b"secret word\n"), b"secret word\n");
        assert_eq!(read(b""), b"");
        assert_eq!(read(vec![b'q'; 100_000].leak()).len(), 16 * MAX_PASSWORD_BYTES, "room for sixteen");
    }

    /// The bytes before an error are half a password, which may get another verdict than the whole.
    #[test]
    fn an_error_is_no_end() {
        struct Broken(u32);
        impl Read for Broken {
            fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                match self.0 {
                    1 | 3 => {
                        room[..4].copy_from_slice(b"half");
                        Ok(4)
                    }
                    2 => Err(io::ErrorKind::Interrupted.into()),
                    _ => Err(io::ErrorKind::ConnectionReset.into()),
                }
            }
        }
        let error = read_from(|| Ok(Broken(0))).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        let closed = read_from(|| Err::<&[u8], _>(io::ErrorKind::NotFound.into())).unwrap_err();
        assert_eq!(closed.kind(), io::ErrorKind::NotFound);
    }
}
