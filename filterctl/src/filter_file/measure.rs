//! The measured false rejection rate: of random strings, and of strings made of the dictionary's pairs of
//! characters, which the digram table does not exclude. Each is one lookup, so the stated rate is divided by
//! the lookups of a check. A string of the stated length is near a word of the dictionary by chance far less
//! often than that.

use std::{
    io::{self, Write},
    path::Path,
};

use nearmiss_cli::paths;
use nearmiss_filters::{
    alphabet::{BOUNDARY, Class},
    dictionary::{Buffers, DictionaryFilter, FilterError, Loading, sizing::Demand},
    format::{Header, Kind},
    ladder::{RandomSource as _, SeededRandom},
    storage::mapped::Mapped,
    word::{Symbol, Word},
};
use serde::Serialize;

use crate::report::{digits, number};

/// The result of a trial.
#[derive(Serialize)]
pub(crate) struct MeasuredRates {
    lookups: u64,
    stated_rate_per_lookup: f64,
    random: RateTrial,
    #[serde(skip_serializing_if = "Option::is_none")]
    word_like: Option<RateTrial>,
}

/// Lookups of one sort of strings.
#[derive(Serialize)]
pub(crate) struct RateTrial {
    rejected: u64,
    rate: f64,
}

impl MeasuredRates {
    /// True if no trial rejects more often than the stated rate allows, with a tolerance of five standard
    /// deviations.
    pub(crate) fn is_within_stated_rate(&self) -> bool {
        [Some(&self.random), self.word_like.as_ref()].into_iter().flatten().all(|trial| self.allows(trial))
    }

    #[allow(clippy::cast_precision_loss, reason = "counts of a statistical test")]
    fn allows(&self, trial: &RateTrial) -> bool {
        let expected = self.stated_rate_per_lookup * self.lookups as f64;
        trial.rejected as f64 <= expected + 5.0 * expected.sqrt() + 1.0
    }

    /// Writes the result as text.
    ///
    /// # Errors
    /// The errors of `out`.
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let stated = digits(self.stated_rate_per_lookup);
        let means = if self.stated_rate_per_lookup < 1.0 { "" } else { ": no guarantee" };
        writeln!(out, "  stated      at most {stated} for each lookup{means}")?;
        self.random.write_text("random", self.lookups, out)?;
        self.word_like.iter().try_for_each(|trial| trial.write_text("word-like", self.lookups, out))?;
        if self.is_within_stated_rate() { Ok(()) } else { writeln!(out, "  rejects more often than stated") }
    }
}

impl RateTrial {
    fn write_text(&self, sort: &str, lookups: u64, out: &mut dyn Write) -> io::Result<()> {
        let (rate, rejected, lookups) = (digits(self.rate), number(self.rejected), number(lookups));
        writeln!(out, "  {sort:<11} {rate}: {rejected} of {lookups} rejected")
    }
}

/// Looks up `count` strings of each sort.
///
/// # Errors
/// [`FilterError`] when the filter is not trusted or a page cannot be read.
pub(crate) fn measure(path: &Path, count: u64) -> Result<MeasuredRates, FilterError> {
    let filter = DictionaryFilter::open(&paths::absolute(path), Loading::Mapped)?;
    let header = filter.header();
    let mut chance = Chance::new(header.key.bytes());
    let random = run(&filter, count, |word| random_text(header, &mut chance, word))?;
    let word_like = match ChainWalk::new(header) {
        Some(walk) => Some(run(&filter, count, |word| walk.walk(header, &mut chance, word))?),
        None => None,
    };
    let stated_rate_per_lookup = Demand::of(header).stated_lookup_rate();
    Ok(MeasuredRates { lookups: count, stated_rate_per_lookup, random, word_like })
}

#[allow(clippy::cast_precision_loss, reason = "counts of a statistical test")]
fn run(
    filter: &DictionaryFilter<Mapped>,
    count: u64,
    mut next: impl FnMut(&mut Word),
) -> Result<RateTrial, FilterError> {
    let (mut word, mut buffers) = (Word::with_full_capacity(), Buffers::default());
    let mut rejected = 0_u64;
    for _ in 0..count {
        next(&mut word);
        let is_hit = match filter.header().kind {
            Kind::Words => filter.nearest(&word, false, &mut buffers)?.is_some(),
            _ => filter.contains_entry(word.as_bytes())?,
        };
        rejected = rejected.saturating_add(u64::from(is_hit));
    }
    Ok(RateTrial { rejected, rate: rejected as f64 / count.max(1) as f64 })
}

/// A string of printable ASCII of the stated length; for digests as many bytes as those have.
fn random_text(header: &Header, chance: &mut Chance, word: &mut Word) {
    let length = if header.kind == Kind::Words { header.stated.characters } else { header.lengths.1 };
    let text: Vec<u8> = (0..length).map(|_| chance.printable()).collect();
    // Printable ASCII of at most 255 characters always is a word.
    let _ = word.assign(&text);
}

/// Strings made of pairs of characters that occur in the dictionary: the successors of each character.
struct ChainWalk {
    following: Vec<(Class, Vec<Class>)>,
}

impl ChainWalk {
    /// None for a filter without an alphabet.
    fn new(header: &Header) -> Option<ChainWalk> {
        let classes: Vec<Class> = header.alphabet.classes().collect();
        let after = |first: Class| {
            let seen = |&second: &Class| header.digrams.seen(first, second);
            (first, classes.iter().copied().filter(seen).collect())
        };
        let following = std::iter::once(BOUNDARY).chain(classes.iter().copied()).map(after).collect();
        let mut walk = ChainWalk { following };
        walk.leave_out_dead_ends();
        (!classes.is_empty()).then_some(walk)
    }

    /// Removes characters from which few others can be reached: in a handful of garbled words a few
    /// characters may only follow each other. A walk that reached them would stay there, and nearly all
    /// strings would be the same few, which would not measure the rate.
    fn leave_out_dead_ends(&mut self) {
        let most = self.following.len() / 2;
        let reached: Vec<Class> = self.following.iter().map(|&(class, _)| class).collect();
        let is_kept = |class: Class| self.reachable(class) > most;
        let kept: Vec<Class> = reached.into_iter().filter(|&class| is_kept(class)).collect();
        for (_, following) in &mut self.following {
            following.retain(|class| kept.contains(class));
        }
    }

    /// The number of characters that can follow this one.
    fn reachable(&self, from: Class) -> usize {
        let (mut seen, mut open) = (vec![from], vec![from]);
        while let Some(class) = open.pop() {
            let entry = self.following.iter().find(|&&(first, _)| first == class);
            for &next in entry.map_or(&[][..], |(_, following)| following) {
                if !seen.contains(&next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        seen.len()
    }

    /// Makes `word` a string of the stated length; the pair at its end may be unseen after a hundred tries.
    fn walk(&self, header: &Header, chance: &mut Chance, word: &mut Word) {
        for _ in 0..100 {
            word.clear();
            let last = (0..header.stated.characters).try_fold(BOUNDARY, |before, _| {
                let next = self.next(before, chance)?;
                let symbol: Symbol = header.alphabet.symbol_of(next)?;
                word.push(symbol).ok().map(|()| next)
            });
            if last.is_some_and(|last| header.digrams.seen(last, BOUNDARY)) {
                return;
            }
        }
    }

    fn next(&self, before: Class, chance: &mut Chance) -> Option<Class> {
        let at = self.following.binary_search_by_key(&before, |&(first, _)| first).ok()?;
        let (_, following) = self.following.get(at)?;
        following.get(usize::try_from(chance.below(following.len() as u64)).ok()?).copied()
    }
}

/// Numbers for trials, the same for the same filter.
struct Chance(SeededRandom);

impl Chance {
    /// Seeded by the filter's key, so that a trial can be repeated. This does not bias the trial: the
    /// generator is independent of the filter's hash.
    fn new(key: &[u8; 16]) -> Chance {
        let seed = key.iter().fold(0_u64, |seed, &byte| seed.rotate_left(8) ^ u64::from(byte));
        Chance(SeededRandom::new(seed))
    }

    /// A number from 0 to `end` − 1, or 0 for an `end` of 0. A seed never lacks bytes.
    fn below(&mut self, end: u64) -> u64 {
        self.0.below(end).unwrap_or_default()
    }

    /// A printable ASCII character but the space.
    fn printable(&mut self) -> u8 {
        u8::try_from(self.below(94)).unwrap_or(0).saturating_add(b'!')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_within_its_bounds() {
        let mut chance = Chance::new(&[7; 16]);
        assert!((0..1000).all(|_| chance.below(7) < 7));
        assert_eq!(chance.below(0), 0);
    }

    #[test]
    fn five_deviations_are_allowed_and_no_more() {
        let measured = |rejected| MeasuredRates {
            lookups: 1_000_000,
            stated_rate_per_lookup: 1e-4,
            random: RateTrial { rejected: 0, rate: 0.0 },
            word_like: Some(RateTrial { rejected, rate: 0.0 }),
        };
        assert!(measured(100).is_within_stated_rate());
        assert!(measured(151).is_within_stated_rate());
        assert!(!measured(152).is_within_stated_rate());
    }
}
