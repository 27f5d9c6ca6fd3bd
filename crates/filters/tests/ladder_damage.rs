//! Damage to a ladder file: every bit of its header with a right checksum, every length it may be cut to.
//!
//! FORMAT-LADDER.md is read here a second time: a header is refused exactly when it says so, and otherwise
//! encodes back to the very same bytes. Bits and stamps have no checksum: any content of them is a ladder
//! (evil/ has all zeros and all ones).

use std::{fs::File, ops::Range};

use nearmiss_filters::ladder::{
    ChosenLadder, Cost, HEADER_BYTES, Header, HeaderError, LadderError, LadderFiles, NewLadder, Params,
    create,
};

const SUM: Range<usize> = HEADER_BYTES - 4..HEADER_BYTES;

fn sample(stamps: u32) -> Header {
    Header {
        params: Params::new(1 << 22, 16, 15, 2).unwrap(),
        id: [9; 16],
        key_check: 0x0123_4567_89ab_cdef,
        cost: Cost::new(65_536, 3),
        stamps,
        created: 1_700_000_000,
        is_elsewhere: false,
    }
}

fn reseal(page: &mut [u8; HEADER_BYTES]) {
    let sum = crc32fast::hash(&page[..SUM.start]);
    page[SUM].copy_from_slice(&sum.to_le_bytes());
}

fn number(page: &[u8], range: Range<usize>) -> u64 {
    page[range].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Sections 1 and 8 of FORMAT-LADDER.md, the checksum aside.
fn is_legal(page: &[u8; HEADER_BYTES]) -> bool {
    let u32_at = |at: usize| number(page, at..at + 4);
    let bits = number(page, 16..24);
    let (rungs, threshold, steps, stamps) = (u32_at(24), u32_at(28), u32_at(32), u32_at(40));
    let (memory, passes, lanes) = (u32_at(44), u32_at(48), u32_at(52));
    let is_slow = (8..=65_536).contains(&memory) && (1..=1024).contains(&passes) && lanes == 1;
    let is_version = match u32_at(8) {
        2 => stamps == 0,
        3 => stamps > 0 && u32_at(88) == 0,
        _ => false,
    };
    page.starts_with(b"NMLADDER")
        && (u32_at(12), u32_at(36)) == (1, 4096)
        && is_version
        && bits.is_power_of_two()
        && (1 << 15..=1 << 36).contains(&bits)
        && (1..=128).contains(&rungs)
        && (1..=rungs).contains(&threshold)
        && (1..=rungs).contains(&steps)
        && (stamps == 0 || (stamps.is_power_of_two() && (256..=1 << 24).contains(&stamps)))
        && (is_slow || (memory, passes, lanes) == (0, 0, 0))
        && u32_at(88) <= 1
        && page[92..SUM.start].iter().all(|&byte| byte == 0)
}

#[test]
fn every_bit_of_the_header_with_a_right_checksum() {
    // The identifier, the key check and the time are free, 256 bits; of the numbers some.
    for stamps in [0, 8192] {
        let legal = legal_bits(&sample(stamps));
        assert!((257..300).contains(&legal), "{legal} bits are free");
    }
    println!("torture: bits of ladder headers with right checksums: {0} tried, {0} held", 2 * SUM.start * 8);
}

fn legal_bits(header: &Header) -> u32 {
    let mut legal = 0;
    for bit in 0..SUM.start * 8 {
        let mut page = header.encode();
        page[bit / 8] ^= 1 << (bit % 8);
        reseal(&mut page);
        match Header::decode(&page) {
            Ok(header) => {
                assert!(is_legal(&page), "bit {bit} was let through");
                assert!(header.encode() == page, "bit {bit} was not read");
                legal += 1;
            }
            Err(error) => {
                assert!(!is_legal(&page), "bit {bit} is legal: {error}");
                assert_ne!(error, HeaderError::Checksum, "bit {bit}");
            }
        }
    }
    legal
}

#[test]
fn every_length_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = LadderFiles { file: folder.path().join("s/l"), key: folder.path().join("k/l") };
    let new = NewLadder { params: Params::new(1 << 15, 16, 16, 2).unwrap(), cost: None, stamps: 256 };
    create(&files, &new, false).unwrap();
    let file = File::options().write(true).open(&files.file).unwrap();
    // Longer first, then only ever shorter: what is cut off does not come back.
    for length in [1 << 40, 16_384, 12_289].into_iter().chain((0..12_288).rev()) {
        file.set_len(length).unwrap();
        let expected = if length < 4096 { 4096 } else { 12_288 };
        let problem = match ChosenLadder::open(&files) {
            Err(LadderError::File { problem, .. }) => Some(problem),
            _ => None,
        };
        assert_eq!(problem, Some(HeaderError::Length { expected, got: length }));
    }
    println!("torture: lengths of ladders: {0} tried, {0} held", 12_288 + 3);
}
