//! The decision: the order in which a candidate is examined, and nothing else. No I/O except pages of filters
//! and ladder, no clock, bounded work for every input.
//!
//! Each detector of [`Policy::examine`]'s table looks for one kind of weakness; the first finding wins. The
//! whole password is compared, not substrings of it, and there are no composition rules (NIST SP 800-63B-4
//! §3.1.1.2). The cleaned candidate and its [`variants`] are looked up; in lists of digests first the
//! candidate as typed, then, if any variant is switched on, the variants. Bytes that are not UTF-8 are first
//! examined by each reading of them.
//!
//! # Time
//!
//! The most work of a rule for one form of a candidate, of which there are at most ten, is stated next to its
//! row in [`RULES`]. For each forbidden word, of at most 1,000, each character of every variant is read once.
//!
//! `make bench` measures the passwords that take longest: one check with all rules and a million words takes
//! less than 2 ms for any 512 bytes, and three times that if they have three readings. With 1,000 forbidden
//! words it takes 0.1 s.

mod candidate;
mod context;
mod dictionaries;
mod digests;
mod digits;
mod distance_2;
mod examination;
mod few_letters;
mod finding;
#[cfg(test)]
mod finding_tests;
mod frequency;
mod length;
mod mostly_word;
mod names;
mod never;
mod never_words;
mod number;
mod pattern;
mod pieces;
mod reading;
mod reason;
mod rules;
#[cfg(test)]
mod small_filters;
mod switches;
mod two_words;
pub mod variants;
mod words_within;

pub use candidate::Context;
pub use digests::digests_of;
pub use examination::{Examination, Examined, Ladders, OpenDictionary, SourceError};
pub use finding::{Evidence, Finding};
pub use nearmiss_filters::digest::Digest;
pub use never_words::NeverWords;
pub use reason::{MAX_PASSWORD_BYTES, Reason};
pub use rules::{Field, Policy, RULES, Rule, Section, StructureRules, Substring};
pub use switches::{ContextRules, VariantRules};
pub use variants::{MAX_VARIANTS, MIN_LEFT_EXACT, MIN_LEFT_NEAR, Transforms};

use nearmiss_filters::{dictionary::sizing::VARIANT_LOOKUPS, storage::Bytes, word::Word};

use self::candidate::Candidate;

/// A filter states its rate for the highest number of lookups of a check.
const _: () = assert!(MAX_VARIANTS == VARIANT_LOOKUPS as usize);

/// Looks for one kind of weakness, and records its finding in `examination`. A source that fails is recorded
/// there, too: the others are still queried.
type Detector<D> = fn(&Candidate<'_>, &mut Examination<'_, D>);

impl Policy {
    /// Examines a candidate: returns the finding if it is weak, and the sources that failed.
    ///
    /// The cheap detectors come first, and the ladder of chosen passwords last, since its slow hash costs as
    /// much as a login. Every variant is looked up in all sources except that ladder, even after a finding,
    /// and the first finding is kept: processor time and the pages that are read, which any user can observe
    /// in `/proc`, then reveal little about the source of the finding.
    pub fn examine<D: Bytes>(
        &self,
        password: &[u8],
        context: &Context<'_>,
        mut examination: Examination<'_, D>,
    ) -> Examined {
        let typed = Candidate::new(self, password, context);
        length::find(&typed, &mut examination);
        if password.len() <= MAX_PASSWORD_BYTES {
            let latin_1 = reading::as_latin_1(password);
            let latin_1 = latin_1.as_ref().map(Word::as_bytes);
            for text in [latin_1.and(context.in_locale), latin_1, Some(password)].into_iter().flatten() {
                self.examine_text(text, context, &mut examination);
            }
            // Ladders count the bytes that were typed.
            frequency::find_guessed(&typed, &mut examination);
            frequency::find_chosen(&typed, &mut examination);
        }
        examination.close()
    }

    /// Looks for the weaknesses of one reading of a candidate.
    fn examine_text<D: Bytes>(
        &self,
        text: &[u8],
        context: &Context<'_>,
        examination: &mut Examination<'_, D>,
    ) {
        let order: [Detector<D>; 10] = [
            context::find,
            never::find,
            dictionaries::find_word,
            dictionaries::find_leaked,
            dictionaries::find_near_word,
            digits::find,
            few_letters::find,
            pattern::find,
            words_within::find,
            distance_2::find,
        ];
        let candidate = Candidate::new(self, text, context);
        for detect in order {
            detect(&candidate, examination);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reason to reject a password of any length by these rules for structure.
    pub(super) fn reason_by(structure: StructureRules, text: &str) -> Option<Reason> {
        let policy = Policy { min_length: 1, structure, ..Policy::default() };
        reason(&policy, text.as_bytes(), &Context::default())
    }

    /// The reason to reject a password without dictionaries and ladder.
    pub(super) fn reason(policy: &Policy, password: &[u8], context: &Context<'_>) -> Option<Reason> {
        let examined =
            policy.examine(password, context, Examination::<Vec<u8>>::new(&[], Ladders::default()));
        examined.complete().unwrap().map(|finding| finding.reason)
    }

    #[test]
    fn the_first_finding_wins() {
        let context = Context { user: b"someuser", old_password: Some(b"someuser"), ..Context::default() };
        let short = Policy { min_length: 9, ..Policy::default() };
        let too_short = Reason::TooShort { min_length: 9 };
        assert_eq!(reason(&short, b"someuser", &context), Some(too_short));
        assert_eq!(reason(&Policy::default(), b"someuser", &context), Some(Reason::NearUserName));
        assert_eq!(reason(&Policy::default(), b"somebody", &context), None);
    }

    pub(super) fn distance(a: &[char], b: &[char]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut before = std::mem::replace(&mut row[0], i + 1);
            for (j, y) in b.iter().enumerate() {
                let best = (before + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
                before = std::mem::replace(&mut row[j + 1], best);
            }
        }
        row[b.len()]
    }
}
