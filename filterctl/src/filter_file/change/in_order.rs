//! A filter of digests from one pass over a sorted list: written group by group, with the memory of one group
//! regardless of its size.

use nearmiss_cli::{
    failure::{Failure, warn},
    input::WordList,
    keys,
};
use nearmiss_filters::{
    dictionary::{
        Build,
        builder::{Beginning, Fit, InOrder, OrderError, Outlook},
        sizing::group_bits_for,
    },
    format::{Header, encode},
    list::LineCounts,
};

use super::{FilterChange, Written, log, unwritable};
use crate::report::lists;

/// The part of a list from which its order and its length are estimated.
const BEGINNING_BYTES: usize = 8 << 20;

/// The reason why a filter is not written.
enum StoppedInOrder {
    /// The list differs from the estimate.
    Misjudged(String),
    /// An error.
    Failed(Failure),
}

impl From<Failure> for StoppedInOrder {
    fn from(failure: Failure) -> StoppedInOrder {
        StoppedInOrder::Failed(failure)
    }
}

impl FilterChange<'_> {
    /// Writes a filter in groups of `group_bits`, or of a number that suits the list, and returns its header.
    /// None if the lists must be read another way: several lists, an unsorted one, or a short one.
    ///
    /// # Errors
    /// The list cannot be read or is not a list, the filter cannot be written, a group is full, or a list
    /// that cannot be read again differs from its estimate.
    pub(crate) fn write_in_order(
        &mut self,
        build: &Build,
        group_bits: Option<u8>,
    ) -> Result<Option<Header>, Failure> {
        let [list] = self.lists.as_slice() else { return Ok(None) };
        if group_bits.is_none() && list.is_uneven() {
            return Ok(None);
        }
        let Some(outlook) = self.outlook(build, list)? else {
            return group_bits.map_or(Ok(None), |_| Err(self.failure(OrderError::Unsorted)));
        };
        let expected = outlook.digests.max(build.capacity.unwrap_or(0));
        let of_list = if outlook.is_even { group_bits_for(expected) } else { 0 };
        let build = Build { group_bits: group_bits.unwrap_or(of_list), ..build.clone() };
        self.min_count = build.min_count;
        let is_kept = list.is_kept();
        let Some(filter) = build.in_order(expected).map_err(|e| self.failure(e))? else { return Ok(None) };
        match self.write_groups(filter, build.capacity.is_some()) {
            Ok(header) => Ok(Some(header)),
            Err(StoppedInOrder::Failed(failure)) => Err(failure),
            Err(StoppedInOrder::Misjudged(reason)) if is_kept && group_bits.is_none() => {
                warn(
                    keys::DIGESTS_UNSORTED,
                    &format!("{}: {reason}; restarting without groups", self.lists_name()),
                );
                self.file.restart().map_err(unwritable)?;
                Ok(None)
            }
            Err(StoppedInOrder::Misjudged(reason)) => Err(Failure::plain(
                keys::DIGESTS_UNSORTED,
                format!(
                    "cannot build {}: {}: {reason}; build with --group-bits 0, which needs memory for the \
                     whole filter",
                    self.target.file.display(),
                    self.lists_name()
                ),
            )),
        }
    }

    fn outlook(&self, build: &Build, list: &WordList) -> Result<Option<Outlook>, Failure> {
        let beginning = list.beginning(BEGINNING_BYTES).map_err(|e| self.failure(e))?;
        let (is_whole, share) = (beginning.is_whole, beginning.share);
        Ok(build.outlook(Beginning { text: &beginning.text, is_whole, share }))
    }

    fn lists_name(&self) -> &str {
        self.lists.first().map_or("", WordList::name)
    }

    fn write_groups(&mut self, mut filter: InOrder, has_capacity: bool) -> Result<Header, StoppedInOrder> {
        self.file.write(&filter.header_bytes()).map_err(unwritable)?;
        self.has_lists = true;
        let counts = self.read_groups(&mut filter)?;
        let expected = filter.header().capacity;
        match filter.fit() {
            Fit::TooFull => return Err(misjudged("more", expected, &counts)),
            Fit::TooLarge if !has_capacity => return Err(misjudged("fewer", expected, &counts)),
            Fit::Good | Fit::TooLarge => {}
        }
        let FilterChange { file, target, .. } = self;
        let finished = filter.finish(&counts, &mut |pages| file.write(pages.as_flattened()));
        let header = finished.map_err(|e| stopped(e, |e| target.failure(e)))?;
        file.write_start(&encode(&header)).map_err(unwritable)?;
        self.counts_of_lines = vec![counts];
        Ok(header)
    }

    /// Reads the list, and writes all groups but the last.
    fn read_groups(&mut self, filter: &mut InOrder) -> Result<LineCounts, StoppedInOrder> {
        let bytes = self.stored_bytes();
        let FilterChange { lists, file, target, progress, .. } = self;
        let failed = |e| StoppedInOrder::Failed(target.failure(e));
        if bytes > 0 {
            progress.start("building", bytes);
        } else {
            progress.start_endless("building");
        }
        let mut counts = LineCounts::default();
        for list in lists.iter() {
            let mut reading = list.read(progress).map_err(failed)?;
            while let Some(block) = reading.next_block().map_err(failed)? {
                let inserted = filter.insert_block(block, &mut |pages| file.write(pages.as_flattened()));
                let inserted = inserted.map_err(|e| stopped(e, |e| target.failure(e)))?;
                counts.append(&reading.counts_of_lines(inserted));
            }
            list.check(&counts).map_err(failed)?;
        }
        progress.finish();
        Ok(counts)
    }

    /// Replaces the filter by the written file, and logs the change.
    ///
    /// # Errors
    /// The filter cannot be replaced; the old one is then unchanged.
    pub(crate) fn commit_in_order(self, header: Header, logged_as: &str) -> Result<Written, Failure> {
        let access = self.file.access();
        let proofs = self.prove()?;
        self.refuse_another()?;
        self.file.commit()?;
        log(logged_as, self.target.file, &header);
        let lists = lists::proved(lists::of(&self.lists, &self.counts_of_lines), proofs);
        Ok(Written { header, access, lists })
    }

    /// Copies an unsorted stream to a temporary file, since it must be read twice.
    ///
    /// # Errors
    /// It cannot be read or copied.
    pub(crate) fn keep_lists(&mut self) -> Result<(), Failure> {
        let target = self.target;
        self.lists.iter_mut().try_for_each(WordList::keep).map_err(|e| target.failure(e))
    }
}

fn stopped(error: OrderError, failure: impl FnOnce(OrderError) -> Failure) -> StoppedInOrder {
    match error {
        OrderError::Unsorted => {
            StoppedInOrder::Misjudged("is in ascending order only at its beginning".to_owned())
        }
        OrderError::Write(error) => StoppedInOrder::Failed(unwritable(error)),
        error => StoppedInOrder::Failed(failure(error)),
    }
}

fn misjudged(than: &str, expected: u64, counts: &LineCounts) -> StoppedInOrder {
    StoppedInOrder::Misjudged(format!(
        "has {} digests, {than} than the {expected} estimated from its beginning",
        counts.accepted
    ))
}
