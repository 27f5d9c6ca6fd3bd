//! Filters and ladders of any bytes.

use nearmiss_filters::{
    dictionary::{Buffers, DictionaryFilter},
    format::encode,
    ladder::{BitStore, Header, LadderFilter, MasterKey, MemoryBits, Params, SeededRandom, ones},
    page,
    word::Word,
};

use super::{
    format::{CHECKSUM, PAGE, is_legal, reseal_header},
    input::Input,
};

/// Any bytes as a filter, as they are and with the header's checksum made right: accepted exactly when
/// FORMAT.md says so, and then written back as it was read.
pub fn header(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let is_as_written = is_legal(&bytes) && is_sealed(&bytes);
    assert_eq!(DictionaryFilter::from_bytes(&bytes[..]).is_ok(), is_as_written);
    if bytes.len() >= CHECKSUM.end {
        reseal_header(&mut bytes);
    }
    match DictionaryFilter::from_bytes(&bytes[..]) {
        Ok(filter) => {
            assert!(is_legal(&bytes), "an illegal header was let through");
            let encoded = encode(filter.header());
            assert!(encoded == bytes[..encoded.len()], "a legal header is not written as it was read");
        }
        Err(error) => assert!(!is_legal(&bytes), "a legal header was refused: {error}"),
    }
}

fn is_sealed(bytes: &[u8]) -> bool {
    let mut resealed = bytes.to_vec();
    reseal_header(&mut resealed);
    resealed == bytes
}

/// A filter in which everything is any bytes, sealed so that it is believed, asked for a word of any bytes:
/// there is an answer, and what is named is within one edit of what was asked.
pub fn page_lookup(bytes: &[u8]) {
    let mut input = Input(bytes);
    let (swaps, question) = (input.byte() & 1 == 1, input.text());
    let mut file = input.0.to_vec();
    if file.len() < 2 * PAGE {
        file = spread(&file);
    }
    file.iter_mut().zip(TEMPLATE).for_each(|(to, from)| *to = *from);
    reseal_header(&mut file);
    for page in file[PAGE..].as_chunks_mut::<PAGE>().0 {
        page::seal(page);
    }
    let (Ok(filter), Ok(word)) = (DictionaryFilter::from_bytes(file), Word::clean(question)) else { return };
    let mut buffers = Buffers::default();
    let mut is_found = false;
    let visited = filter.visit(&word, swaps, &mut buffers, &mut |found| {
        is_found = true;
        if let Some(named) = found.word {
            assert!(super::common::distance(&named, &word) <= 1 || super::common::is_swap(&named, &word));
        }
        false
    });
    visited.expect("sealed pages in memory");
    assert_eq!(filter.nearest(&word, swaps, &mut buffers).expect("sealed pages").is_some(), is_found);
    filter.contains(&word, &mut buffers).expect("sealed pages");
    filter.visit_distance_2(&word, &mut |_| ()).expect("sealed pages");
}

/// The fields that come before any other, so that fewer inputs are refused at once.
const TEMPLATE: &[u8; 24] = b"\x89NMF\r\n\x1a\n\x01\0\0\0\0\x10\0\0\0\0\0\0\0\x10\0\0";

/// A header that begins with these bytes, one page, and the pages of the table of 4-grams, filled with the
/// rest.
fn spread(bytes: &[u8]) -> Vec<u8> {
    let (head, bits) = bytes.split_at(bytes.len() / 2);
    let mut file = head.to_vec();
    file.resize(PAGE, 0);
    file[64..72].copy_from_slice(&1_u64.to_le_bytes());
    let four_gram_pages = [0_u32, 1, 2, 4].into_iter().find(|pages| file[128..132] == pages.to_le_bytes());
    let end = (2 + four_gram_pages.unwrap_or(0) as usize) * PAGE;
    file.extend(bits.iter().cycle().take(end - PAGE));
    file.resize(end, 0);
    file
}

/// Any bytes as a ladder's header, and as its bits: a header that is read is written as it was; heights stay
/// within the rungs, a step climbs one rung at most and changes four bits at most.
pub fn ladder(bytes: &[u8]) {
    if let Some(page) = bytes.first_chunk() {
        let mut page = *page;
        let sum = crc32fast::hash(&page[..4092]).to_le_bytes();
        page[4092..].copy_from_slice(&sum);
        if let Ok(header) = Header::decode(&page) {
            assert!(header.encode() == page, "a legal header is not written as it was read");
        }
    }
    let mut input = Input(bytes);
    let numbers = [input.byte(), input.byte(), input.byte()].map(u32::from);
    let Ok(params) = Params::new(1 << 12, numbers[0], numbers[1], numbers[2]) else { return };
    let element = input.text();
    let array: Vec<u8> = input.0.iter().copied().cycle().take(512).collect();
    if array.len() == 512 {
        climb(&params, array, element);
    }
}

fn climb(params: &Params, array: Vec<u8>, element: &[u8]) {
    let ladder =
        LadderFilter::new(*params, &MasterKey::new([7; 32]), &[1; 16], MemoryBits::from_bytes(array));
    let rungs = ladder.rungs_of(element);
    let mut random = SeededRandom::new(element.len() as u64);
    for _ in 0..8 {
        let (height, count) = (height(&ladder, element), count(&ladder));
        assert_eq!(ladder.step(&rungs, &mut random).expect("in memory"), height);
        assert!(self::height(&ladder, element) <= (height + 1).min(params.rungs()).max(height));
        assert!(self::count(&ladder).abs_diff(count) <= 2);
    }
}

fn height(ladder: &LadderFilter<MemoryBits>, element: &[u8]) -> u32 {
    let height = ladder.height(&ladder.rungs_of(element)).expect("in memory");
    assert!(height <= ladder.params().rungs());
    height
}

fn count(ladder: &LadderFilter<MemoryBits>) -> u64 {
    ones(ladder.bits(), 0, ladder.bits().byte_count()).expect("in memory")
}
