//! The file next to a filter with a record of each range: FORMAT-RANGES.md is normative. A filter that is
//! being written has one, too, which grows with it group by group, with the number of each group.

mod header;
mod record;

pub(crate) use header::{FetchStateError, HEADER_BYTES, StateHeader};
pub(crate) use record::{GroupRecord, NUMBER_BYTES, RECORD_BYTES, RangeRecord, Records};

#[cfg(test)]
mod tests;
