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
mod tests {
    use super::*;

    fn sample() -> Header {
        let id = [9; ID_BYTES];
        Header {
            params: Params::new(1 << 22, 16, 15, 2).unwrap(),
            id,
            key_check: key_check(&MasterKey::new([1; 32]), &id),
            cost: Cost::new(65_536, 3),
            stamps: 8192,
            created: 1_700_000_000,
            is_elsewhere: false,
        }
    }

    /// The header with one field changed and a correct checksum.
    fn with(at: usize, field: &[u8]) -> Result<Header, HeaderError> {
        let mut page = sample().encode();
        page[at..][..field.len()].copy_from_slice(field);
        let sum = crc32fast::hash(&page[..CHECKSUM_AT]);
        page[CHECKSUM_AT..].copy_from_slice(&sum.to_le_bytes());
        Header::decode(&page)
    }

    #[test]
    fn what_was_written_is_read() {
        let mut header = sample();
        assert_eq!(Header::decode(&header.encode()), Ok(header.clone()));
        assert_eq!(header.file_length(), 4096 + (1 << 19) + 8192 * 16);
        (header.cost, header.stamps, header.is_elsewhere) = (None, 0, true);
        assert_eq!(header.file_length(), 4096);
        assert_eq!(Header::decode(&header.encode()), Ok(header.clone()));
        assert!(header.is_of(&MasterKey::new([1; 32])) && !header.is_of(&MasterKey::new([2; 32])));
    }

    #[test]
    fn every_flipped_bit_is_found() {
        let page = sample().encode();
        for bit in 0..HEADER_BYTES * 8 {
            let mut damaged = page;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::decode(&damaged).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn every_field_is_checked_without_the_checksum() {
        let number = |n: u32| n.to_le_bytes();
        assert_eq!(with(0, b"X"), Err(HeaderError::Magic));
        for got in [0, 1, 2, 4] {
            assert_eq!(with(8, &number(got)), Err(HeaderError::Version { got, expected: FORMAT_VERSION }));
        }
        assert_eq!(with(40, &number(0)), Err(HeaderError::Stamps), "format 3 is that of stamps");
        assert_eq!(with(12, &number(0)), Err(HeaderError::Hash));
        for bits in [0, 1 << 14, 3 << 20, 1 << 37, u64::MAX] {
            assert_eq!(with(16, &u64::to_le_bytes(bits)), Err(HeaderError::Params(ParamsError::Bits(bits))));
        }
        assert!(matches!(with(24, &number(129)), Err(HeaderError::Params(_))));
        assert!(matches!(with(28, &number(17)), Err(HeaderError::Params(_))));
        assert!(matches!(with(32, &number(0)), Err(HeaderError::Params(_))));
        assert_eq!(with(36, &number(2048)), Err(HeaderError::PageBytes { expected: 4096 }));
        for stamps in [1, 128, 257, 1 << 25] {
            assert_eq!(with(40, &number(stamps)), Err(HeaderError::Stamps));
        }
        for (at, value) in [(44, 0), (44, 65_537), (48, 0), (48, 1025), (52, 0), (52, 2)] {
            assert_eq!(with(at, &number(value)), Err(HeaderError::SlowHash));
        }
        for elsewhere in [1, 2] {
            assert_eq!(with(88, &number(elsewhere)), Err(HeaderError::Reserved));
        }
        for at in [92, 2000, CHECKSUM_AT - 1] {
            assert_eq!(with(at, &[1]), Err(HeaderError::Reserved));
        }
    }

    /// The example of FORMAT-LADDER.md.
    #[test]
    fn the_header_of_the_format_text() {
        let key = MasterKey::new(std::array::from_fn(|i| u8::try_from(i).unwrap()));
        let id: [u8; ID_BYTES] = std::array::from_fn(|i| u8::try_from(i + 32).unwrap());
        let params = Params::new(1 << 22, 16, 16, 2).unwrap();
        let cost = Cost::new(65_536, 2);
        let key_check = key_check(&key, &id);
        let header = Header { params, key_check, id, cost, stamps: 8192, created: 1, is_elsewhere: false };
        let page = header.encode();
        let expected: [u64; 11] = [
            0x4e4d_4c41_4444_4552,
            0x0300_0000_0100_0000,
            0x0000_4000_0000_0000,
            0x1000_0000_1000_0000,
            0x0200_0000_0010_0000,
            0x0020_0000_0000_0100,
            0x0200_0000_0100_0000,
            0x0100_0000_0000_0000,
            0x2021_2223_2425_2627,
            0x2829_2a2b_2c2d_2e2f,
            0x8597_a876_d55e_fdb8,
        ];
        assert_eq!(page[..88], *expected.map(u64::to_be_bytes).as_flattened());
        assert_eq!(page[CHECKSUM_AT..], [0x04, 0x94, 0x82, 0x2c]);
    }

    #[test]
    fn errors_say_what_to_do() {
        let length = HeaderError::Length { expected: 9, got: 8 };
        assert_eq!(length.to_string(), "8 bytes long instead of 9; create a new ladder");
        let texts: std::collections::HashSet<String> = [
            HeaderError::Magic,
            HeaderError::Version { got: 7, expected: FORMAT_VERSION },
            HeaderError::Version { got: 1, expected: FORMAT_VERSION },
            HeaderError::Hash,
            HeaderError::Params(ParamsError::Rungs(0)),
            HeaderError::PageBytes { expected: 4096 },
            HeaderError::Stamps,
            HeaderError::SlowHash,
            HeaderError::Reserved,
            HeaderError::Checksum,
            HeaderError::OfAFleet,
            HeaderError::NotOfAFleet,
        ]
        .map(|error| error.to_string())
        .into();
        assert_eq!(texts.len(), 12);
    }
}
