//! From lists to a filter file: survey, insert, write. What every command that makes or changes a filter
//! does.

use std::{
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use nearmiss_filters::{
    dictionary::{
        DictionaryFilter, Loading,
        build::{Builder, Findings, Survey},
        counters::Counters,
    },
    format::Header,
    list::LineCounts,
    storage::{Access, Replacement, StorageError, mapped::Mapped},
};

use crate::{
    access::NewAccess,
    failure::{self, Failure, printable},
    input::{InputError, WordList},
    paths,
    progress::Progress,
    report::{access::Readers, header::Facts},
    syslog,
};

/// What the first pass found: in all lists together, and what became of each list's lines.
pub(crate) struct Surveyed {
    /// What the lists hold together.
    pub(crate) findings: Findings,
    /// What became of the lines, list by list.
    pub(crate) counts: Vec<LineCounts>,
}

/// The first pass over the lists.
///
/// # Errors
/// An [`InputError`] for a list that cannot be read, has no word, or is no list.
pub(crate) fn survey(
    lists: &[WordList],
    mut survey: Survey,
    progress: &Progress,
) -> Result<Surveyed, InputError> {
    progress.start("surveying", stored_bytes(lists));
    let read = |list| {
        let counts = read_all(list, progress, |block| survey.read_block(block))?;
        list.check(&counts).map(|()| counts)
    };
    let counts = lists.iter().map(read).collect::<Result<_, _>>()?;
    progress.finish();
    Ok(Surveyed { findings: survey.finish(), counts })
}

/// Where words go: the filter, and its counters where it has some.
pub(crate) struct Sink<'a> {
    /// The filter.
    pub(crate) builder: &'a mut Builder,
    /// Its counters, and the least count of a digest.
    pub(crate) counters: Option<(&'a mut Counters, u64)>,
}

impl Sink<'_> {
    fn insert(&mut self, block: &[u8]) -> LineCounts {
        if let Some((counters, min_count)) = &mut self.counters {
            counters.insert_block(*min_count, block);
        }
        self.builder.insert_block(block)
    }
}

/// The second pass: inserts every word that the first pass counted.
///
/// # Errors
/// An [`InputError`] for a list that cannot be read again or has changed.
pub(crate) fn insert(
    mut sink: Sink<'_>,
    lists: &[WordList],
    surveyed: &[LineCounts],
    progress: &Progress,
) -> Result<(), InputError> {
    progress.start("building", stored_bytes(lists));
    for (list, before) in lists.iter().zip(surveyed) {
        let now = read_all(list, progress, |block| sink.insert(block))?;
        list.check_unchanged(before, &now)?;
    }
    progress.finish();
    Ok(())
}

fn stored_bytes(lists: &[WordList]) -> u64 {
    lists.iter().map(WordList::stored_bytes).sum()
}

/// Hands all lines of a list to `take`, block by block, and adds up what it answers.
///
/// # Errors
/// An [`InputError`] for a list that cannot be read.
pub(crate) fn read_all(
    list: &WordList,
    progress: &Progress,
    mut take: impl FnMut(&[u8]) -> LineCounts,
) -> Result<LineCounts, InputError> {
    let mut counts = LineCounts::default();
    let mut reading = list.read(progress)?;
    while let Some(block) = reading.next_block()? {
        counts.append(&take(block));
    }
    Ok(counts)
}

/// A filter file that is being replaced.
pub(crate) struct NewFile {
    file: Replacement,
    path: PathBuf,
    access: Access,
    was_public: bool,
}

/// Begins to replace a filter file: early, so that a folder that cannot be written is reported before the
/// work.
///
/// # Errors
/// A [`Failure`] when the file cannot be replaced, cannot be given to its group, or is one of the lists.
pub(crate) fn begin(output: &Path, lists: &[WordList], access: &NewAccess) -> Result<NewFile, Failure> {
    refuse_lists(output, lists)?;
    let was_public = Access::of_replaced(output) == Some(Access::Public);
    let access = access.of(output);
    let file = Replacement::create(output, access).map_err(|e| Failure::new("cannot write the filter", e))?;
    Ok(NewFile { file, path: output.to_owned(), access, was_public })
}

impl NewFile {
    fn commit(self) -> Result<(), Failure> {
        self.file.commit().map_err(unwritable)?;
        if self.was_public && self.access != Access::Public {
            failure::warn(&format!(
                "{}: any user could read it; now it is private, and --public keeps it readable where no secret \
                 password is checked against it",
                self.path.display()
            ));
        }
        Ok(())
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
}

impl Written {
    /// What is printed of it.
    pub(crate) fn facts(&self) -> Facts {
        Facts::of(&self.header).with_readers(Readers::new(self.access, self.access.mode()))
    }
}

/// Begins to replace a counts file.
///
/// # Errors
/// A [`Failure`] when the file cannot be replaced, or is one of the lists.
pub(crate) fn begin_counts(output: &Path, lists: &[WordList]) -> Result<Replacement, Failure> {
    refuse_lists(output, lists)?;
    Replacement::create(output, Access::Private).map_err(|e| Failure::new("cannot write the counts", e))
}

fn refuse_lists(output: &Path, lists: &[WordList]) -> Result<(), Failure> {
    lists.iter().find(|list| list.is_file(output)).map_or(Ok(()), |list| {
        let message = format!("{}: is one of the lists; name another file to write", list.name());
        Err(Failure::plain(message))
    })
}

/// Opens a filter that is to be changed, and read whole.
///
/// # Errors
/// A [`Failure`] when it cannot be read, is not trusted or is damaged.
pub(crate) fn open(path: &Path) -> Result<DictionaryFilter<Mapped>, Failure> {
    DictionaryFilter::open(&paths::real(path), Loading::Mapped)
        .map_err(|e| Failure::new("cannot read the filter", e))
}

/// Writes the filter and puts it in place. Counters are put in place before it: they hold all that it takes
/// to finish when the filter then cannot be.
///
/// # Errors
/// A [`Failure`] when a file cannot be written; the old filter is then untouched.
pub(crate) fn write(
    builder: Builder,
    mut new: NewFile,
    counts: Option<(Counters, Replacement)>,
) -> Result<Written, Failure> {
    let (header, access) = (builder.header().clone(), new.access);
    let (header_bytes, pages) = builder.finish();
    let file = &mut new.file;
    file.write(&header_bytes).and_then(|()| file.write(pages.as_flattened())).map_err(unwritable)?;
    if let Some((mut counters, mut counts_file)) = counts {
        counters.bind(&header_bytes, &header, &pages);
        let written = counters.write(&mut counts_file).and_then(|()| counts_file.commit());
        written.map_err(|e| Failure::new("cannot write the counts", e))?;
    }
    new.commit()?;
    Ok(Written { header, access })
}

/// Logs that a filter was changed.
pub(crate) fn log(act: &str, path: &Path, header: &Header) {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = printable(&path.display().to_string());
    let (words, kind, matching) = (header.words, header.kind.name(), header.matching.name());
    syslog::changed(&format!("{act} {path}: {words} {kind}, {matching} match"));
}

/// Seconds since 1970; a clock before that is not recorded.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
