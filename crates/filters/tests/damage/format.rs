//! `FORMAT.md` read a second time, from its text alone: whether bytes are a legal dictionary filter. The
//! decoder is compared with it, so that neither can drift from the text unnoticed.

use std::ops::Range;

pub const PAGE: usize = 4096;
pub const CHECKSUM: Range<usize> = 16..20;

/// Reads little-endian fields at their offsets.
pub struct At<'a>(pub &'a [u8]);

impl At<'_> {
    pub fn number(&self, range: Range<usize>) -> u64 {
        self.0[range].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    fn byte(&self, at: usize) -> u64 {
        self.number(at..at + 1)
    }

    fn is_zero(&self, range: Range<usize>) -> bool {
        self.0[range].iter().all(|&byte| byte == 0)
    }
}

/// The header checksum made right for these bytes.
pub fn reseal_header(file: &mut [u8]) {
    let header_bytes = usize::try_from(At(file).number(12..16)).unwrap().min(file.len());
    file[CHECKSUM].fill(0);
    let sum = crc32fast::hash(&file[..header_bytes]);
    file[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
}

/// True when every field of the header has a legal value and the file its length; the checksum is not looked
/// at.
pub fn is_legal(file: &[u8]) -> bool {
    if file.len() < 256 || !file.starts_with(b"\x89NMF\r\n\x1a\n") {
        return false;
    }
    let at = At(file);
    let header_bytes = usize::try_from(at.number(12..16)).unwrap();
    let is_header = at.number(8..10) == 1 && at.is_zero(10..12) && (PAGE..=8_654_848).contains(&header_bytes);
    is_header
        && header_bytes % PAGE == 0
        && file.len() >= header_bytes
        && is_plain_part_legal(&at)
        && is_table_part_legal(&at, header_bytes)
        && is_length_right(&at, header_bytes)
}

fn is_length_right(at: &At<'_>, header_bytes: usize) -> bool {
    let pages = at.number(64..72);
    let four_gram_pages = at.number(128..132);
    let is_legal = (1..=1 << 40).contains(&pages) && [0, 1, 2, 4, 8, 16].contains(&four_gram_pages);
    is_legal && at.0.len() as u64 == header_bytes as u64 + (pages + four_gram_pages) * PAGE as u64
}

fn is_plain_part_legal(at: &At<'_>) -> bool {
    let (kind, matching, scheme) = (at.byte(24), at.byte(25), at.byte(26));
    let is_kind = (1..=3).contains(&kind)
        && (1..=2).contains(&matching)
        && (1..=3).contains(&scheme)
        && (kind == 1 || matching == 2)
        && (scheme == 1) == (matching == 2);
    let deletions = at.byte(49);
    let is_probes = (1..=64).contains(&at.byte(48))
        && if scheme == 2 { [0, 2, 4, 6, 8].contains(&deletions) } else { deletions == 0 };
    let rate = f64::from_bits(at.number(104..112));
    let (shortest, longest) = (at.number(54..56), at.number(56..58));
    is_kind
        && is_probes
        && at.number(20..24) == 4096
        && (at.byte(28), at.byte(30)) == (1, 1)
        && is_group_part_legal(at, kind)
        && at.number(50..52) >= 1
        && at.number(52..54) >= 1
        && shortest <= longest
        && longest <= 255
        && at.is_zero(58..64)
        && rate > 0.0
        && rate <= 1.0
        && at.is_zero(132..256)
}

/// The section *Groups*.
fn is_group_part_legal(at: &At<'_>, kind: u64) -> bool {
    match (at.byte(29), at.byte(31)) {
        (2, group_bits) => group_bits == 0,
        (3, group_bits) => {
            let is_multiple = |pages: u64| pages >> group_bits << group_bits == pages;
            kind != 1 && (1..=20).contains(&group_bits) && is_multiple(at.number(64..72))
        }
        _ => false,
    }
}

fn is_table_part_legal(at: &At<'_>, header_bytes: usize) -> bool {
    let [symbols, digram_bytes, four_gram_pages] =
        [at.number(120..124), at.number(124..128), at.number(128..132)];
    if symbols > 65_536 || digram_bytes > 1 << 23 {
        return false;
    }
    let [symbols, digram_bytes] = [symbols, digram_bytes].map(|number| usize::try_from(number).unwrap());
    let digrams = 256 + 4 * symbols;
    let end = digrams + digram_bytes;
    if end.next_multiple_of(PAGE) != header_bytes || !at.is_zero(end..header_bytes) {
        return false;
    }
    let values: Vec<u64> = (0..symbols).map(|i| at.number(256 + 4 * i..260 + 4 * i)).collect();
    let is_scheme_of_tables = at.byte(26) == 2;
    values.iter().all(|&value| is_symbol(value))
        && values.is_sorted_by(|a, b| a < b)
        && (is_scheme_of_tables || (symbols, four_gram_pages) == (0, 0))
        && match at.byte(27) {
            1 => !is_scheme_of_tables && digram_bytes == 0,
            2 => is_scheme_of_tables && is_exact_table(&at.0[digrams..end], symbols),
            3 => is_scheme_of_tables && symbols > 511 && is_hashed_table(digram_bytes),
            _ => false,
        }
}

fn is_symbol(value: u64) -> bool {
    let is_scalar = u32::try_from(value).is_ok_and(|value| char::from_u32(value).is_some());
    is_scalar || (0x11_0080..=0x11_00ff).contains(&value)
}

fn is_exact_table(table: &[u8], symbols: usize) -> bool {
    let bits = (symbols + 1) * (symbols + 1);
    let beyond = (bits..table.len() * 8).any(|bit| table[bit / 8] >> (bit % 8) & 1 == 1);
    symbols <= 511 && table.len() == bits.div_ceil(8) && !beyond
}

fn is_hashed_table(bytes: usize) -> bool {
    bytes.is_power_of_two() && (1 << 13..=1 << 23).contains(&bytes)
}
