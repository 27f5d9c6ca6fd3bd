//! A change of a filter file, used by every command that writes one: open, survey the lists, fill, write,
//! log, print.
//!
//! A [`FilterChange`] begins early, so that a folder that cannot be written is reported before the work, and
//! replaces the files at the end, so that an earlier failure changes nothing. `files` creates the two new
//! files, `passes` reads the lists, `opened` reads an existing filter together with its counts once they are
//! locked, `in_order` builds a filter from sorted digests, `proof` looks up in the new file what its lists
//! say.
//!
//! Each file is locked from the beginning to the replacement. What is derived from the earlier filter is read
//! behind the lock, or compared with what was read before it: see [`FilterChange::expect`].

mod files;
mod in_order;
mod opened;
mod passes;
mod proof;

use std::path::{Path, PathBuf};

use nearmiss_filters::{
    dictionary::{builder::Builder, counters::Counters, ranks::Ranks},
    format::Header,
    keys::Keyed,
    list::{Forms, LineCounts},
    page::Page,
    storage::{Access, Occupant, Replacement, StorageError},
};

use self::files::NewFile;
pub(crate) use self::{
    opened::{ExistingFilter, OpenedFilter, open},
    passes::read_all,
};
use super::{
    provenance::Provenance,
    replaceable::{refuse_same, with_files_beside},
};
use crate::{
    host::syslog,
    report::{
        access::Readers,
        header::Facts,
        lists::{self, Tally},
    },
};
use nearmiss_cli::{
    access::NewAccess,
    failure::{Failure, printable},
    input::WordList,
    progress::Progress,
};

/// The filter to change, and its name in errors.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// "build", "add to", …: the act, for errors.
    pub(crate) act: &'static str,
    /// The filter to write.
    pub(crate) file: &'a Path,
    /// The filter's counts, which are replaced with it.
    pub(crate) counts: Option<&'a Path>,
    /// Read access.
    pub(crate) access: &'a NewAccess,
}

impl Target<'_> {
    /// It cannot be done, for this reason.
    pub(crate) fn failure(&self, source: impl std::error::Error + Keyed + 'static) -> Failure {
        Failure::new(format!("cannot {} {}", self.act, self.file.display()), source)
    }
}

/// A filter that is being written, with its counts if it has some.
pub(crate) struct FilterChange<'a> {
    target: Target<'a>,
    lists: Vec<WordList>,
    counts_of_lines: Vec<LineCounts>,
    progress: &'a Progress,
    file: NewFile,
    counts_file: Option<Replacement>,
    /// What the change was derived from, if it is to replace nothing else.
    seen: Option<Occupant>,
    /// Files beside the filter, written and not yet in place.
    beside: Vec<Replacement>,
    /// The counts, brought up to date as the filter is filled.
    pub(crate) counters: Option<Counters>,
    min_count: u64,
    forms: Forms,
    /// The result for the lists that [`FilterChange::keep_most_common`] read.
    tallies: Option<Vec<Tally>>,
    /// True if the filter has all words of the lists.
    has_lists: bool,
}

impl<'a> FilterChange<'a> {
    /// Begins to replace the files of `target` by the words of `lists`.
    ///
    /// # Errors
    /// A file cannot be replaced, cannot be given to its group, is one of the lists, or is named twice.
    pub(crate) fn begin(
        target: Target<'a>,
        lists: Vec<WordList>,
        progress: &'a Progress,
    ) -> Result<FilterChange<'a>, Failure> {
        refuse_same(with_files_beside(target.file).chain(target.counts.map(Path::to_owned)))?;
        let file = NewFile::begin(target.file, &lists, target.access)?;
        let counts_file = target.counts.map(|path| files::begin_counts(path, &lists)).transpose()?;
        Ok(FilterChange {
            target,
            lists,
            counts_of_lines: Vec::new(),
            progress,
            file,
            counts_file,
            seen: None,
            beside: Vec::new(),
            counters: None,
            min_count: 0,
            forms: Forms::Written,
            tallies: None,
            has_lists: false,
        })
    }

    /// Continues with these lists.
    ///
    /// # Errors
    /// One of them is a file that is replaced.
    pub(crate) fn read(&mut self, lists: Vec<WordList>) -> Result<(), Failure> {
        let mut outputs = [Some(self.target.file), self.target.counts].into_iter().flatten();
        outputs.try_for_each(|output| files::refuse_lists(output, &lists))?;
        self.lists = lists;
        Ok(())
    }

    /// Replaces only the file that was there when the change was decided on, here and when it is committed.
    ///
    /// # Errors
    /// It was replaced since.
    pub(crate) fn expect(&mut self, seen: Occupant) -> Result<(), Failure> {
        self.seen = Some(seen);
        self.refuse_another()
    }

    /// Only commands of this project respect the lock.
    fn refuse_another(&self) -> Result<(), Failure> {
        self.seen.as_ref().map_or(Ok(()), |seen| self.file.refuse_another(seen))
    }

    /// The lists.
    pub(crate) fn lists(&self) -> &[WordList] {
        &self.lists
    }

    /// Their names.
    pub(crate) fn names(&self) -> Vec<String> {
        self.lists.iter().map(|list| list.name().to_owned()).collect()
    }

    /// It cannot be done, for this reason.
    pub(crate) fn failure(&self, source: impl std::error::Error + Keyed + 'static) -> Failure {
        self.target.failure(source)
    }

    /// Writes ranks, which are put in place with the filter, and returns the path of their file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn keep_ranks(&mut self, ranks: &Ranks) -> Result<PathBuf, Failure> {
        let path = Ranks::path_beside(self.target.file);
        let file = files::begin_ranks(ranks, &path, self.access())?;
        self.beside.push(file);
        Ok(path)
    }

    /// The read access of the filter.
    pub(crate) fn access(&self) -> Access {
        self.file.access()
    }

    /// Creates the counts of a new filter, if it is to have some.
    ///
    /// # Errors
    /// They do not fit into memory.
    pub(crate) fn count_for(&mut self, header: &Header) -> Result<(), Failure> {
        if self.counts_file.is_some() {
            self.counters = Some(Counters::new(header).map_err(|e| self.target.failure(e))?);
        }
        Ok(())
    }

    /// Continues with the counts of an existing filter.
    pub(crate) fn count_on(&mut self, counters: Option<Counters>) {
        self.counters = counters;
    }

    /// Writes all files, then replaces the old ones, and logs the change. The filter is replaced last: the
    /// counts contain everything needed to finish the change if it cannot be replaced.
    ///
    /// # Errors
    /// A file cannot be written; the old filter is then untouched.
    pub(crate) fn commit(self, builder: Builder, logged_as: &str) -> Result<Written, Failure> {
        self.commit_recorded(builder, logged_as, |_, _| None)
    }

    /// As [`FilterChange::commit`]; the `record` of the finished filter, if it has one, is written before the
    /// filter replaces the old one.
    ///
    /// # Errors
    /// As [`FilterChange::commit`]; the record cannot be written.
    pub(crate) fn commit_recorded(
        mut self,
        builder: Builder,
        logged_as: &str,
        record: impl FnOnce(&Header, &[Page]) -> Option<Provenance>,
    ) -> Result<Written, Failure> {
        let (header, access) = (builder.header().clone(), self.file.access());
        let (header_bytes, pages) = builder.finish();
        self.file
            .write(&header_bytes)
            .and_then(|()| self.file.write(pages.as_flattened()))
            .map_err(unwritable)?;
        if let Some(counters) = &mut self.counters {
            counters.bind(&header_bytes, &header, &pages);
        }
        let record = record(&header, &pages);
        // The proof maps the same pages.
        drop(pages);
        let proofs = self.prove()?;
        let record = record.map(|record| record.begin(self.target.file)).transpose();
        self.beside.extend(record.map_err(|e| self.target.failure(e))?);
        self.refuse_another()?;
        if let Some((mut counters, mut counts_file)) = self.counters.zip(self.counts_file) {
            let written = counters.write(&mut counts_file).and_then(|()| counts_file.commit());
            written.map_err(|e| Failure::new("cannot write the counts", e))?;
        }
        let placed = self.beside.into_iter().try_for_each(Replacement::commit);
        placed.map_err(|e| self.target.failure(e))?;
        self.file.commit()?;
        log(logged_as, self.target.file, &header);
        let lists = self.tallies.unwrap_or_else(|| lists::of(&self.lists, &self.counts_of_lines));
        let lists = lists::proved(lists, proofs);
        Ok(Written { header, access, lists })
    }
}

fn unwritable(error: StorageError) -> Failure {
    Failure::new("cannot write the filter", error)
}

/// A filter that was written.
pub(crate) struct Written {
    /// Its header.
    pub(crate) header: Header,
    access: Access,
    /// The counts of each list's lines.
    pub(crate) lists: Vec<Tally>,
}

impl Written {
    /// The printed part of it.
    pub(crate) fn facts(&self) -> Facts {
        Facts::of(&self.header).with_readers(Readers::new(self.access, self.access.mode()))
    }
}

fn log(act: &str, path: &Path, header: &Header) {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = printable(&path.display().to_string());
    let (words, kind, matching) = (header.words, header.kind.name(), header.matching.name());
    syslog::changed(&format!("{act} {path}: {words} {kind}, {matching} match"));
}
