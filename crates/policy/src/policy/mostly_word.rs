//! Passwords that are a long word and at most three characters, and, off by default, others that consist
//! mostly of a word: NIST SP 800-63B-4 §3.1.1.2 requires a comparison of the whole password, not of its
//! substrings.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 256 characters")]

use std::ops::Range;

use nearmiss_filters::storage::Bytes;

use super::{
    candidate::Candidate,
    examination::Examination,
    pieces::Pieces,
    reason::Reason,
    rules::{StructureRules, Substring},
};

/// The least length of a word that counts.
const MIN_WORD: usize = 5;

/// The highest number of characters next to a word with `all-but-4`.
const MAX_BESIDE: usize = 4;

/// The least length of a word for a word plus few characters, the rule that is on by default: it compares the
/// whole password.
const MIN_WORD_PLUS_FEW: usize = 6;

/// The highest number of characters next to it.
const FEW: usize = 3;

/// Finds candidates of which one of these forms consists mostly of a word.
pub(super) fn find<D: Bytes>(
    candidate: &Candidate<'_>,
    forms: &[Pieces<'_>],
    examination: &mut Examination<'_, D>,
) {
    for pieces in forms.iter().filter(|pieces| pieces.form.transforms.keep_all()) {
        let parts = parts(pieces.form.word.len(), candidate.policy.structure);
        let longest = parts.into_iter().rev().find(|part| pieces.is_listed(part));
        if let Some(part) = longest {
            examination.found(pieces.finding(Reason::MostlyWord, &[part]));
        }
    }
}

/// The parts that are large enough for a form of this length, the shortest first.
pub(super) fn parts(length: usize, rules: StructureRules) -> Vec<Range<usize>> {
    if rules.substring == Substring::Off && !rules.word_plus_few {
        return Vec::new();
    }
    let least = match rules.substring {
        Substring::Off => length + 1,
        Substring::TwoThirds => (2 * length).div_ceil(3),
        Substring::AllBut4 => length.saturating_sub(MAX_BESIDE),
    };
    let of_few = if rules.word_plus_few { length.saturating_sub(FEW) } else { length + 1 };
    let lengths = least.max(MIN_WORD).min(of_few.max(MIN_WORD_PLUS_FEW))..=length;
    lengths.flat_map(|part| (0..=length - part).map(move |start| start..start + part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of the rules, for one part.
    fn counts(part: usize, length: usize, rules: StructureRules) -> bool {
        let is_most = match rules.substring {
            Substring::Off => false,
            Substring::TwoThirds => 3 * part >= 2 * length,
            Substring::AllBut4 => part + MAX_BESIDE >= length,
        };
        part >= MIN_WORD && is_most
            || rules.word_plus_few && part >= MIN_WORD_PLUS_FEW && part + FEW >= length
    }

    #[test]
    fn the_parts_are_those_that_the_rules_name() {
        for substring in [Substring::Off, Substring::TwoThirds, Substring::AllBut4] {
            for (word_plus_few, length) in (0..24).flat_map(|length| [(false, length), (true, length)]) {
                let rules = StructureRules { word_plus_few, substring, ..StructureRules::NONE };
                let all = (0..=length).flat_map(|part| (0..=length - part).map(move |at| at..at + part));
                let expected: Vec<_> = all.filter(|part| counts(part.len(), length, rules)).collect();
                assert_eq!(parts(length, rules), expected, "{substring:?} {word_plus_few} {length}");
            }
        }
    }
}
