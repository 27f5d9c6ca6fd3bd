use nearmiss_filters::{
    dictionary::Spec,
    format::{Kind, encode},
    hash::Key,
};

use super::*;
use crate::{making::first_header, range::RangeForm};

fn header() -> StateHeader {
    let form = RangeForm { kind: Kind::Ntlm, digits: 3, min_count: 7 };
    let filter = first_header(&form, Spec::default().stated, &Key::new([3; 16]), 0, 0).unwrap();
    StateHeader { form, base: "https://mirror.example/p".to_owned(), ended: 9, entries: 1 << 40, filter }
}

fn record(seed: u16) -> GroupRecord {
    let range = |number: u16| RangeRecord {
        entries: number ^ seed,
        etag: (!number.is_multiple_of(3)).then(|| format!("W/\"0x{number:X}-{seed}\"").into()),
    };
    GroupRecord { words: seed.into(), pages: 5, ranges: (0..256).map(range).collect() }
}

#[test]
fn what_is_written_is_read() {
    let bytes = header().encode().unwrap();
    assert_eq!(bytes.len(), HEADER_BYTES);
    let read = StateHeader::decode(&bytes).unwrap();
    assert_eq!((read.form, read.base.as_str()), (header().form, "https://mirror.example/p"));
    assert_eq!((read.ended, read.entries), (9, 1 << 40));
    assert_eq!(encode(&read.filter), encode(&header().filter));
    assert_eq!((read.groups(), read.ranges_of_group()), (16, 256));
    assert_eq!(read.encode().unwrap(), bytes);
    let text: Vec<u8> = (0..16).flat_map(|seed| record(seed).encode()).collect();
    let mut records = Records::behind(&read, text.as_slice());
    for seed in 0..16 {
        assert_eq!(records.next().unwrap(), Some(record(seed)));
    }
    assert_eq!(records.next().unwrap(), None);
}

/// The layout of FORMAT-RANGES.md, byte by byte.
#[test]
fn the_fields_are_where_the_format_has_them() {
    let bytes = header().encode().unwrap();
    assert_eq!(bytes[..24], *b"\x89NMG\r\n\x1a\n\x01\0\0\0\x04\x14\0\0\x02\x03\x04\0\x18\0\0\0");
    assert_eq!(bytes[24..32], [7, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes[32..48], [9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
    assert_eq!(bytes[48..56], header().filter.file_bytes().to_le_bytes());
    assert_eq!((&bytes[64..88], &bytes[88..1024]), (&b"https://mirror.example/p"[..], &[0; 936][..]));
    assert_eq!(bytes[1024..5120], encode(&header().filter));
    assert_eq!(bytes[5120..], crc32fast::hash(&bytes[..5120]).to_le_bytes());
    let short = GroupRecord { ranges: record(1).ranges[1..2].to_vec(), ..record(1) }.encode();
    assert_eq!(short[..12], [12, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0]);
    assert_eq!(short[12..24], *b"\0\0\x09W/\"0x1-1\"");
    assert_eq!(short[24..], crc32fast::hash(&short[..24]).to_le_bytes());
}

/// A field changed by somebody who can compute checksums.
fn forged(at: usize, byte: u8) -> Result<StateHeader, FetchStateError> {
    let mut bytes = header().encode().unwrap();
    bytes[at] = byte;
    let sum = crc32fast::hash(&bytes[..5120]).to_le_bytes();
    bytes[5120..].copy_from_slice(&sum);
    StateHeader::decode(&bytes)
}

#[test]
fn no_damage_is_believed() {
    let bytes = header().encode().unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(StateHeader::decode(&flipped).is_err(), "bit {bit}");
    }
    for length in 0..bytes.len() {
        assert!(StateHeader::decode(&bytes[..length]).is_err(), "{length} bytes");
    }
    let fields = [(10, 1), (12, 5), (16, 0), (16, 1), (16, 3), (17, 1), (17, 6), (18, 0), (18, 13), (19, 1)];
    for (at, byte) in fields.into_iter().chain([(22, 1), (23, 255), (48, 1), (56, 1), (64, 0xff), (90, 1)]) {
        assert!(matches!(forged(at, byte), Err(FetchStateError::Field(_))), "{byte} at {at}");
    }
    assert!(matches!(forged(8, 2), Err(FetchStateError::Version(2))));
    assert!(forged(24, 8).is_ok());
}

#[test]
fn records_end_at_the_first_that_is_not_whole() {
    let good = record(1).encode();
    let read = |bytes: &[u8]| {
        let text = [good.as_slice(), bytes].concat();
        let mut records = Records::behind(&header(), text.as_slice());
        assert_eq!(records.next().unwrap(), Some(record(1)));
        records.next().unwrap()
    };
    for bit in 0..good.len() * 8 {
        let mut flipped = good.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(read(&flipped), None, "bit {bit}");
    }
    for length in 0..good.len() {
        assert_eq!(read(&good[..length]), None, "{length} bytes");
    }
    let too_few = GroupRecord { ranges: record(1).ranges[1..].to_vec(), ..record(1) };
    let odd = RangeRecord { entries: 1, etag: Some("a\nb".into()) };
    let strange = GroupRecord { ranges: vec![odd; 256], ..record(1) };
    assert_eq!((read(&too_few.encode()), read(&strange.encode())), (None, None));
}
