//! A filter of digests from one pass over its lists: the number of digests is given, or estimated from the
//! length of the lists and confirmed after the insertion.

use nearmiss_cli::{
    failure::Failure,
    input::{InputError, WordList},
    keys,
};
use nearmiss_filters::{
    dictionary::{
        Build,
        builder::{Builder, Fit},
    },
    list::LineCounts,
};

use super::{FilterChange, read_all};

/// An estimate is raised by one part in this many: the filter is hardly larger, and a second pass is seldom
/// needed.
const MARGIN: u64 = 500;

impl FilterChange<'_> {
    /// Fills a filter without a survey. None if the number of digests is not known beforehand or differs from
    /// the estimate: then the lists must be surveyed.
    ///
    /// # Errors
    /// A list cannot be read or is not a list; lists that cannot be read again have too many digests.
    pub(crate) fn fill_at_once(&mut self, build: &Build) -> Result<Option<Builder>, Failure> {
        let Some(expected) = self.expected(build)? else { return Ok(None) };
        let Some((builder, fit)) = self.pass(build, expected)? else { return Ok(None) };
        match fit {
            Fit::Good => Ok(Some(builder)),
            Fit::TooLarge if build.capacity.is_some() => Ok(Some(builder)),
            Fit::TooLarge => {
                // Now their number is known.
                let words = builder.header().words;
                drop(builder);
                let again = self.pass(build, words)?;
                Ok(again.filter(|(_, fit)| *fit == Fit::Good).map(|(builder, _)| builder))
            }
            Fit::TooFull if self.lists.iter().all(WordList::is_kept) => Ok(None),
            Fit::TooFull => Err(self.no_room(expected)),
        }
    }

    /// The number of entries to expect: the stated capacity, or the estimate.
    fn expected(&self, build: &Build) -> Result<Option<u64>, Failure> {
        if build.capacity.is_some() {
            return Ok(build.capacity);
        }
        let each = self.lists.iter().map(|list| list.expected_entries(build.lines()));
        let sum = each.sum::<Result<Option<u64>, InputError>>().map_err(|e| self.failure(e))?;
        Ok(sum.map(|sum| sum.saturating_add(sum / MARGIN)))
    }

    fn pass(&mut self, build: &Build, expected: u64) -> Result<Option<(Builder, Fit)>, Failure> {
        let builder = build.builder_for(expected).map_err(|e| self.failure(e))?;
        let Some(mut builder) = builder else { return Ok(None) };
        self.progress.start("building", self.stored_bytes());
        let read = |list| {
            let counts = read_all(list, self.progress, |block| builder.insert_block(block))?;
            list.check(&counts).map(|()| counts)
        };
        let counts: Result<Vec<LineCounts>, InputError> = self.lists.iter().map(read).collect();
        self.counts_of_lines = counts.map_err(|e| self.failure(e))?;
        self.progress.finish();
        let mut sum = LineCounts::default();
        self.counts_of_lines.iter().for_each(|counts| sum.append(counts));
        let fit = builder.finish_pass(&sum);
        Ok(Some((builder, fit)))
    }

    fn no_room(&self, expected: u64) -> Failure {
        let lines: u64 = self.counts_of_lines.iter().map(|counts| counts.accepted).sum();
        let file = self.target.file.display();
        Failure::plain(
            keys::FILTER_FULL,
            format!(
                "cannot build {file}: the lists have {lines} digests, more than the expected {expected}; try \
                 again with --capacity {lines}"
            ),
        )
    }
}
