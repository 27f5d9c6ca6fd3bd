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
    storage::mapped::Mapped,
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

    /// Opens the filter of `target` and its counts in the file `counts`. If the counts are one change ahead
    /// of the filter, that change was interrupted between the two files, and is finished first: then the last
    /// value is true.
    ///
    /// # Errors
    /// A [`Failure`] when one of them cannot be read or is damaged, or the counts do not belong to the
    /// filter.
    pub(crate) fn with_counts(
        target: Target<'_>,
        counts: &Path,
    ) -> Result<(OpenedFilter, Counters, bool), Failure> {
        let opened = OpenedFilter::open(target.file)?;
        let counters = Counters::open(&paths::absolute(counts));
        let counters = counters.map_err(|e| Failure::new("cannot read the counts", e))?;
        let identity = identity_of_parts(&opened.header, &opened.pages);
        if counters.belong_to(identity) {
            return Ok((opened, counters, false));
        }
        if counters.belonged_to(identity) {
            finish(target, &counters)?;
            return Ok((OpenedFilter::open(target.file)?, counters, true));
        }
        Err(Failure::plain(
            keys::COUNTS_DAMAGED,
            format!(
                "{}: not the counts of {}, or that filter was changed without them; rebuild both with \
                 filterctl build --counts",
                counts.display(),
                target.file.display()
            ),
        ))
    }
}

/// Opens a filter that others are made from.
///
/// # Errors
/// A [`Failure`] when it cannot be read, is not trusted or is damaged.
pub(crate) fn open(path: &Path) -> Result<DictionaryFilter<Mapped>, Failure> {
    DictionaryFilter::open(&paths::absolute(path), Loading::Mapped)
        .map_err(|e| Failure::new("cannot read the filter", e))
}

/// Writes the filter that the counts are of.
fn finish(target: Target<'_>, counters: &Counters) -> Result<(), Failure> {
    let cannot = "cannot finish the interrupted change";
    let pages = counters.filter_pages().map_err(|e| Failure::new(cannot, e))?;
    if !counters.belong_to(identity_of_parts(counters.header(), &pages)) {
        return Err(Failure::plain(
            keys::COUNTS_DAMAGED,
            format!("{cannot}: the counts are damaged; rebuild filter and counts"),
        ));
    }
    let builder = Builder::over(counters.header().clone(), pages);
    let (target, progress) = (Target { counts: None, ..target }, Progress::hidden());
    FilterChange::begin(target, Vec::new(), &progress)?.commit(builder, "finished")?;
    Ok(())
}
