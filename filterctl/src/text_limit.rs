//! How long the lists may be that are named on a command line.

use std::path::PathBuf;

use nearmiss_filters::format::Kind;

use crate::{
    input::{self, InputError, ListName, MaxText, WordList},
    progress::Progress,
};

/// The flag, for every command that reads lists into a filter.
#[derive(clap::Args)]
pub(crate) struct TextLimit {
    /// Refuse a list with more text than this, unpacked: a number of bytes, or with K, M, G or T behind it.
    #[arg(long, value_name = "SIZE", default_value = "64G", value_parser = MaxText::parse)]
    max_text: MaxText,
}

impl TextLimit {
    /// Opens lists of this kind, none of which may be longer.
    ///
    /// # Errors
    /// The [`InputError`] of the first list that cannot be read.
    pub(crate) fn open(
        &self,
        lists: impl Iterator<Item = ListName>,
        kind: Kind,
        progress: &Progress,
    ) -> Result<Vec<WordList>, InputError> {
        input::open_within(self.max_text, &lists.collect::<Vec<_>>(), kind, progress)
    }

    /// As [`TextLimit::open`], for lists of digests that are read once.
    ///
    /// # Errors
    /// As [`TextLimit::open`].
    pub(crate) fn open_once(
        &self,
        lists: impl Iterator<Item = ListName>,
        kind: Kind,
        progress: &Progress,
    ) -> Result<Vec<WordList>, InputError> {
        input::open_once(self.max_text, &lists.collect::<Vec<_>>(), kind, progress)
    }

    /// As [`TextLimit::open`], for lists that are named on the command line.
    ///
    /// # Errors
    /// As [`TextLimit::open`].
    pub(crate) fn open_named(
        &self,
        lists: &[PathBuf],
        kind: Kind,
        progress: &Progress,
    ) -> Result<Vec<WordList>, InputError> {
        self.open(lists.iter().cloned().map(ListName::Path), kind, progress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_that_of_all_lists_that_are_named() {
        assert_eq!(MaxText::parse("64G"), Ok(MaxText::NAMED));
    }
}
