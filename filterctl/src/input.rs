//! Reading word lists: any size in bounded memory, compressed or not, UTF-8 or Latin-1.
//!
//! A list is read several times: once to [survey](survey) it (its encoding is a fact about the whole file, and every
//! line that cannot be used is counted before anything is built), then once for each pass of the builder, which is
//! given blocks of whole lines, all usable, UTF-8, one `\n` after each. What is no regular file (standard input, a
//! pipe) is spooled to an unlinked temporary file first. A list that changes between two passes is an error.
//!
//! `origin` → `decompress` → `lines` → `survey`, `pass`.

mod decompress;
mod error;
mod line;
mod lines;
mod origin;
mod pass;
mod survey;

use std::path::PathBuf;

pub(crate) use error::InputError;
pub(crate) use line::Fault;
pub(crate) use pass::Pass;
pub(crate) use survey::{Encoding, Tally};

use crate::progress::Progress;
use origin::Origin;
use survey::Survey;

/// A list that has been opened and surveyed.
pub(crate) struct WordList {
    origin: Origin,
    survey: Survey,
}

/// A list as it is named on the command line, or the built-in one.
pub(crate) enum ListName {
    /// A file, or standard input where it is `-`.
    Path(PathBuf),
    /// The list that is part of the program.
    BuiltIn,
}

impl WordList {
    /// What the list is called in reports.
    pub(crate) fn name(&self) -> &str {
        self.origin.name()
    }

    /// What the first reading found.
    pub(crate) fn survey(&self) -> &Survey {
        &self.survey
    }
}

/// Opens and surveys lists, in order.
///
/// # Errors
/// The [`InputError`] of the first list that cannot be used.
pub(crate) fn open(names: &[ListName], progress: &Progress) -> Result<Vec<WordList>, InputError> {
    let origins = names.iter().map(Origin::open).collect::<Result<Vec<_>, _>>()?;
    progress.start("reading", origins.iter().map(Origin::stored_bytes).sum());
    let lists = origins.into_iter().map(|origin| surveyed(origin, progress)).collect();
    progress.finish();
    lists
}

fn surveyed(origin: Origin, progress: &Progress) -> Result<WordList, InputError> {
    let survey = survey::survey(&origin, progress)?;
    Ok(WordList { origin, survey })
}
