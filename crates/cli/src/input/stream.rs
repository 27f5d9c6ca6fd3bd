//! Standard input and pipes: lists that can only be read once. They are copied to a temporary file, or read
//! directly.

use std::{
    fs::File,
    io::{self, Cursor, Read, Write},
    sync::{Mutex, PoisonError},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::Errno,
};

use super::{
    MaxText,
    error::{InputError, Problem},
    junk,
};

/// The number of bytes of a stream that are examined before the rest is stored on disk.
const HEAD_BYTES: u64 = 64 << 10;

/// The handling of lists that cannot be read from the start again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Streams {
    /// They are copied to a temporary file.
    Spooled,
    /// They are read once.
    Once,
}

/// A stream that can be read once.
pub(super) struct Stream(Mutex<Option<Box<dyn Read + Send>>>);

impl Stream {
    /// A stream, unless its beginning shows that it is not a list.
    ///
    /// # Errors
    /// An [`InputError`].
    pub(super) fn of(name: &str, stream: File) -> Result<Stream, InputError> {
        let (head, rest) = checked_head(name, stream)?;
        Ok(Stream(Mutex::new(Some(Box::new(Cursor::new(head).chain(rest))))))
    }

    /// The stream; after the first call one that cannot be read.
    pub(super) fn take(&self) -> Box<dyn Read + Send> {
        let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        stream.unwrap_or_else(|| Box::new(Gone))
    }

    /// Puts back a stream together with the part that was read.
    pub(super) fn give_back(&self, stream: Box<dyn Read + Send>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
    }
}

/// A stream that was read before.
struct Gone;

impl Read for Gone {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("it can only be read once"))
    }
}

/// Waits for a writer to a pipe that was opened in non-blocking mode, and makes it blocking.
pub(super) fn wait_for_writer(pipe: &File) -> io::Result<()> {
    fcntl_setfl(pipe, fcntl_getfl(pipe)?.difference(OFlags::NONBLOCK))?;
    loop {
        match poll(&mut [PollFd::new(pipe, PollFlags::IN)], None) {
            Err(Errno::INTR) => {}
            other => return Ok(other.map(|_| ())?),
        }
    }
}

/// The beginning of a stream, which may be a list, and the rest.
fn checked_head<R: Read>(name: &str, mut stream: R) -> Result<(Vec<u8>, R), InputError> {
    let mut head = Vec::new();
    let read = (&mut stream).take(HEAD_BYTES).read_to_end(&mut head);
    read.map_err(|e| InputError::new(name, Problem::Read(e)))?;
    junk::problem_of_head(&head).map_or(Ok((head, stream)), |problem| Err(InputError::new(name, problem)))
}

/// Copies a stream to a temporary file that has no name. Input that is clearly not a list is refused after
/// its beginning; one that exceeds the size limit, as soon as that is detected, so that an endless stream
/// does not fill the disk.
pub(super) fn spool(name: &str, stream: impl Read, most: MaxText) -> Result<(File, u64), InputError> {
    let (head, rest) = checked_head(name, stream)?;
    let room = most.stored_bytes();
    let spooled = copy(&head, &mut rest.take(room)).map_err(|e| InputError::new(name, Problem::Spool(e)));
    let (file, bytes) = spooled?;
    if bytes > room {
        return Err(InputError::new(name, Problem::TooLong(most)));
    }
    Ok((file, bytes))
}

fn copy(head: &[u8], stream: &mut impl Read) -> io::Result<(File, u64)> {
    let mut file = tempfile::tempfile()?;
    file.write_all(head)?;
    io::copy(stream, &mut file)?;
    let bytes = file.metadata()?.len();
    Ok((file, bytes))
}
