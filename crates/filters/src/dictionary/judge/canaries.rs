//! Strings with known results, to test a filter.

use std::io;

use crate::{
    format::Header,
    page::{self, Page, Probes},
    random::RandomSource,
};

/// Strings to look up, in the order of their pages.
pub(super) struct Canaries {
    /// The page and the hash of each.
    sorted: Vec<(u64, u64)>,
    /// The number that was looked up, because their page was examined.
    pub(super) tried: u64,
    /// The number that the filter contains.
    pub(super) found: u64,
}

/// The length of a random string that is looked up in a filter of words, in bytes.
const STRANGER_BYTES: u16 = 12;

impl Canaries {
    /// Of these entries.
    pub(super) fn of(header: &Header, entries: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Canaries {
        let place = |entry: &[u8]| {
            let hash = header.hash(entry);
            (page::page_of(hash, header.pages), hash)
        };
        let mut sorted: Vec<_> = entries.into_iter().map(|entry| place(entry.as_ref())).collect();
        sorted.sort_unstable();
        Canaries { sorted, tried: 0, found: 0 }
    }

    /// This number of random strings, digests for a filter of digests. They are new each time, so that no
    /// filter can be crafted for them.
    pub(super) fn strangers(
        header: &Header,
        count: usize,
        random: &mut impl RandomSource,
    ) -> io::Result<Canaries> {
        let bytes = usize::from(header.kind.digest_bytes().unwrap_or(STRANGER_BYTES));
        let mut all = vec![0; bytes.saturating_mul(count)];
        random.fill(&mut all)?;
        if header.kind.digest_bytes().is_none() {
            // Printable ASCII, which is its own encoding.
            for byte in &mut all {
                *byte = b'!'.saturating_add(*byte % 94);
            }
        }
        Ok(Canaries::of(header, all.chunks(bytes)))
    }

    /// Looks up the ones that fall on this page.
    pub(super) fn see(&mut self, index: u64, page: &Page, word: Probes) {
        let first = self.sorted.partition_point(|&(at, _)| at < index);
        let here = self.sorted.get(first..).unwrap_or_default().iter().take_while(|&&(at, _)| at == index);
        for &(_, hash) in here {
            self.tried = self.tried.saturating_add(1);
            self.found = self.found.saturating_add(page::test(page, hash, word).into());
        }
    }
}
