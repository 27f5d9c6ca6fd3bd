//! Maps of a filter file that treat the kernel differently from the library's own: the benchmark's only
//! unsafe code.

#![allow(unsafe_code, reason = "mapping a file")]

use std::{cell::Cell, fs::File, io, ops::Range, rc::Rc};

use memmap2::{Advice, Mmap};
use nearmiss_filters::storage::Bytes;

/// How pages come into memory.
#[derive(Clone, Copy, PartialEq)]
pub enum Fetch {
    /// As the library does: asked for together, then populated.
    Together,
    /// Each when it is touched, without read-around.
    OneByOne,
    /// Each when it is touched, with the kernel's read-around.
    Plain,
}

/// A mapped file that counts the pages asked for.
pub struct Map {
    map: Mmap,
    fetch: Fetch,
    /// Pages asked for by each call of `will_need`.
    pub rounds: Rc<Cell<Vec<usize>>>,
}

impl Map {
    /// Maps a file.
    pub fn new(file: &File, fetch: Fetch) -> io::Result<Map> {
        // SAFETY: the file is in the benchmark's own folder and nobody changes it while the benchmark runs.
        let map = unsafe { Mmap::map(file) }?;
        if fetch != Fetch::Plain {
            map.advise(Advice::Random)?;
        }
        Ok(Map { map, fetch, rounds: Rc::default() })
    }
}

impl Bytes for Map {
    fn bytes(&self) -> &[u8] {
        &self.map
    }

    fn will_need(&self, ranges: &[Range<usize>]) {
        let mut rounds = self.rounds.take();
        rounds.push(ranges.len());
        self.rounds.set(rounds);
        if self.fetch == Fetch::Together {
            for range in ranges {
                let _ = self.map.advise_range(Advice::WillNeed, range.start, range.len());
            }
        }
    }

    fn populate(&self, range: Range<usize>) -> io::Result<()> {
        match self.fetch {
            Fetch::Together => self.map.advise_range(Advice::PopulateRead, range.start, range.len()),
            _ => Ok(()),
        }
    }
}
