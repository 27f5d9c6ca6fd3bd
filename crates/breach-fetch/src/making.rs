//! The new filter, group by group: filled with fetched digests, or copied from the earlier one.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of digests and groups, far below 2⁶⁴")]

use std::path::Path;

use nearmiss_filters::{
    dictionary::{
        Build, Spec,
        builder::{BuildError, Fit, InOrder, OrderError},
        sizing::group_bits_for,
    },
    format::{Header, StatedRate},
    hash::Key,
    list::LineCounts,
    page::Page,
};

use crate::{
    earlier::EarlierGroup,
    failure::Failure,
    keys,
    range::{Range, RangeForm},
    state::{GroupRecord, RangeRecord, StateHeader},
    unfinished::{PartialFile, WrittenGroup},
};

/// The smallest capacity of a filter: a small sample predicts the total badly.
const FEWEST: u64 = 100_000;

/// Spare capacity, as a fraction of the current number: a corpus grows, and a filter that is full is fetched
/// again completely.
const GROWTH: u64 = 25;

/// The lowest number of group bits, so that groups can be copied.
const LEAST_GROUP_BITS: u8 = 4;

/// A filter being built.
pub(crate) struct Making {
    filter: InOrder,
    files: PartialFile,
    /// The number of the next group.
    pub(crate) next: u64,
    /// Digests taken from all ranges so far.
    pub(crate) entries: u64,
    /// Groups copied from the earlier filter.
    pub(crate) copied: u64,
    /// Groups that an interrupted run had written.
    pub(crate) resumed: u64,
}

/// The header of a new filter for about `digests` digests.
///
/// # Errors
/// No filter keeps the rate.
pub(crate) fn first_header(
    form: &RangeForm,
    stated: StatedRate,
    key: &Key,
    created: u64,
    digests: u64,
) -> Result<Header, BuildError> {
    let expected = (digests + digests / GROWTH).max(FEWEST);
    let most = 4 * form.digits;
    let group_bits = group_bits_for(expected).clamp(LEAST_GROUP_BITS, most);
    let spec = Spec { stated, ..Spec::of_digests(form.kind) };
    let build = Build { group_bits, created, ..Build::new(spec, key.clone()) };
    build.in_order(expected)?.map(|filter| filter.header().clone()).ok_or(BuildError::Empty)
}

impl Making {
    /// Begins a filter with the header of the state file.
    ///
    /// # Errors
    /// The files cannot be written, or a group does not fit into memory.
    pub(crate) fn begin(output: &Path, header: StateHeader) -> Result<Making, Failure> {
        let files = PartialFile::begin(output, header).map_err(unwritable)?;
        Making::over(files, &[])
    }

    /// Resumes a filter of which these groups are written.
    ///
    /// # Errors
    /// As [`Making::begin`].
    pub(crate) fn over(files: PartialFile, written: &[WrittenGroup]) -> Result<Making, Failure> {
        let filter = InOrder::like(&files.header.filter).map_err(|e| Failure::new(CANNOT, e))?;
        let filter =
            filter.ok_or_else(|| Failure::plain(keys::STATE_FILE, "the unfinished filter has no groups"))?;
        let mut making = Making { filter, files, next: 0, entries: 0, copied: 0, resumed: 0 };
        for group in written {
            making.filter.pass_group(group.words.into()).map_err(|e| Failure::new(CANNOT, e))?;
            making.entries += group.entries;
            making.next += 1;
        }
        making.resumed = making.next;
        Ok(making)
    }

    /// The header of the state file.
    pub(crate) fn header(&self) -> &StateHeader {
        &self.files.header
    }

    /// Copies the next group, which is unchanged.
    ///
    /// # Errors
    /// The files cannot be written.
    pub(crate) fn copy(&mut self, group: &EarlierGroup) -> Result<(), Failure> {
        self.filter.pass_group(group.record.words.into()).map_err(|e| Failure::new(CANNOT, e))?;
        self.files.write(&group.pages, &group.record).map_err(unwritable)?;
        self.copied += 1;
        self.count(&group.record);
        Ok(())
    }

    /// Fills the next group from these ranges.
    ///
    /// # Errors
    /// The files cannot be written, or digests were chosen to fill this group.
    pub(crate) fn fill(&mut self, ranges: Vec<Range>) -> Result<(), Failure> {
        let bytes = self.files.header.form.digest_bytes();
        let mut pages: Vec<u8> = Vec::new();
        let mut write = |group: &[Page]| {
            pages.extend_from_slice(group.as_flattened());
            Ok(())
        };
        let filled = || -> Result<u64, OrderError> {
            for digest in ranges.iter().flat_map(|range| range.digests.chunks_exact(bytes)) {
                self.filter.insert_digest(digest, &mut write)?;
            }
            self.filter.close_group(&mut write)
        }();
        let words = filled.map_err(|e| Failure::new(CANNOT, e))?;
        let ranges = ranges.into_iter().map(|range| RangeRecord { entries: range.entries, etag: range.etag });
        let record = GroupRecord {
            words: u32::try_from(words).unwrap_or(u32::MAX),
            pages: crc32fast::hash(&pages),
            ranges: ranges.collect(),
        };
        self.files.write(&pages, &record).map_err(unwritable)?;
        self.count(&record);
        Ok(())
    }

    fn count(&mut self, record: &GroupRecord) {
        self.entries += record.entries();
        self.next += 1;
    }

    /// True if there are more digests than the filter has room for.
    pub(crate) fn is_too_full(&self) -> bool {
        self.filter.fit() == Fit::TooFull
    }

    /// Completes the filter, verifies it and replaces the earlier one.
    ///
    /// # Errors
    /// It cannot be written or installed; the earlier one is then unchanged.
    pub(crate) fn finish(self, output: &Path, now: u64) -> Result<Header, Failure> {
        let Making { filter, mut files, entries, .. } = self;
        let lines = LineCounts { accepted: entries, ..LineCounts::default() };
        let header = filter.finish(&lines, &mut |_| Ok(())).map_err(|e| Failure::new(CANNOT, e))?;
        // A filter with a given key contains no date.
        let created = if header.created == 0 { 0 } else { now };
        let header = Header { created, ..header };
        let cannot = |reason: String| Failure::plain(keys::STATE_FILE, format!("{CANNOT}: {reason}"));
        files.seal(&header).map_err(cannot)?;
        files.commit(output, now, entries).map_err(cannot)?;
        Ok(header)
    }
}

/// The failed action.
pub(crate) const CANNOT: &str = "cannot build the filter";

fn unwritable(error: std::io::Error) -> Failure {
    Failure::new("cannot write the filter", error)
}
