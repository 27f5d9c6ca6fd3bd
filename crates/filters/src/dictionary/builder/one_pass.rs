//! Filters of digests without a survey: digests have no alphabet to survey, and if their approximate number
//! is known, one reading of the lists is enough. The filled pages show if the number was right.

use super::{error::BuildError, fill::Builder, spec::Build, survey::Findings};
use crate::{format::SchemeId, list::LineCounts};

/// A filter that was sized for more digests than this fraction above the real number is larger than needed.
const TOO_MANY: u64 = 100;

/// The fit of the chosen size to the inserted entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The rate is kept, by a filter hardly larger than needed.
    Good,
    /// The rate is not kept.
    TooFull,
    /// The rate is kept with room to spare: there were fewer entries than expected.
    TooLarge,
}

impl Build {
    /// An empty filter for about `expected` digests, to be filled without a survey. None for words, which
    /// need a survey.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn builder_for(&self, expected: u64) -> Result<Option<Builder>, BuildError> {
        let Some(bytes) = self.spec.kind.digest_bytes() else { return Ok(None) };
        debug_assert_eq!(self.spec.effective_scheme(), SchemeId::Whole, "digests have no neighbours");
        let findings = Findings { words: expected, lengths: (bytes, bytes), ..Findings::default() };
        self.builder(&findings).map(Some)
    }
}

impl Builder {
    /// Ends a filter of [`Build::builder_for`]: sets the counts in its header, for lists with these lines.
    pub fn finish_pass(&mut self, lines: &LineCounts) -> Fit {
        let expected = self.header.capacity;
        let words = self.inserted().words;
        self.header.words = words;
        self.header.lines = lines.accepted;
        if !self.keeps_rate() {
            return Fit::TooFull;
        }
        self.header.capacity = expected.max(words);
        if words < expected - expected / TOO_MANY { Fit::TooLarge } else { Fit::Good }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dictionary::{DictionaryFilter, Spec},
        format::Kind,
        hash::Key,
    };

    fn build(kind: Kind) -> Build {
        Build::new(Spec { kind, ..Spec::default() }, Key::new([1; 16]))
    }

    fn lines(count: u32) -> String {
        (0..count).map(|i| format!("{:040X}:7\n", u128::from(i) << 96 | u128::from(i))).collect()
    }

    fn filled(expected: u64, text: &str) -> (Builder, Fit) {
        let mut builder = build(Kind::Sha1).builder_for(expected).unwrap().unwrap();
        let counts = builder.insert_block(text.as_bytes());
        let fit = builder.finish_pass(&counts);
        (builder, fit)
    }

    #[test]
    fn one_pass_finds_what_two_passes_find() {
        let text = lines(30_000) + &lines(1000);
        let two = build(Kind::Sha1).in_memory(&[text.as_bytes()]).unwrap();
        let two = DictionaryFilter::from_bytes(two).unwrap().header().clone();
        let (builder, fit) = filled(30_000, &text);
        assert_eq!(fit, Fit::Good);
        let one = builder.header();
        assert_eq!((one.words, one.lines, one.pages), (two.words, two.lines, two.pages));
        assert_eq!((one.word_bits, one.lengths, one.capacity), (two.word_bits, two.lengths, two.capacity));
        let filter = DictionaryFilter::from_bytes(builder.finish_to_bytes()).unwrap();
        for i in 0..30_000_u128 {
            let digest = (i << 96 | i).to_be_bytes();
            assert!(filter.contains_entry(&[[0; 4].as_slice(), &digest].concat()).unwrap(), "{i}");
        }
    }

    #[test]
    fn a_wrong_number_shows() {
        let text = lines(30_000);
        assert_eq!(
            [25_000, 29_900, 30_200, 31_000].map(|expected| filled(expected, &text).1),
            [Fit::TooFull, Fit::Good, Fit::Good, Fit::TooLarge]
        );
        let (builder, _) = filled(29_900, &text);
        assert_eq!(builder.header().capacity, 30_000, "no less than there is in it");
        assert!(build(Kind::Words).builder_for(7).unwrap().is_none());
        assert_eq!(build(Kind::Ntlm).builder_for(0).err(), Some(BuildError::Empty));
    }
}
