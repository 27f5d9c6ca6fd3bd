//! Evil ladders and keys. The good ones they are made from are written here from FORMAT-LADDER.md alone, key
//! check included.

use nearmiss_filters::ladder::{FORMAT_VERSION, HeaderError, KeyProblem, ParamsError};
use siphasher::sip128::SipHasher24;

use super::{Evil, Expected};

const ID: [u8; 16] = [9; 16];
const HEADER: usize = 4096;
/// A key no ladder here is made with.
const OTHER: u8 = 0x55;
/// The key they are made with.
const OWN: u8 = 0x33;

fn key_of(byte: u8) -> Vec<u8> {
    let mut key = b"NMLADKEY\x01\0\0\0\0\0\0\0".to_vec();
    key.extend([byte; 32]);
    let sum = crc32fast::hash(&key);
    key.extend(sum.to_le_bytes());
    key.extend([0; 4]);
    key
}

/// The key that goes with the ladders.
pub fn key() -> Vec<u8> {
    key_of(OWN)
}

/// Section 3: subkey 6 of the master key, and what it makes of nothing.
fn key_check(master: [u8; 32]) -> u64 {
    let mut subkey = 0;
    for (half, number) in master.chunks_exact(16).zip(0..) {
        let message = [&ID[..], &[6, number]].concat();
        subkey ^= u128::from(SipHasher24::new_with_key(half.try_into().unwrap()).hash(&message));
    }
    SipHasher24::new_with_key(&subkey.to_le_bytes()).hash(b"").h1
}

/// 2¹⁵ bits, 16 rungs, threshold 16, 2 steps, no stamps, no slow hash; every other bit a one.
fn good() -> Vec<u8> {
    let mut file = b"NMLADDER\x02\0\0\0\x01\0\0\0".to_vec();
    file.extend((1_u64 << 15).to_le_bytes());
    file.extend([16_u32, 16, 2, 4096, 0, 0, 0, 0].into_iter().flat_map(u32::to_le_bytes));
    file.extend(1_700_000_000_u64.to_le_bytes());
    file.extend(ID);
    file.extend(key_check([OWN; 32]).to_le_bytes());
    file.resize(HEADER, 0);
    file.resize(2 * HEADER, 0x55);
    reseal(file)
}

fn reseal(mut file: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&file[..HEADER - 4]);
    file[HEADER - 4..HEADER].copy_from_slice(&sum.to_le_bytes());
    file
}

fn with(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = good();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    reseal(file)
}

fn number(at: usize, number: u32) -> Vec<u8> {
    with(at, &number.to_le_bytes())
}

fn bits(bits: u64) -> Vec<u8> {
    with(16, &bits.to_le_bytes())
}

fn array_of(byte: u8) -> Vec<u8> {
    let mut file = good();
    file[HEADER..].fill(byte);
    file
}

fn params(error: ParamsError) -> Expected {
    Expected::Ladder(HeaderError::Params(error))
}

fn wrong_bits(bits: u64) -> Expected {
    params(ParamsError::Bits(bits))
}

pub fn all() -> Vec<Evil> {
    let length = |expected, got| Expected::Ladder(HeaderError::Length { expected, got });
    let version = |got| Expected::Ladder(HeaderError::Version { got, expected: FORMAT_VERSION });
    let mut claimed = good();
    claimed[8] = 3;
    claimed[40..44].copy_from_slice(&(1_u32 << 24).to_le_bytes());
    let mut foreign = good();
    foreign[80..88].copy_from_slice(&key_check([OTHER; 32]).to_le_bytes());
    let list = vec![
        ("empty", vec![], length(4096, 0)),
        ("header-ends-early", good()[..4095].to_vec(), length(4096, 4095)),
        ("array-ends-early", good()[..8191].to_vec(), length(8192, 8191)),
        ("one-byte-more", [good(), vec![0]].concat(), length(8192, 8193)),
        ("magic-of-a-key", with(0, b"NMLADKEY"), Expected::Ladder(HeaderError::Magic)),
        ("version-0", number(8, 0), version(0)),
        ("version-1", number(8, 1), version(1)),
        // Format 2 is that of a ladder without stamps.
        ("version-2-with-stamps", number(40, 8192), version(2)),
        // Format 3 is that of stamps, and there are none.
        ("version-3", number(8, 3), Expected::Ladder(HeaderError::Stamps)),
        ("version-4", number(8, 4), version(4)),
        ("hash-2", number(12, 2), Expected::Ladder(HeaderError::Hash)),
        ("bits-0", bits(0), wrong_bits(0)),
        ("bits-no-power-of-two", bits(3 << 15), wrong_bits(3 << 15)),
        ("bits-8-gib-too-many", bits(1 << 37), wrong_bits(1 << 37)),
        ("bits-most", bits(u64::MAX), wrong_bits(u64::MAX)),
        ("bits-8-gib-claimed", bits(1 << 36), length((1 << 33) + 4096, 8192)),
        ("rungs-0", number(24, 0), params(ParamsError::Rungs(0))),
        ("rungs-129", number(24, 129), params(ParamsError::Rungs(129))),
        (
            "threshold-beyond-rungs",
            number(28, 17),
            params(ParamsError::Threshold { threshold: 17, rungs: 16 }),
        ),
        ("steps-0", number(32, 0), params(ParamsError::Steps { steps: 0, rungs: 16 })),
        ("steps-4-gi", number(32, u32::MAX), params(ParamsError::Steps { steps: u32::MAX, rungs: 16 })),
        ("page-bytes-8192", number(36, 8192), Expected::Ladder(HeaderError::PageBytes { expected: 4096 })),
        ("stamps-1", number(40, 1), Expected::Ladder(HeaderError::Stamps)),
        ("stamps-2-to-31", number(40, 1 << 31), Expected::Ladder(HeaderError::Stamps)),
        ("stamps-claimed", reseal(claimed), length(8192 + (1 << 28), 8192)),
        ("slow-hash-4-tib", with(44, &[0xff; 12]), Expected::Ladder(HeaderError::SlowHash)),
        (
            "slow-hash-2-lanes",
            with(44, &[64, 0, 0, 0, 1, 0, 0, 0, 2]),
            Expected::Ladder(HeaderError::SlowHash),
        ),
        ("slow-hash-without-passes", number(44, 64), Expected::Ladder(HeaderError::SlowHash)),
        ("bits-in-a-fleet", with(88, &[1]), length(4096, 8192)),
        ("bits-nowhere", with(88, &[2]), Expected::Ladder(HeaderError::Reserved)),
        ("reserved", with(92, &[1]), Expected::Ladder(HeaderError::Reserved)),
        ("checksum-wrong", flipped(good(), 60), Expected::Ladder(HeaderError::Checksum)),
        ("made-with-another-key", reseal(foreign), Expected::OtherKey),
        ("all-zeros", array_of(0), Expected::Height(0)),
        ("all-ones", array_of(0xff), Expected::Height(16)),
    ];
    list.into_iter().map(|(name, bytes, expected)| Evil::new(name, "ladder", bytes, expected)).collect()
}

pub fn keys() -> Vec<Evil> {
    let resealed = |at: usize, byte: u8| {
        let mut key = key();
        key[at] = byte;
        let sum = crc32fast::hash(&key[..48]);
        key[48..52].copy_from_slice(&sum.to_le_bytes());
        key
    };
    let list = vec![
        ("empty", vec![], KeyProblem::Length),
        ("one-byte-less", key()[..55].to_vec(), KeyProblem::Length),
        ("one-byte-more", [key(), vec![0]].concat(), KeyProblem::Length),
        ("magic-of-a-ladder", [b"NMLADDER", &key()[8..]].concat(), KeyProblem::Magic),
        ("version-2", resealed(8, 2), KeyProblem::Version),
        ("reserved-12", resealed(12, 1), KeyProblem::Damaged),
        ("reserved-52", resealed(55, 1), KeyProblem::Damaged),
        ("all-zeros", key_of(0), KeyProblem::Damaged),
        ("checksum-wrong", flipped(key(), 20), KeyProblem::Damaged),
    ];
    list.into_iter()
        .map(|(name, bytes, problem)| Evil::new(name, "key", bytes, Expected::Key(problem)))
        .collect()
}

fn flipped(mut file: Vec<u8>, at: usize) -> Vec<u8> {
    file[at] ^= 4;
    file
}
