//! Where the bits of a word lie, by the text of FORMAT.md alone: a second reading, written without a look at
//! the library's.

use siphasher::sip::SipHasher13;

pub const PAGE: usize = 4096;

/// What FORMAT.md's *Stored* says of a word in a file, whatever its length.
pub struct Reading<'f> {
    header: &'f [u8],
    pub pages: u64,
}

impl<'f> Reading<'f> {
    pub fn of(file: &'f [u8]) -> Reading<'f> {
        let pages = u64::from_le_bytes(file[64..72].try_into().unwrap());
        Reading { header: &file[..256], pages }
    }

    fn hash(&self, string: &[u8]) -> u64 {
        let hash = SipHasher13::new_with_key(&self.header[32..48].try_into().unwrap()).hash(string);
        if self.header[29] != 3 {
            return hash;
        }
        let (group_bits, first) = (u32::from(self.header[31]), &string[..4]);
        let group = u32::from_be_bytes(first.try_into().unwrap()) >> (32 - group_bits);
        u64::from(group) << (64 - group_bits) | hash >> group_bits
    }

    /// Every bit of the entry, as its page and its position there.
    pub fn bits(&self, entry: &[u8]) -> Vec<(usize, usize)> {
        let (word_bits, deletion_bits) = (self.header[48], self.header[49]);
        match self.header[26] {
            1 => self.anywhere(entry, word_bits),
            2 => self.in_lines(entry, word_bits, deletion_bits),
            _ => {
                let symbols = symbols(entry);
                let with = |at: usize, end: usize| {
                    [symbols[..at].concat(), vec![0xfe], symbols[end..].concat()].concat()
                };
                let replaced = (0..symbols.len()).map(|at| with(at, at + 1));
                let inserted = (0..=symbols.len()).map(|at| with(at, at));
                replaced.chain(inserted).flat_map(|string| self.anywhere(&string, word_bits)).collect()
            }
        }
    }

    fn page(&self, hash: u64) -> usize {
        ((u128::from(hash >> 16) * u128::from(self.pages)) >> 48) as usize
    }

    fn anywhere(&self, string: &[u8], count: u8) -> Vec<(usize, usize)> {
        let hash = self.hash(string);
        let mut x = (hash ^ hash >> 32).wrapping_mul(0xf135_7aea_2e62_a9c5);
        let mut bits = Vec::new();
        while bits.len() < usize::from(count) {
            for piece in 0..4 {
                bits.push((self.page(hash), (((x >> (16 * piece) & 0xffff) * 32_736) >> 16) as usize));
            }
            x = (x.rotate_left(29) ^ hash).wrapping_mul(0xff51_afd7_ed55_8ccd);
        }
        bits.truncate(usize::from(count));
        bits
    }

    fn in_lines(&self, word: &[u8], word_bits: u8, deletion_bits: u8) -> Vec<(usize, usize)> {
        let hash = self.hash(word);
        let size = if deletion_bits == 0 { 4 } else { 8 };
        let (mut line, mut x) = (hash % 64, mix(hash, 0xf135_7aea_2e62_a9c5));
        let (mut bits, mut left) = (Vec::new(), u64::from(word_bits));
        while left > 0 {
            let count = left.min(size);
            bits.extend(group(line, x, count, 0).map(|bit| (self.page(hash), bit)));
            (line, x) = (x >> 58, mix(x, 0xc4ce_b9fe_1a85_ec53));
            left -= count;
        }
        let symbols = symbols(word);
        for at in 0..symbols.len() {
            let hash = self.hash(&[symbols[..at].concat(), symbols[at + 1..].concat()].concat());
            let changed = hash & !0x3fc0 | (at as u64 / 64) << 6;
            let x = mix(changed, 0xff51_afd7_ed55_8ccd);
            let of_group = group(hash % 64, x, deletion_bits.into(), at as u64);
            bits.extend(of_group.map(|bit| (self.page(hash), bit)));
        }
        bits
    }
}

fn mix(a: u64, m: u64) -> u64 {
    let product = u128::from(a) * u128::from(m);
    (product >> 64) as u64 ^ (product % (1 << 64)) as u64
}

fn group(line: u64, x: u64, count: u64, place: u64) -> impl Iterator<Item = usize> {
    let first = if count == 8 { 0 } else { x >> 48 & 7 };
    (0..count).map(move |bit| {
        let word = (first + bit) % 8;
        let half = if (line, word) == (63, 7) { 32 } else { 64 };
        (512 * line + 64 * word + ((x >> (6 * bit) & 63) + place) % half) as usize
    })
}

/// The encoded symbols of a word of valid UTF-8.
fn symbols(word: &[u8]) -> Vec<Vec<u8>> {
    let text = std::str::from_utf8(word).unwrap();
    text.chars().map(|character| character.to_string().into_bytes()).collect()
}
