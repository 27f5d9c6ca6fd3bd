//! The first pass of a build over a corpus. The digests of ranges come in order, so that counting the
//! distinct ones needs no memory, and no digest has to be decoded.

use std::{io, sync::Arc};

use nearmiss_filters::list::{LineCounts, Skip};

use super::{
    Ranges,
    fault::RangeFault,
    line::{RangeLine, RangeLines},
    passing::Passing,
};
use crate::progress::Progress;

/// The numbers of a corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeCount {
    /// The distinct digests.
    pub distinct: u64,
    /// The counts of all lines.
    pub lines: LineCounts,
}

impl Ranges {
    /// Counts the digests with at least this count; none if a range has several files, whose digests may be
    /// the same.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(in crate::input) fn count(
        self: &Arc<Ranges>,
        min_count: u64,
        progress: &Progress,
    ) -> io::Result<Option<RangeCount>> {
        if self.census.found as usize != self.files.files().len() || min_count == 0 {
            return Ok(None);
        }
        let mut passing = Passing::new(Arc::clone(self), progress.clone());
        let mut sum = RangeCount::default();
        loop {
            let mut range = Counting { min_count, of: RangeCount::default(), is_taken: false };
            if passing.next(&mut range)?.is_none() {
                return Ok(Some(sum));
            }
            sum.distinct += range.of.distinct;
            sum.lines.append(&range.of.lines);
        }
    }
}

/// The lines of a range.
struct Counting {
    min_count: u64,
    of: RangeCount,
    /// True if the last digest was taken.
    is_taken: bool,
}

impl RangeLines for Counting {
    #[inline]
    fn take(&mut self, _: usize, line: Option<RangeLine<'_>>) -> Result<(), RangeFault> {
        self.of.lines.read += 1;
        let Some(line) = line else { return self.skip(Skip::Blank) };
        if !line.is_padding {
            self.is_taken &= line.is_repeated;
        }
        if line.is_padding || (self.min_count > 1 && line.number() < self.min_count) {
            return self.skip(Skip::Rare);
        }
        self.of.lines.accepted += 1;
        self.of.distinct += u64::from(!self.is_taken);
        self.is_taken = true;
        Ok(())
    }

    fn discard(&mut self) {
        (self.of, self.is_taken) = (RangeCount::default(), false);
    }
}

impl Counting {
    #[allow(clippy::unnecessary_wraps, reason = "the result of a line")]
    fn skip(&mut self, reason: Skip) -> Result<(), RangeFault> {
        let LineCounts { read, skipped, .. } = &mut self.of.lines;
        if let Some(skipped) = skipped.get_mut(reason as usize) {
            skipped.lines += 1;
            if skipped.first == 0 {
                skipped.first = *read;
            }
        }
        Ok(())
    }
}
