//! Header to bytes.

#![allow(
    clippy::cast_possible_truncation,
    reason = "lengths are at most 8.7 MB: `decode` refuses longer ones"
)]

use super::{FIXED_BYTES, Header, Kind, MAGIC, Match, SchemeId, VERSION};
use crate::{codec::Writer, digrams::Digrams, hash::HASH_ID, page::PAGE_BYTES};

/// Offset of the header checksum, which is computed with itself as zero.
pub(super) const CHECKSUM_AT: usize = 16;

/// Identifier of the cleaning: NFKC, lower case, NFKC.
pub(super) const CLEANING_ID: u8 = 1;

/// The encoded header, [`Header::header_bytes`] bytes.
pub fn encode(header: &Header) -> Vec<u8> {
    let digrams = header.digrams.to_bytes();
    let header_bytes = header.header_bytes();
    let mut to = Writer::with_capacity(header_bytes);
    to.put(&MAGIC);
    to.u16(VERSION);
    to.u16(0);
    to.u32(header_bytes as u32);
    to.zeros_to(CHECKSUM_AT + 4);
    put_fields(header, digrams.len() as u32, &mut to);
    to.zeros_to(FIXED_BYTES);
    for symbol in header.alphabet.symbols() {
        to.u32(symbol.value());
    }
    to.put(&digrams);
    to.zeros_to(header_bytes);
    to.finish_sealed(CHECKSUM_AT)
}

fn put_fields(header: &Header, digram_bytes: u32, to: &mut Writer) {
    to.u32(PAGE_BYTES as u32);
    let (kind, matching, scheme) =
        (kind_id(header.kind), match_id(header.matching), scheme_id(header.scheme));
    let version = header.hash_version.id();
    to.put(&[kind, matching, scheme, digram_id(&header.digrams), HASH_ID, version, CLEANING_ID]);
    to.put(&[header.group_bits]);
    to.put(header.key.bytes());
    to.put(&[header.word_bits, header.deletion_bits]);
    for number in [header.stated.characters, header.stated.lookups, header.lengths.0, header.lengths.1] {
        to.u16(number);
    }
    to.put(&[0; 6]);
    for number in [header.pages, header.words, header.lines, header.extension, header.capacity] {
        to.u64(number);
    }
    to.u64(header.stated.false_rejection.to_bits());
    to.u64(header.created);
    to.u32(header.alphabet.len() as u32);
    to.u32(digram_bytes);
    to.u32(header.four_gram_pages.into());
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
