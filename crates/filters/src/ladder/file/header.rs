//! The first page of a ladder file: its header. `FORMAT-LADDER.md` is the normative text.
//!
//! Every field is range-checked as if there were no checksum.

use super::error::HeaderError;
use super::slow_hash::{Cost, LANES};
use crate::codec::{Reader, Writer, has_checksum};
use crate::ladder::structure::bits::PAGE_BYTES;
use crate::ladder::structure::keys::{ID_BYTES, MasterKey, Purpose};
use crate::ladder::structure::params::{Params, ParamsError};

/// Bytes of the header: one page.
pub const HEADER_BYTES: usize = 4096;
/// The format of a ladder with stamps, the newest.
pub const FORMAT_VERSION: u32 = 3;
/// The format of a ladder without stamps.
const WITHOUT_STAMPS: u32 = 2;
/// The mapping of elements to rungs: `SipHash-2-4-128` and the position stream of `rungs.rs`.
const HASH_VERSION: u32 = 1;
const MAGIC: &[u8; 8] = b"NMLADDER";
/// Fewest bits in a file: one whole page of them.
const MIN_FILE_BITS: u64 = 1 << 15;
/// Stamps of one page; the number of stamps is a power of two of pages, or none.
pub(crate) const STAMPS_PER_PAGE: u32 = 256;
/// Most stamps: 2²⁴ accounts.
pub(crate) const MAX_STAMPS: u32 = 1 << 24;
const CHECKSUM_AT: usize = HEADER_BYTES - 4;

/// The header of a ladder file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bits, rungs, threshold, steps.
    pub params: Params,
    /// Random name of this ladder: part of every subkey.
    pub id: [u8; ID_BYTES],
    /// Identifies the master key without revealing it.
    pub key_check: u64,
    /// The slow hash in front of the ladder, if any.
    pub cost: Option<Cost>,
    /// Slots for account stamps, 0 for none.
    pub stamps: u32,
    /// The time of the ladder's creation, in seconds since 1970.
    pub created: u64,
    /// True if the bits are not after this page but in the store of a fleet.
    pub is_elsewhere: bool,
}

impl Header {
    /// True if the ladder was created with this key.
    pub fn is_of(&self, key: &MasterKey) -> bool {
        self.key_check == key_check(key, &self.id)
    }

    /// Words of the stamps, two each.
    pub(crate) fn stamp_words(&self) -> u64 {
        u64::from(self.stamps) << 1
    }

    /// Bytes before the stamps: header and bits.
    pub(crate) fn byte_part(&self) -> u64 {
        let bits = if self.is_elsewhere { 0 } else { self.params.bits() };
        (HEADER_BYTES as u64).saturating_add(bits >> 3)
    }

    /// Exact length of the file.
    pub fn file_length(&self) -> u64 {
        self.byte_part().saturating_add(self.stamp_words() << 3)
    }

    /// The header page.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut to = Writer::with_capacity(HEADER_BYTES);
        to.put(MAGIC);
        to.u32(if self.stamps == 0 { WITHOUT_STAMPS } else { FORMAT_VERSION });
        to.u32(HASH_VERSION);
        to.u64(self.params.bits());
        for number in
            [self.params.rungs(), self.params.threshold(), self.params.steps(), PAGE_U32, self.stamps]
        {
            to.u32(number);
        }
        let (memory, passes) = self.cost.map_or((0, 0), |cost| (cost.memory_kib(), cost.passes()));
        let lanes = if self.cost.is_some() { LANES } else { 0 };
        for number in [memory, passes, lanes] {
            to.u32(number);
        }
        to.u64(self.created);
        to.put(&self.id);
        to.u64(self.key_check);
        to.u32(self.is_elsewhere.into());
        to.zeros_to(CHECKSUM_AT);
        to.checksum();
        to.finish_page()
    }

    /// Reads a header page.
    ///
    /// # Errors
    /// [`HeaderError`]: the first field that violates the format.
    pub fn decode(page: &[u8; HEADER_BYTES]) -> Result<Self, HeaderError> {
        let mut from = Reader::new(page.get(..CHECKSUM_AT).unwrap_or(&[]));
        if from.take() != *MAGIC {
            return Err(HeaderError::Magic);
        }
        let version = from.u32();
        if !(WITHOUT_STAMPS..=FORMAT_VERSION).contains(&version) {
            return Err(other_version(version));
        }
        if from.u32() != HASH_VERSION {
            return Err(HeaderError::Hash);
        }
        let params = params(&mut from)?;
        let stamps = stamps(&mut from)?;
        let cost = cost(&mut from)?;
        let (created, id, key_check) = (from.u64(), from.take(), from.u64());
        let is_elsewhere = match from.u32() {
            0 => false,
            1 => true,
            _ => return Err(HeaderError::Reserved),
        };
        check_stamps(version, stamps, is_elsewhere)?;
        let header = Self { params, id, key_check, cost, stamps, created, is_elsewhere };
        if from.reserved_to_end() != 0 {
            return Err(HeaderError::Reserved);
        }
        if has_checksum(page, CHECKSUM_AT) { Ok(header) } else { Err(HeaderError::Checksum) }
    }
}

const PAGE_U32: u32 = 4096;
const _: () = assert!(PAGE_U32 as u64 == PAGE_BYTES);

/// The identification of a key in the headers of its ladders.
pub(in crate::ladder) fn key_check(key: &MasterKey, id: &[u8; ID_BYTES]) -> u64 {
    key.subkey(Purpose::Check, id).hash(b"").0
}

fn params(from: &mut Reader<'_>) -> Result<Params, HeaderError> {
    let bits = from.u64();
    let (rungs, threshold, steps) = (from.u32(), from.u32(), from.u32());
    let params = Params::new(bits, rungs, threshold, steps).map_err(HeaderError::Params)?;
    if bits < MIN_FILE_BITS {
        return Err(HeaderError::Params(ParamsError::Bits(bits)));
    }
    if from.u32() == PAGE_U32 { Ok(params) } else { Err(HeaderError::PageBytes { expected: PAGE_U32 }) }
}

fn stamps(from: &mut Reader<'_>) -> Result<u32, HeaderError> {
    match from.u32() {
        stamps if is_stamp_count(stamps) => Ok(stamps),
        _ => Err(HeaderError::Stamps),
    }
}

/// Checks that a ladder of this version can have this number of slots for stamps. Version 2 with stamps is an
/// older format, which no release wrote.
fn check_stamps(version: u32, stamps: u32, is_elsewhere: bool) -> Result<(), HeaderError> {
    match (version, stamps) {
        (FORMAT_VERSION, 0) => Err(HeaderError::Stamps),
        (FORMAT_VERSION, _) if is_elsewhere => Err(HeaderError::Reserved),
        (FORMAT_VERSION, _) | (_, 0) => Ok(()),
        _ => Err(other_version(version)),
    }
}

fn other_version(got: u32) -> HeaderError {
    HeaderError::Version { got, expected: FORMAT_VERSION }
}

/// True if a ladder can have this number of slots for stamps.
pub(in crate::ladder) const fn is_stamp_count(stamps: u32) -> bool {
    stamps == 0 || (stamps.is_power_of_two() && stamps >= STAMPS_PER_PAGE && stamps <= MAX_STAMPS)
}

fn cost(from: &mut Reader<'_>) -> Result<Option<Cost>, HeaderError> {
    match (from.u32(), from.u32(), from.u32()) {
        (0, 0, 0) => Ok(None),
        (memory, passes, LANES) => Cost::new(memory, passes).map(Some).ok_or(HeaderError::SlowHash),
        _ => Err(HeaderError::SlowHash),
    }
}

#[cfg(test)]
mod tests;
