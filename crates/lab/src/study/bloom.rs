//! The filter that is studied: any number of bits, any page size or none, any number of probes. The filter
//! format has 4 KiB pages and nothing else; this is its counterpart for finding out why.

/// A Bloom filter (Bloom 1970), all bits of a string in one page (Manber & Wu §3) where it has pages.
pub(crate) struct Bloom {
    words: Vec<u64>,
    pages: u64,
    page_bits: u64,
    probes: u32,
}

impl Bloom {
    /// An empty filter of about `bits` bits: whole pages of `page_bytes` bytes, or one page for all.
    pub(crate) fn new(bits: u64, page_bytes: Option<u64>, probes: u32) -> Bloom {
        let page_bits = page_bytes.map_or(bits, |bytes| bytes.saturating_mul(8)).max(1);
        let pages = (bits.saturating_add(page_bits / 2) / page_bits).max(1);
        let length = usize::try_from(pages.saturating_mul(page_bits).div_ceil(64)).unwrap_or(usize::MAX);
        Bloom { words: vec![0; length], pages, page_bits, probes }
    }

    /// Its number of bits.
    pub(crate) fn bits(&self) -> u64 {
        self.pages.saturating_mul(self.page_bits)
    }

    /// Sets the bits of a hash.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64) {
        let (first, page_bits, probes) = (self.first_bit(hash), self.page_bits, self.probes);
        for position in positions(hash, page_bits, probes) {
            let bit = first.wrapping_add(position);
            if let Some(word) = self.words.get_mut((bit >> 6) as usize) {
                *word |= 1 << (bit & 63);
            }
        }
    }

    /// True when all bits of a hash are set.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        let first = self.first_bit(hash);
        positions(hash, self.page_bits, self.probes).all(|position| {
            let bit = first.wrapping_add(position);
            self.words.get((bit >> 6) as usize).is_some_and(|word| word >> (bit & 63) & 1 == 1)
        })
    }

    #[inline]
    fn first_bit(&self, hash: u64) -> u64 {
        scale(hash, self.pages).wrapping_mul(self.page_bits)
    }
}

/// The positions of a hash in its page: the multiplicative generator of the library's pages, 64 bits a
/// position since a page can be the whole filter.
#[inline]
fn positions(hash: u64, page_bits: u64, probes: u32) -> impl Iterator<Item = u64> {
    const FIRST: u64 = 0xf135_7aea_2e62_a9c5;
    const NEXT: u64 = 0xff51_afd7_ed55_8ccd;
    let mut state = (hash ^ (hash >> 32)).wrapping_mul(FIRST);
    (0..probes).map(move |_| {
        state = (state.rotate_left(29) ^ hash).wrapping_mul(NEXT);
        scale(state, page_bits)
    })
}

/// Multiply-shift: `hash` scaled to 0..`end`.
#[inline]
fn scale(hash: u64, end: u64) -> u64 {
    (u128::from(hash).wrapping_mul(u128::from(end)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::hash::Key;

    use super::{super::formulas, *};

    fn hash(i: u64) -> u64 {
        Key::new([7; 16]).hash(&i.to_le_bytes())
    }

    /// 2,000,000 strangers: the rate is that of the formula, within five standard deviations of a count.
    #[test]
    fn false_positives_are_as_many_as_theory_says() {
        let (count, trials) = (50_000, 2_000_000_u64);
        for (page_bytes, bits_per_key, probes) in [(None, 8, 5), (Some(4096), 8, 6), (Some(64), 10, 5)] {
            let mut bloom = Bloom::new(count * bits_per_key, page_bytes, probes);
            (0..count).for_each(|i| bloom.insert(hash(i)));
            assert!((0..count).all(|i| bloom.contains(hash(i))));
            let found = (count..count + trials).filter(|&i| bloom.contains(hash(i))).count();
            let rate = formulas::paged_rate(count, bloom.bits(), page_bytes.map(|bytes| bytes * 8), probes);
            let expected = trials as f64 * rate;
            // The filling of the pages varies, too: 1 % beside the count's own deviation.
            let allowed = 5.0 * expected.sqrt() + 0.01 * expected;
            assert!(
                (found as f64 - expected).abs() < allowed,
                "{page_bytes:?}: {found}, expected {expected}"
            );
        }
    }

    #[test]
    fn sizes_are_whole_pages() {
        assert_eq!(Bloom::new(40_000_000, Some(4096), 5).bits(), 1221 * 32_768);
        assert_eq!(Bloom::new(40_000_000, None, 5).bits(), 40_000_000);
        assert_eq!(Bloom::new(1, Some(32), 5).bits(), 256);
    }
}
