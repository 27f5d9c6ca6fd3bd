//! Bytes to header, with every range check.

use super::{
    FIXED_BYTES, FormatError, Header, Kind, MAGIC, MAX_GROUP_BITS, MAX_HEADER_BYTES, MAX_PAGES, Match,
    SchemeId, StatedRate, VERSION,
    encode::{CHECKSUM_AT, CLEANING_ID},
};
use crate::{
    alphabet::{Alphabet, MAX_SYMBOLS},
    chunks::chunks,
    codec::{Reader, is_sealed, largest},
    digrams::Digrams,
    four_grams::MAX_PAGES as MAX_QUAD_PAGES,
    hash::{HASH_ID, HashVersion, Key},
    page::{MAX_PROBES, PAGE_BYTES},
    word::MAX_DICTIONARY_CHARACTERS,
};

/// Bytes of the fields that identify the format.
const VERSION_END: usize = MAGIC.len() + 2;

/// Refuses reserved bytes that are not zero.
fn check_reserved(largest: u8, name: &'static str) -> Result<(), FormatError> {
    check(largest == 0, name, largest)
}

fn check(is_legal: bool, name: &'static str, got: impl Into<u64>) -> Result<(), FormatError> {
    if is_legal { Ok(()) } else { Err(FormatError::Field { name, got: got.into() }) }
}

/// The length of the header that begins with `first` ([`FIXED_BYTES`] bytes of the file), after the first
/// checks: magic, version, and a valid length. Bounds the next read.
///
/// # Errors
/// [`FormatError::NotAFilter`], [`FormatError::Version`], [`FormatError::TruncatedHeader`],
/// [`FormatError::Field`].
pub fn header_bytes_of(first: &[u8]) -> Result<usize, FormatError> {
    let Some(rest) = first.strip_prefix(&MAGIC) else { return Err(FormatError::NotAFilter) };
    let mut fields = Reader::new(rest);
    let got = fields.u16();
    if got != VERSION && first.len() >= VERSION_END {
        return Err(FormatError::Version { got });
    }
    if first.len() < FIXED_BYTES {
        let (expected, got) = (FIXED_BYTES as u64, first.len() as u64);
        return Err(FormatError::TruncatedHeader { expected, got });
    }
    check_reserved(fields.reserved::<2>(), "reserved at 10")?;
    let got = fields.u32();
    let bytes = got as usize;
    let is_legal = bytes % PAGE_BYTES == 0 && (PAGE_BYTES..=MAX_HEADER_BYTES as usize).contains(&bytes);
    check(is_legal, "header bytes", got)?;
    Ok(bytes)
}

/// Reads a header from its [`header_bytes_of`] bytes, and checks it against the length of the file.
///
/// # Errors
/// [`FormatError`] for the first invalid field.
pub fn decode(bytes: &[u8], file_bytes: u64) -> Result<Header, FormatError> {
    let header = decode_header(bytes)?;
    if file_bytes != header.file_bytes() {
        return Err(FormatError::Length { expected: header.file_bytes(), got: file_bytes });
    }
    Ok(header)
}

/// Reads a header that is stored outside of its filter: [`decode`] without the length of the file.
///
/// # Errors
/// As [`decode`].
pub(crate) fn decode_header(bytes: &[u8]) -> Result<Header, FormatError> {
    let expected = header_bytes_of(bytes)?;
    let Some(bytes) = bytes.get(..expected) else {
        return Err(FormatError::TruncatedHeader { expected: expected as u64, got: bytes.len() as u64 });
    };
    if !is_sealed(bytes, CHECKSUM_AT) {
        return Err(FormatError::HeaderDamaged);
    }
    fields(bytes)
}

fn fields(bytes: &[u8]) -> Result<Header, FormatError> {
    let (fixed, variable) = bytes.split_at_checked(FIXED_BYTES).unwrap_or_default();
    let mut from = Reader::new(fixed.get(CHECKSUM_AT + 4..).unwrap_or_default());
    let page_bytes = from.u32();
    check(page_bytes as usize == PAGE_BYTES, "page bytes", page_bytes)?;
    let (kind, matching, scheme) = (kind(from.u8())?, matching(from.u8())?, scheme(from.u8())?);
    check_combination(kind, matching, scheme)?;
    let digram_id = from.u8();
    let hash_version = ids(&mut from)?;
    let group_bits = from.u8();
    check_groups(kind, hash_version, group_bits)?;
    let key = Key::new(from.take());
    let (word_bits, deletion_bits) = (from.u8(), from.u8());
    check_probes(scheme, word_bits, deletion_bits)?;
    let (characters, lookups) = (from.u16(), from.u16());
    let lengths = (from.u16(), from.u16());
    check_lengths(lengths)?;
    check_reserved(from.reserved::<6>(), "reserved at 58")?;
    let pages = from.u64();
    let is_legal = (1..=MAX_PAGES).contains(&pages) && pages.trailing_zeros() >= group_bits.into();
    check(is_legal, "pages", pages)?;
    let (words, lines, extension, capacity) = (from.u64(), from.u64(), from.u64(), from.u64());
    let stated = StatedRate { false_rejection: f64::from_bits(from.u64()), characters, lookups };
    check_rate(stated)?;
    let created = from.u64();
    let (symbols, digram_bytes, four_gram_pages) = (from.u32(), from.u32(), from.u32());
    check_reserved(from.reserved_to_end(), "reserved")?;
    let (alphabet, rest) = alphabet(variable, symbols)?;
    let table = rest.split_at_checked(digram_bytes as usize);
    let (table, padding) =
        table.ok_or(FormatError::Field { name: "digram bytes", got: digram_bytes.into() })?;
    let digrams = digrams(digram_id, table, &alphabet)?;
    let four_gram_pages = four_gram_pages_of(four_gram_pages)?;
    check_reserved(largest(padding), "reserved")?;
    check_tables(scheme, &alphabet, &digrams, four_gram_pages)?;
    let header = Header {
        kind,
        matching,
        scheme,
        word_bits,
        deletion_bits,
        key,
        pages,
        words,
        lines,
        extension,
        capacity,
        stated,
        created,
        lengths,
        alphabet,
        digrams,
        four_gram_pages,
        hash_version,
        group_bits,
    };
    check(header.header_bytes() == bytes.len(), "header bytes", bytes.len() as u64)?;
    Ok(header)
}

fn kind(id: u8) -> Result<Kind, FormatError> {
    match id {
        1 => Ok(Kind::Words),
        2 => Ok(Kind::Sha1),
        3 => Ok(Kind::Ntlm),
        got => Err(FormatError::Field { name: "kind", got: got.into() }),
    }
}

fn matching(id: u8) -> Result<Match, FormatError> {
    match id {
        1 => Ok(Match::Near),
        2 => Ok(Match::Exact),
        got => Err(FormatError::Field { name: "match", got: got.into() }),
    }
}

fn scheme(id: u8) -> Result<SchemeId, FormatError> {
    match id {
        1 => Ok(SchemeId::Whole),
        2 => Ok(SchemeId::Deletions),
        3 => Ok(SchemeId::Paper),
        got => Err(FormatError::Field { name: "scheme", got: got.into() }),
    }
}

/// Hash lists are exact, and exact filters only store the words.
fn check_combination(kind: Kind, matching: Match, scheme: SchemeId) -> Result<(), FormatError> {
    let is_whole = scheme == SchemeId::Whole;
    check((matching == Match::Exact) == is_whole, "scheme", scheme as u8)?;
    check(kind == Kind::Words || matching == Match::Exact, "match", matching as u8)
}

/// Numbers above the known ones come from a newer program and are not damage.
fn ids(from: &mut Reader<'_>) -> Result<HashVersion, FormatError> {
    check_id("hash", from.u8(), HASH_ID)?;
    let got = from.u8();
    check_id("hash version", got, HashVersion::NEWEST.id())?;
    let version = HashVersion::of_id(got);
    check_id("cleaning", from.u8(), CLEANING_ID)?;
    version.ok_or(FormatError::Field { name: "hash version", got: got.into() })
}

/// Refuses a number that only a newer program writes, and 0, which no program writes.
fn check_id(name: &'static str, got: u8, newest: u8) -> Result<(), FormatError> {
    if got > newest {
        return Err(FormatError::Newer { name, got });
    }
    check(got > 0, name, got)
}

/// Only digests have groups, and only in the hash version for groups.
fn check_groups(kind: Kind, version: HashVersion, group_bits: u8) -> Result<(), FormatError> {
    let has_groups = version == HashVersion::Grouped;
    let is_legal = (group_bits > 0) == has_groups && group_bits <= MAX_GROUP_BITS;
    check(is_legal, "group bits", group_bits)?;
    check(!has_groups || kind != Kind::Words, "hash version", version.id())
}

fn check_probes(scheme: SchemeId, word_bits: u8, deletion_bits: u8) -> Result<(), FormatError> {
    check((1..=MAX_PROBES).contains(&word_bits), "word bits", word_bits)?;
    let is_legal = match scheme {
        SchemeId::Deletions => matches!(deletion_bits, 0 | 2 | 4 | 6 | 8),
        _ => deletion_bits == 0,
    };
    check(is_legal, "deletion bits", deletion_bits)
}

fn check_lengths((shortest, longest): (u16, u16)) -> Result<(), FormatError> {
    check(shortest <= longest, "shortest", shortest)?;
    check(usize::from(longest) <= MAX_DICTIONARY_CHARACTERS, "longest", longest)
}

fn check_rate(stated: StatedRate) -> Result<(), FormatError> {
    let rate = stated.false_rejection;
    check(rate > 0.0 && rate <= 1.0, "false rejection", rate.to_bits())?;
    check(stated.characters >= 1, "characters", stated.characters)?;
    check(stated.lookups >= 1, "lookups", stated.lookups)
}

/// The alphabet, and the bytes after it.
fn alphabet(variable: &[u8], symbols: u32) -> Result<(Alphabet, &[u8]), FormatError> {
    let symbol_bytes = (symbols as usize).saturating_mul(4);
    let is_legal = symbols as usize <= MAX_SYMBOLS && symbol_bytes <= variable.len();
    check(is_legal, "alphabet length", symbols)?;
    let (values, rest) = variable.split_at_checked(symbol_bytes).unwrap_or_default();
    let values = chunks(values).0.iter().map(|&value| u32::from_le_bytes(value));
    let alphabet = Alphabet::from_values(values);
    let alphabet = alphabet.ok_or(FormatError::Field { name: "alphabet", got: symbols.into() })?;
    Ok((alphabet, rest))
}

fn digrams(id: u8, table: &[u8], alphabet: &Alphabet) -> Result<Digrams, FormatError> {
    let digrams = match id {
        1 if table.is_empty() => Some(Digrams::None),
        2 => Digrams::exact_from_bytes(alphabet.len(), table),
        3 if !alphabet.is_dense() => Digrams::hashed_from_bytes(table),
        _ => None,
    };
    digrams.ok_or(FormatError::Field { name: "digram table", got: id.into() })
}

fn four_gram_pages_of(got: u32) -> Result<u8, FormatError> {
    let is_legal = |&pages: &u8| pages.count_ones() <= 1 && usize::from(pages) <= MAX_QUAD_PAGES;
    let pages = u8::try_from(got).ok().filter(is_legal);
    pages.ok_or(FormatError::Field { name: "4-gram pages", got: got.into() })
}

/// Only "deletions propose, words decide" completes, so only it has an alphabet and tables.
fn check_tables(
    scheme: SchemeId,
    alphabet: &Alphabet,
    digrams: &Digrams,
    four_gram_pages: u8,
) -> Result<(), FormatError> {
    let has_tables = scheme == SchemeId::Deletions;
    check((*digrams != Digrams::None) == has_tables, "digram table", alphabet.len() as u64)?;
    check(has_tables || four_gram_pages == 0, "4-gram pages", four_gram_pages)?;
    check(has_tables || alphabet.is_empty(), "alphabet length", alphabet.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::encode;

    #[test]
    fn a_hashed_table_belongs_to_many_symbols_only() {
        let small = decode_header(include_bytes!("../../tests/golden/near-8.filter")).unwrap();
        assert!(small.alphabet.is_dense() && decode_header(&encode(&small)).is_ok());
        let hashed = Digrams::hashed_from_bytes(&[0xff; 1 << 13]).unwrap();
        let refused = decode_header(&encode(&Header { digrams: hashed, ..small })).unwrap_err();
        assert_eq!(refused, FormatError::Field { name: "digram table", got: 3 });
    }
}
