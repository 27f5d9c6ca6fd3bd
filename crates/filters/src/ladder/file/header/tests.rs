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
