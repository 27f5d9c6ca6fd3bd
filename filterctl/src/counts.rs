//! The counts of a filter: opened together with it, so that the two always belong together.

use std::path::Path;

use nearmiss_filters::{
    dictionary::{
        DictionaryFilter,
        build::Builder,
        counters::{Counters, identity_of_parts},
    },
    format::Header,
    page::Page,
    storage::{Replacement, mapped::Mapped},
};

use crate::{access::NewAccess, failure::Failure, input::WordList, make, paths};

/// A filter that is to be changed, read whole, with its counts where there are some.
pub(crate) struct Opened {
    /// Its header.
    pub(crate) header: Header,
    /// Its pages, all intact.
    pub(crate) pages: Vec<Page>,
    /// Its counts.
    pub(crate) counters: Option<Counters>,
    /// True when a change that was interrupted was finished first.
    pub(crate) was_finished: bool,
}

impl Opened {
    /// Opens a filter and, where they are given, its counts. When the counts are one change ahead of the
    /// filter, that change was interrupted between the two files, and is finished first.
    ///
    /// # Errors
    /// A [`Failure`] when one of them cannot be read or is damaged, or the counts are not those of the
    /// filter.
    pub(crate) fn open(file: &Path, counts: Option<&Path>, access: &NewAccess) -> Result<Opened, Failure> {
        let filter = make::open(file)?;
        let opened = Opened::whole(&filter, None)?;
        let Some(counts) = counts else { return Ok(opened) };
        let counters = Counters::open(&paths::real(counts));
        let counters = counters.map_err(|e| Failure::new("cannot read the counts", e))?;
        let identity = identity_of_parts(&opened.header, &opened.pages);
        if counters.belong_to(identity) {
            return Ok(Opened { counters: Some(counters), ..opened });
        }
        if counters.belonged_to(identity) {
            finish(file, &counters, access)?;
            let opened = Opened::whole(&make::open(file)?, Some(counters))?;
            return Ok(Opened { was_finished: true, ..opened });
        }
        Err(Failure::plain(format!(
            "{}: are not the counts of {}, or it was changed without them; build both again with filterctl build --counts",
            counts.display(),
            file.display()
        )))
    }

    fn whole(filter: &DictionaryFilter<Mapped>, counters: Option<Counters>) -> Result<Opened, Failure> {
        let pages = filter.copied_pages().map_err(|e| Failure::new("cannot read the filter", e))?;
        Ok(Opened { header: filter.header().clone(), pages, counters, was_finished: false })
    }
}

/// Writes the filter that the counts are of.
fn finish(file: &Path, counters: &Counters, access: &NewAccess) -> Result<(), Failure> {
    let cannot = "cannot finish the change that was interrupted";
    let pages = counters.filter_pages().map_err(|e| Failure::new(cannot, e))?;
    if !counters.belong_to(identity_of_parts(counters.header(), &pages)) {
        return Err(Failure::plain(format!("{cannot}: the counts are damaged; build both again")));
    }
    let builder = Builder::over(counters.header().clone(), pages);
    let written = make::write(builder, make::begin(file, &[], access)?, None)?;
    make::log("finished", file, &written.header);
    Ok(())
}

/// Begins to replace the counts of a filter, where there are some.
///
/// # Errors
/// A [`Failure`] when the file cannot be replaced.
pub(crate) fn begin(counts: Option<&Path>, lists: &[WordList]) -> Result<Option<Replacement>, Failure> {
    counts.map(|path| make::begin_counts(path, lists)).transpose()
}
