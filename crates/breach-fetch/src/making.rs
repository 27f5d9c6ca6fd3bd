//! The new filter, group by group: filled with fetched digests, or copied from the earlier one.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of digests and groups, far below 2⁶⁴")]

use std::{collections::BTreeMap, path::Path};

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
    kept::Kept,
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
    /// Fills a group.
    filter: InOrder,
    /// The number of the group that it fills next.
    at: u64,
    files: PartialFile,
    /// The groups that are written.
    written: Vec<Option<WrittenGroup>>,
    /// The number of ranges that are neither in a group that is written nor kept.
    missing: u64,
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
        let groups = usize::try_from(files.header.groups()).unwrap_or(usize::MAX);
        Making::over(files, vec![None; groups])
    }

    /// Resumes a filter of which these groups are written.
    ///
    /// # Errors
    /// As [`Making::begin`].
    pub(crate) fn over(files: PartialFile, written: Vec<Option<WrittenGroup>>) -> Result<Making, Failure> {
        let filter = empty(&files.header)?;
        let resumed = written.iter().flatten().count() as u64;
        let mut making = Making { filter, at: 0, files, written, missing: 0, copied: 0, resumed };
        making.missing = making.unwritten().into_iter().map(|group| making.lacks(group)).sum();
        Ok(making)
    }

    /// The header of the state file.
    pub(crate) fn header(&self) -> &StateHeader {
        &self.files.header
    }

    /// The numbers of the groups that are not written.
    pub(crate) fn unwritten(&self) -> Vec<u64> {
        (0..).zip(&self.written).filter(|(_, group)| group.is_none()).map(|(number, _)| number).collect()
    }

    /// Digests taken from all ranges so far.
    pub(crate) fn entries(&self) -> u64 {
        self.written.iter().flatten().map(|group| group.entries).sum()
    }

    /// The number of ranges that are neither in a group that is written nor kept.
    pub(crate) fn missing(&self) -> u64 {
        self.missing
    }

    /// The number of ranges of a group that is not written, without those that are kept.
    fn lacks(&self, group: u64) -> u64 {
        let of_group = self.files.header.ranges_of_group();
        u64::from(of_group) - self.files.kept.count(ranges_of(group, of_group))
    }

    /// The number of digests with which a group is given up before all of it is fetched: more than any can
    /// have beside a few that the filter does not tell apart.
    pub(crate) fn room_of_group(&self) -> u64 {
        2 * self.filter.most_in_group()
    }

    /// The failure for a group with this number of digests.
    pub(crate) fn overfull(&self, group: u64, digests: u64) -> Failure {
        Failure::new(CANNOT, self.filter.crowded(group, digests))
    }

    /// A view of the ranges of unwritten groups that are there already.
    ///
    /// # Errors
    /// The system has no more descriptors.
    pub(crate) fn kept(&self) -> Result<Kept, Failure> {
        self.files.kept.view().map_err(|e| Failure::new(CANNOT, e))
    }

    /// Keeps ranges of a group that lacks others.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn keep(&mut self, group: u64, ranges: &BTreeMap<u32, Range>) -> Result<(), Failure> {
        let before = self.lacks(group);
        let kept = &mut self.files.kept;
        ranges.iter().try_for_each(|(&number, range)| kept.keep(number, range)).map_err(unwritable)?;
        self.missing -= before - self.lacks(group);
        Ok(())
    }

    /// Turns to a group.
    fn turn_to(&mut self, group: u64) -> Result<(), Failure> {
        if group < self.at {
            (self.filter, self.at) = (empty(&self.files.header)?, 0);
        }
        while self.at < group {
            self.filter.pass_group(0).map_err(|e| Failure::new(CANNOT, e))?;
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    /// Copies a group, which is unchanged.
    ///
    /// # Errors
    /// The files cannot be written.
    pub(crate) fn copy(&mut self, number: u64, group: &EarlierGroup) -> Result<(), Failure> {
        self.turn_to(number)?;
        self.filter.pass_group(group.record.words.into()).map_err(|e| Failure::new(CANNOT, e))?;
        self.files.write(number, &group.pages, &group.record).map_err(unwritable)?;
        self.copied += 1;
        self.count(number, &group.record);
        Ok(())
    }

    /// Fills a group from its ranges.
    ///
    /// # Errors
    /// The files cannot be written, or digests were chosen to fill this group.
    pub(crate) fn fill(&mut self, number: u64, ranges: Vec<Range>) -> Result<(), Failure> {
        self.turn_to(number)?;
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
        self.files.write(number, &pages, &record).map_err(unwritable)?;
        self.count(number, &record);
        Ok(())
    }

    fn count(&mut self, number: u64, record: &GroupRecord) {
        self.missing -= self.lacks(number);
        if let Some(slot) = usize::try_from(number).ok().and_then(|at| self.written.get_mut(at)) {
            *slot = Some(WrittenGroup { words: record.words, entries: record.entries() });
        }
    }

    /// Counts all groups, in their order.
    fn total(&self) -> Result<InOrder, Failure> {
        let mut filter = empty(&self.files.header)?;
        for group in self.written.iter().flatten() {
            filter.pass_group(group.words.into()).map_err(|e| Failure::new(CANNOT, e))?;
        }
        Ok(filter)
    }

    /// True if there are more digests than the filter has room for.
    ///
    /// # Errors
    /// A group has more than any.
    pub(crate) fn is_too_full(&self) -> Result<bool, Failure> {
        Ok(self.total()?.fit() == Fit::TooFull)
    }

    /// Completes the filter, verifies it and replaces the earlier one.
    ///
    /// # Errors
    /// It cannot be written or installed; the earlier one is then unchanged.
    pub(crate) fn finish(self, output: &Path, now: u64) -> Result<Header, Failure> {
        let (filter, entries) = (self.total()?, self.entries());
        let mut files = self.files;
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

/// A filter without digests.
fn empty(header: &StateHeader) -> Result<InOrder, Failure> {
    let filter = InOrder::like(&header.filter).map_err(|e| Failure::new(CANNOT, e))?;
    filter.ok_or_else(|| Failure::plain(keys::STATE_FILE, "the unfinished filter has no groups"))
}

/// The numbers of the ranges of a group.
pub(crate) fn ranges_of(group: u64, of_group: u32) -> std::ops::Range<u32> {
    let first = u32::try_from(group).unwrap_or(u32::MAX).saturating_mul(of_group);
    first..first.saturating_add(of_group)
}

/// The failed action.
pub(crate) const CANNOT: &str = "cannot build the filter";

fn unwritable(error: std::io::Error) -> Failure {
    Failure::new("cannot write the filter", error)
}
