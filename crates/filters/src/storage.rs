//! Disk: how files are trusted, mapped and replaced. The rest of the library only reads and writes files that
//! were opened here.
//!
//! * `descriptors`: no file is opened as standard input, output or error;
//! * `way`: the steps of every walk, and the symbolic links that it follows;
//! * `trusted`: the walk from `/` that a file must pass before its content is trusted;
//! * `folder`: listing a folder;
//! * [`mapped`]: memory maps and private copies, in unsafe code;
//! * `lock`: a lock on the folders of files that change together;
//! * `place`: the walk to a file that is written under a given name;
//! * `replace`: write to a temporary file, sync, rename, sync the folder;
//! * `occupant`: what has a name, to notice that it was replaced;
//! * `once`: a file in `/run` that is created by the first process that needs it;
//! * `page_by_page`: a switch for one test, in builds with debug assertions;
//! * `access`: the users other than its owner who may read a file.

mod access;
mod descriptors;
mod error;
mod folder;
mod lock;
pub mod mapped;
mod names;
mod occupant;
mod once;
mod page_by_page;
mod place;
mod replace;
mod trusted;
mod way;

pub use access::Access;
pub use descriptors::{StandardTaken, above_standard};
pub(crate) use error::may_be_provoked;
pub use error::{Act, StorageError};
pub use folder::{EntryType, Folder};
pub use lock::FolderLock;
pub use names::with_ending;
pub use occupant::Occupant;
pub use once::make_once;
pub(crate) use page_by_page::is_page_by_page;
#[cfg(debug_assertions)]
pub use page_by_page::read_page_by_page;
pub use place::{Place, make_folders};
pub use replace::{Abandoned, CompleteFile, CopyError, Replacement, abandon_replacements};
pub use trusted::{TrustedFile, Walk, open_trusted, read_trusted};

use std::{io, ops::Range};

/// Bytes of a filter file: a vector in tests and builders, a memory map in the module.
pub trait Bytes {
    /// All bytes, without touching them.
    fn bytes(&self) -> &[u8];

    /// Announces that these ranges are about to be read; a hint only.
    fn will_need(&self, _ranges: &[Range<usize>]) {}

    /// Makes the range readable, so that reading it afterwards cannot fault.
    ///
    /// # Errors
    /// The range cannot be read: a truncated file, an I/O error, no memory.
    fn populate(&self, _range: Range<usize>) -> io::Result<()> {
        Ok(())
    }

    /// Makes these ranges readable, which are in ascending order: all reads from the disk are started before
    /// the first one is waited for.
    ///
    /// # Errors
    /// As [`Bytes::populate`], for the first of them that cannot be read.
    fn populate_all(&self, ranges: &[Range<usize>]) -> io::Result<()> {
        self.will_need(ranges);
        ranges.iter().try_for_each(|range| self.populate(range.clone()))
    }
}

impl Bytes for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

impl Bytes for &[u8] {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// Runs an action that must not wait in another thread, so that a test that waits fails instead of hanging.
#[cfg(test)]
fn in_time<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(act()));
    wait.recv_timeout(std::time::Duration::from_secs(20)).unwrap()
}
