//! Header to bytes.

#![allow(
    clippy::cast_possible_truncation,
    reason = "lengths are at most 8.7 MB: `decode` refuses longer ones"
)]

use super::{FIXED_BYTES, Header, Kind, MAGIC, Match, SchemeId, VERSION};
use crate::{
    digrams::Digrams,
    hash::{HASH_ID, HASH_VERSION},
    page::PAGE_BYTES,
};

/// Offset of the header checksum, which is computed with itself as zero.
pub(super) const CHECKSUM_AT: usize = 16;

/// Identifier of the cleaning: NFKC, lower case, NFKC.
pub(super) const CLEANING_ID: u8 = 1;

/// The encoded header, [`Header::header_bytes`] bytes.
pub fn encode(header: &Header) -> Vec<u8> {
    let digrams = header.digrams.to_bytes();
    let header_bytes = header.header_bytes();
    let mut bytes = fixed_fields(header, header_bytes as u32, digrams.len() as u32);
    bytes.resize(FIXED_BYTES, 0);
    for symbol in header.alphabet.symbols() {
        bytes.extend_from_slice(&symbol.value().to_le_bytes());
    }
    bytes.extend_from_slice(&digrams);
    bytes.resize(header_bytes, 0);
    let checksum = crc32fast::hash(&bytes).to_le_bytes();
    if let Some(place) = bytes.get_mut(CHECKSUM_AT..CHECKSUM_AT + 4) {
        place.copy_from_slice(&checksum);
    }
    bytes
}

fn fixed_fields(header: &Header, header_bytes: u32, digram_bytes: u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(header_bytes as usize);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&[0; 2]);
    bytes.extend_from_slice(&header_bytes.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]); // the checksum
    bytes.extend_from_slice(&(PAGE_BYTES as u32).to_le_bytes());
    bytes.extend_from_slice(&[
        kind_id(header.kind),
        match_id(header.matching),
        scheme_id(header.scheme),
        digram_id(&header.digrams),
        HASH_ID,
        HASH_VERSION,
        CLEANING_ID,
        0,
    ]);
    bytes.extend_from_slice(header.key.bytes());
    bytes.extend_from_slice(&[header.word_bits, header.deletion_bits]);
    for number in [header.stated.characters, header.stated.lookups, header.lengths.0, header.lengths.1] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&[0; 6]);
    for number in numbers(header) {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&(header.alphabet.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&digram_bytes.to_le_bytes());
    bytes
}

fn numbers(header: &Header) -> [u64; 7] {
    [
        header.pages,
        header.words,
        header.lines,
        header.extension,
        header.capacity,
        header.stated.false_rejection.to_bits(),
        header.created,
    ]
}

fn kind_id(kind: Kind) -> u8 {
    match kind {
        Kind::Words => 1,
        Kind::Sha1 => 2,
        Kind::Ntlm => 3,
    }
}

fn match_id(matching: Match) -> u8 {
    match matching {
        Match::Near => 1,
        Match::Exact => 2,
    }
}

fn scheme_id(scheme: SchemeId) -> u8 {
    match scheme {
        SchemeId::Whole => 1,
        SchemeId::Deletions => 2,
        SchemeId::Paper => 3,
    }
}

fn digram_id(digrams: &Digrams) -> u8 {
    match digrams {
        Digrams::None => 1,
        Digrams::Exact(_) => 2,
        Digrams::Hashed(_) => 3,
    }
}
