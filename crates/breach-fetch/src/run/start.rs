//! The start of a run: from the earlier filter, from the files of an interrupted run, or with the size of a
//! first filter.

use std::{collections::BTreeMap, path::Path};

use nearmiss_cli::{disk::DiskSpace, input::MOST_DIGESTS};
use nearmiss_filters::{format::encode, hash::Key};

use super::settings::Run;
use crate::{
    client::MAX_REFUSED,
    clock,
    earlier::{PreviousRun, state_of},
    failure::{Failure, warn},
    groups::{self, Fetched},
    keys,
    making::{CANNOT, Making, first_header},
    range::Range,
    report::size,
    state::{RECORD_BYTES, StateHeader},
    unfinished::PartialFile,
};

/// The number of ranges that are sampled to choose the size of a filter: currently five hundred thousand
/// digests.
const SAMPLE: u32 = 256;

/// The sample is at most this fraction of all ranges.
const SAMPLE_PART: u32 = 16;

/// The number of standard deviations that are added to the sampled number.
const DEVIATIONS: f64 = 3.0;

/// The start of a filter.
pub(super) struct Start {
    pub(super) making: Making,
    pub(super) earlier: Option<PreviousRun>,
    pub(super) sampled: BTreeMap<u32, Range>,
    /// Its size was chosen by this run.
    pub(super) is_sized_now: bool,
}

impl Run<'_> {
    /// The number of digests of the last run, if it had the same form and least count.
    pub(super) fn entries_before(&self) -> Option<u64> {
        let (header, _) = state_of(&self.settings.output).ok()??;
        (header.form == self.form()).then_some(header.entries)
    }

    /// True for a state that this run can resume.
    fn is_ours(&self, header: &StateHeader) -> bool {
        let key = self.settings.key.as_ref();
        header.form == self.form()
            && header.base == self.settings.client.base.as_str()
            && header.filter.stated == self.settings.stated
            && key.is_none_or(|key| key.bytes() == header.filter.key.bytes())
    }

    /// The existing data.
    pub(super) fn start(&self) -> Result<Start, Failure> {
        let earlier = self.earlier();
        let unfinished = PartialFile::resume(&self.settings.output, |header| self.is_ours(header));
        let unfinished = unfinished.map_err(|e| Failure::new("cannot read the unfinished filter", e))?;
        if let Some((files, written)) = unfinished {
            let making = Making::over(files, written)?;
            let first = encode(&making.header().filter);
            let earlier = earlier.filter(|earlier| encode(&earlier.header.filter) == first);
            return Ok(Start { making, earlier, sampled: BTreeMap::new(), is_sized_now: false });
        }
        let Some(earlier) = earlier else { return self.anew(None) };
        let header = StateHeader { ended: 0, entries: 0, ..earlier.header.clone() };
        let making = self.begin(header)?;
        Ok(Start { making, earlier: Some(earlier), sampled: BTreeMap::new(), is_sized_now: false })
    }

    fn earlier(&self) -> Option<PreviousRun> {
        let output = &self.settings.output;
        let opened = match state_of(output) {
            Ok(Some((header, _))) if !self.is_ours(&header) => return None,
            Ok(Some((header, file))) => PreviousRun::open(output, header, file),
            Ok(None) => return None,
            Err(reason) => Err(reason),
        };
        opened
            .map_err(|reason| warn(keys::FETCH_ANEW, &format!("{reason}; all ranges are fetched again")))
            .ok()
    }

    pub(super) fn anew(&self, counted: Option<u64>) -> Result<Start, Failure> {
        let form = self.form();
        let (sampled, digests) = match counted {
            Some(digests) => (BTreeMap::new(), digests),
            None => self.sample()?,
        };
        let (key, created) = match &self.settings.key {
            Some(key) => (key.clone(), 0),
            None => (Key::random().map_err(|e| Failure::new("cannot choose a key", e))?, clock::now()),
        };
        let filter = first_header(&form, self.settings.stated, &key, created, digests);
        let filter = filter.map_err(|e| Failure::new(CANNOT, e))?;
        let base = self.settings.client.base.as_str().to_owned();
        let making = self.begin(StateHeader { form, base, ended: 0, entries: 0, filter })?;
        Ok(Start { making, earlier: None, sampled, is_sized_now: true })
    }

    /// The first ranges, and the estimated total number of digests. Some of them may fail.
    fn sample(&self) -> Result<(BTreeMap<u32, Range>, u64), Failure> {
        let ranges = self.form().ranges();
        let count = SAMPLE.min(ranges / SAMPLE_PART).max(1);
        let parallel = self.settings.client.parallel;
        let room = MOST_DIGESTS / u64::from(ranges) * u64::from(count);
        let sampled = self.runtime.block_on(groups::fetch(&self.client, parallel, 0..count, room));
        let Fetched { ranges: sampled, refused, digests } = sampled;
        if digests > room {
            return Err(Failure::plain(
                keys::BREACHES_REFUSED,
                format!("the first {} ranges have {digests} digests: no corpus has so many", sampled.len()),
            ));
        }
        if sampled.is_empty() || self.client.has_given_up() {
            return Err(self.refused(&refused, u64::from(ranges)));
        }
        self.client.forgive();
        let seen: f64 = sampled.values().map(|range| f64::from(range.entries)).sum();
        let most = seen + DEVIATIONS * seen.sqrt();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2⁵²")]
        let digests = (most * f64::from(ranges) / sampled.len() as f64).ceil() as u64;
        Ok((sampled, digests))
    }

    /// Begins the files, if there is room for them.
    fn begin(&self, header: StateHeader) -> Result<Making, Failure> {
        let output = &self.settings.output;
        let folder = output.parent().unwrap_or(Path::new("/"));
        if let Some(disk) = DiskSpace::of(folder).filter(|disk| !disk.has_room_for(needed(&header))) {
            let [free, needed, reserve] =
                [disk.free, needed(&header), disk.reserve()].map(|bytes| size(bytes as f64));
            return Err(Failure::plain(
                keys::ROOM_ON_DISK,
                format!(
                    "{CANNOT}: {} has {free} free, of which {reserve} must stay free; the new filter needs \
                     {needed} in addition to the old one",
                    folder.display()
                ),
            ));
        }
        Making::begin(output, header)
    }
}

/// The most bytes of the files of a new filter: its own, the records of its ranges, and the ranges that are
/// kept while others of their groups are missing.
fn needed(header: &StateHeader) -> u64 {
    let (ranges, digests) = (u64::from(header.form.ranges()), header.filter.capacity);
    let of_groups = digests.div_ceil(header.groups().max(1)).saturating_mul(MAX_REFUSED.into()).min(digests);
    let kept = of_groups.saturating_mul(header.form.digest_bytes() as u64);
    header.filter.file_bytes().saturating_add(ranges * RECORD_BYTES).saturating_add(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::range::RangeForm;
    use nearmiss_filters::{dictionary::Spec, format::Kind};

    /// Two thousand million digests: the records of a million ranges, and the digests of 32 of 65,536 groups.
    #[test]
    fn the_files_beside_a_filter_need_room_too() {
        let form = RangeForm { kind: Kind::Sha1, digits: 5, min_count: 1 };
        let stated = Spec::of_digests(Kind::Sha1).stated;
        let filter = first_header(&form, stated, &Key::new([1; 16]), 0, 2_000_000_000).unwrap();
        let header = StateHeader { form, base: String::new(), ended: 0, entries: 0, filter };
        let of_group = header.filter.capacity.div_ceil(header.groups());
        let beside = (1 << 20) * RECORD_BYTES + 32 * of_group * 20;
        assert_eq!(needed(&header), header.filter.file_bytes() + beside);
    }
}
