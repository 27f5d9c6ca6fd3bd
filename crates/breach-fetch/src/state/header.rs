//! The header: the request, and the resulting filter.

use std::fmt;

use nearmiss_filters::format::{self, Header, Kind};

use crate::range::RangeForm;

/// First bytes of the file.
const MAGIC: [u8; 8] = *b"\x89NMG\r\n\x1a\n";

/// The version that is written and read.
const VERSION: u16 = 1;

/// Offset of the filter's header.
const FILTER_AT: usize = 1024;

/// Offset of the checksum.
const CHECKSUM_AT: usize = FILTER_AT + FILTER_BYTES;

/// Bytes of the header of a filter of digests.
const FILTER_BYTES: usize = 4096;

/// Bytes of the whole header.
pub(crate) const HEADER_BYTES: usize = CHECKSUM_AT + 4;

/// Offset of the URL, and its highest length.
const BASE_AT: usize = 64;
const MAX_BASE_BYTES: usize = FILTER_AT - BASE_AT;

/// The data in a state file about all ranges together.
#[derive(Clone, Debug)]
pub(crate) struct StateHeader {
    /// The form of the ranges, and the least count.
    pub(crate) form: RangeForm,
    /// The URL from which they were requested.
    pub(crate) base: String,
    /// Seconds since 1970 of the end of the run; 0 while it has not ended.
    pub(crate) ended: u64,
    /// Digests taken from all ranges; 0 while the run has not ended.
    pub(crate) entries: u64,
    /// The header with which the filter was started.
    pub(crate) filter: Header,
}

/// The reason why a state file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FetchStateError {
    /// It is not a state file.
    NotAState,
    /// It has another version.
    Version(u16),
    /// It is truncated, or its checksum is wrong.
    Damaged,
    /// A field has an invalid value.
    Field(&'static str),
}

impl fmt::Display for FetchStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FetchStateError::NotAState => f.write_str("is not a ranges file"),
            FetchStateError::Version(got) => {
                write!(f, "has format version {got}; this version reads {VERSION}")
            }
            FetchStateError::Damaged => f.write_str("is damaged or truncated"),
            FetchStateError::Field(name) => write!(f, "has an invalid {name}"),
        }
    }
}

impl StateHeader {
    /// The header's bytes; none if the URL is too long.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let filter = format::encode(&self.filter);
        let base = self.base.as_bytes();
        if filter.len() != FILTER_BYTES || base.len() > MAX_BASE_BYTES {
            return None;
        }
        let mut to = Vec::with_capacity(HEADER_BYTES);
        to.extend(MAGIC);
        to.extend(VERSION.to_le_bytes());
        to.extend([0; 2]);
        to.extend(u32::try_from(HEADER_BYTES).ok()?.to_le_bytes());
        to.extend([kind_id(self.form.kind), self.form.digits, self.filter.group_bits, 0]);
        to.extend(u32::try_from(base.len()).ok()?.to_le_bytes());
        for number in [self.form.min_count, self.ended, self.entries, self.filter.file_bytes()] {
            to.extend(number.to_le_bytes());
        }
        to.resize(BASE_AT, 0);
        to.extend(base);
        to.resize(FILTER_AT, 0);
        to.extend(filter);
        to.extend(crc32fast::hash(&to).to_le_bytes());
        Some(to)
    }

    /// Reads a header.
    ///
    /// # Errors
    /// [`FetchStateError`] for the first invalid field.
    pub(crate) fn decode(bytes: &[u8]) -> Result<StateHeader, FetchStateError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(FetchStateError::NotAState)?;
        let version = rest.first_chunk().map_or(0, |&bytes| u16::from_le_bytes(bytes));
        if version != VERSION {
            return Err(FetchStateError::Version(version));
        }
        let (before, sum) = bytes.split_at_checked(CHECKSUM_AT).ok_or(FetchStateError::Damaged)?;
        if sum.first_chunk() != Some(&crc32fast::hash(before).to_le_bytes()) {
            return Err(FetchStateError::Damaged);
        }
        let byte = |at: usize| before.get(at).copied().unwrap_or(0);
        let u32_at =
            |at| before.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |&b| u32::from_le_bytes(b));
        let u64_at =
            |at| before.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |&b| u64::from_le_bytes(b));
        let kind = kind_of(byte(16)).ok_or(FetchStateError::Field("kind"))?;
        let digits = Some(byte(17)).filter(|digits| (2..=5).contains(digits));
        let digits = digits.ok_or(FetchStateError::Field("number of digits"))?;
        let length = usize::try_from(u32_at(20)).unwrap_or(usize::MAX).min(MAX_BASE_BYTES.saturating_add(1));
        let (base, padding) = before
            .get(BASE_AT..FILTER_AT)
            .and_then(|area| area.split_at_checked(length))
            .ok_or(FetchStateError::Field("length of the URL"))?;
        let base = std::str::from_utf8(base).map_err(|_| FetchStateError::Field("address"))?;
        let reserved = [before.get(10..12), before.get(19..20), before.get(56..BASE_AT), Some(padding)];
        if reserved.into_iter().flatten().flatten().any(|&byte| byte != 0)
            || u32_at(12) as usize != HEADER_BYTES
        {
            return Err(FetchStateError::Field("reserved bytes"));
        }
        let filter = format::decode(before.get(FILTER_AT..).unwrap_or_default(), u64_at(48));
        let filter = filter.map_err(|_| FetchStateError::Field("header of the filter"))?;
        let group_bits = byte(18);
        let form = RangeForm { kind, digits, min_count: u64_at(24) };
        let is_its = filter.kind == kind && filter.group_bits == group_bits;
        if !is_its || group_bits == 0 || u32::from(group_bits) > form.ranges().ilog2() {
            return Err(FetchStateError::Field("group bits"));
        }
        Ok(StateHeader { form, base: base.to_owned(), ended: u64_at(32), entries: u64_at(40), filter })
    }

    /// The number of groups.
    pub(crate) fn groups(&self) -> u64 {
        1 << self.filter.group_bits
    }

    /// The number of ranges of a group.
    pub(crate) fn ranges_of_group(&self) -> u32 {
        self.form.ranges() >> self.filter.group_bits
    }
}

fn kind_id(kind: Kind) -> u8 {
    if kind == Kind::Ntlm { 2 } else { 1 }
}

fn kind_of(id: u8) -> Option<Kind> {
    match id {
        1 => Some(Kind::Sha1),
        2 => Some(Kind::Ntlm),
        _ => None,
    }
}
