//! An existing filter, opened together with its counts, so that the two always match.

use std::path::Path;

use nearmiss_cli::{failure::Failure, keys, paths, progress::Progress};
use nearmiss_filters::{
    dictionary::{
        DictionaryFilter, Loading,
        builder::Builder,
        counters::{Counters, identity_of_parts},
    },
    format::Header,
    page::Page,
    storage::{Occupant, StorageError, mapped::Mapped},
};

use super::{FilterChange, Target};

/// A filter that is to be changed, read completely.
pub(crate) struct OpenedFilter {
    /// Its header.
    pub(crate) header: Header,
    /// Its pages, all intact.
    pub(crate) pages: Vec<Page>,
}

impl OpenedFilter {
    /// Opens a filter.
    ///
    /// # Errors
    /// A [`Failure`] when it cannot be read, is not trusted or is damaged.
    pub(crate) fn open(file: &Path) -> Result<OpenedFilter, Failure> {
        let filter = open(file)?;
        let pages = filter.copied_pages().map_err(|e| Failure::new("cannot read the filter", e))?;
        Ok(OpenedFilter { header: filter.header().clone(), pages })
    }
}

/// The change of a filter that exists, and what it is derived from: both files are locked before they are
/// read, so that no other command has changed them since.
pub(crate) struct ExistingFilter<'a> {
    /// The change, without lists.
    pub(crate) change: FilterChange<'a>,
    /// The filter.
    pub(crate) opened: OpenedFilter,
    /// Its counts, if the target names them.
    pub(crate) counters: Option<Counters>,
    /// True if an earlier change was interrupted between the two files, and was finished first.
    pub(crate) finished_interrupted_change: bool,
}

impl<'a> ExistingFilter<'a> {
    /// Begins to change the filter of `target`, with its counts if it names them. If the counts are one
    /// change ahead of the filter, that change was interrupted between the two files, and is finished first.
    ///
    /// # Errors
    /// A [`Failure`] when one of them cannot be read, replaced or is damaged, or the counts do not belong to
    /// the filter; [file-busy] while another command changes one of them.
    pub(crate) fn begin(target: Target<'a>, progress: &'a Progress) -> Result<ExistingFilter<'a>, Failure> {
        // A file that is no filter is reported as one that cannot be read.
        open(target.file)?;
        let (existing, is_ahead) = ExistingFilter::read(target, progress)?;
        if !is_ahead {
            return Ok(existing);
        }
        existing.finish()?;
        match ExistingFilter::read(target, progress)? {
            (_, true) => Err(of_another(target)),
            (finished, false) => Ok(ExistingFilter { finished_interrupted_change: true, ..finished }),
        }
    }

    /// The counts that the target names.
    ///
    /// # Errors
    /// It names none.
    pub(crate) fn named(target: Target<'_>, counters: Option<Counters>) -> Result<Counters, Failure> {
        counters.ok_or_else(|| of_another(target))
    }

    /// Locks the files and reads them; true if the counts are one change ahead.
    fn read(target: Target<'a>, progress: &'a Progress) -> Result<(ExistingFilter<'a>, bool), Failure> {
        let mut change = FilterChange::begin(target, Vec::new(), progress)?;
        change.expect(Occupant::of(target.file).map_err(unreadable)?)?;
        let opened = OpenedFilter::open(target.file)?;
        let counters = target.counts.map(|counts| Counters::open(&paths::absolute(counts))).transpose();
        let counters = counters.map_err(|e| Failure::new("cannot read the counts", e))?;
        let is_ahead = match &counters {
            None => false,
            Some(counters) => {
                let identity = identity_of_parts(&opened.header, &opened.pages);
                if !counters.belong_to(identity) && !counters.belonged_to(identity) {
                    return Err(of_another(target));
                }
                !counters.belong_to(identity)
            }
        };
        Ok((ExistingFilter { change, opened, counters, finished_interrupted_change: false }, is_ahead))
    }

    /// Writes the filter that the counts are of.
    fn finish(self) -> Result<(), Failure> {
        let cannot = "cannot finish the interrupted change";
        let Some(counters) = self.counters else { return Ok(()) };
        let pages = counters.filter_pages().map_err(|e| Failure::new(cannot, e))?;
        if !counters.belong_to(identity_of_parts(counters.header(), &pages)) {
            return Err(Failure::plain(
                keys::COUNTS_DAMAGED,
                format!("{cannot}: the counts are damaged; rebuild filter and counts"),
            ));
        }
        // The counts stay as they are.
        self.change.commit(Builder::over(counters.header().clone(), pages), "finished").map(|_| ())
    }
}

fn of_another(target: Target<'_>) -> Failure {
    Failure::plain(
        keys::COUNTS_DAMAGED,
        format!(
            "{}: not the counts of {}, or that filter was changed without them; rebuild both with filterctl \
             build --counts",
            target.counts.unwrap_or(Path::new("")).display(),
            target.file.display()
        ),
    )
}

/// Opens a filter that others are made from.
///
/// # Errors
/// A [`Failure`] when it cannot be read, is not trusted or is damaged.
pub(crate) fn open(path: &Path) -> Result<DictionaryFilter<Mapped>, Failure> {
    DictionaryFilter::open(&paths::absolute(path), Loading::Mapped)
        .map_err(|e| Failure::new("cannot read the filter", e))
}

fn unreadable(error: StorageError) -> Failure {
    Failure::new("cannot read the filter", error)
}
