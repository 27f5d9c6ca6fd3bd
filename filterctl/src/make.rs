//! From lists to a filter file: survey, insert, write. What `build` does, and every command that adds words.

use std::path::Path;

use nearmiss_filters::{
    dictionary::{
        builder::{Builder, Settings},
        lines::LineCounts,
        survey::{Findings, Survey},
    },
    storage::Replacement,
};

use crate::{
    failure::Failure,
    input::{InputError, WordList},
    progress::Progress,
};

/// Permission bits of a filter: the module reads it as whoever changes a password.
pub(crate) const FILTER_MODE: u32 = 0o644;

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
    settings: &Settings,
    progress: &Progress,
) -> Result<Surveyed, InputError> {
    let mut survey =
        Survey::new(settings.key.clone(), settings.lines, settings.stored_scheme(), settings.threads);
    progress.start("surveying", stored_bytes(lists));
    let read = |list| {
        let counts = read_all(list, progress, |block| survey.read_block(block))?;
        list.check(&counts).map(|()| counts)
    };
    let counts = lists.iter().map(read).collect::<Result<_, _>>()?;
    progress.finish();
    Ok(Surveyed { findings: survey.finish(), counts })
}

/// The second pass: inserts every word that the first pass counted.
///
/// # Errors
/// An [`InputError`] for a list that cannot be read again or has changed.
pub(crate) fn insert(
    builder: &mut Builder,
    lists: &[WordList],
    surveyed: &[LineCounts],
    progress: &Progress,
) -> Result<(), InputError> {
    progress.start("building", stored_bytes(lists));
    for (list, before) in lists.iter().zip(surveyed) {
        let now = read_all(list, progress, |block| builder.insert_block(block))?;
        list.check_unchanged(before, &now)?;
    }
    progress.finish();
    Ok(())
}

fn stored_bytes(lists: &[WordList]) -> u64 {
    lists.iter().map(WordList::stored_bytes).sum()
}

fn read_all(
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

/// Begins to replace a filter file: early, so that a folder that cannot be written is told before the work.
///
/// # Errors
/// A [`Failure`] when the file cannot be replaced, or is one of the lists.
pub(crate) fn begin(output: &Path, lists: &[WordList]) -> Result<Replacement, Failure> {
    if let Some(list) = lists.iter().find(|list| list.is_file(output)) {
        let message = format!("{}: is one of the lists; name another file with --output", list.name());
        return Err(Failure::plain(message));
    }
    Replacement::create(output, FILTER_MODE).map_err(|e| Failure::new("cannot write the filter", e))
}

/// Writes the filter and puts it in place.
///
/// # Errors
/// A [`Failure`] when it cannot be written; the old file is then as it was.
pub(crate) fn write(builder: Builder, mut file: Replacement) -> Result<(), Failure> {
    let (header, pages) = builder.finish();
    file.write(&header)
        .and_then(|()| file.write(pages.as_flattened()))
        .and_then(|()| file.commit())
        .map_err(|e| Failure::new("cannot write the filter", e))
}
