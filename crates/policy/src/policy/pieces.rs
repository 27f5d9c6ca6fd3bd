//! The parts of a form of the candidate that are words: all are looked up together, in every word list.

use std::ops::Range;

use nearmiss_filters::{
    format::Match,
    storage::Bytes,
    word::{Symbol, Word},
};

use super::{
    examination::Examination,
    finding::{Evidence, Finding},
    names::ContextWords,
    reason::Reason,
    variants::Variant,
};

/// The least length of a part that counts as a word of an exact filter: a long list contains nearly all
/// strings of three letters.
const MIN_OF_EXACT: usize = 4;

/// The length of the shortest part that is looked up.
pub(super) const MIN_PART: usize = 3;

/// The parts of a form that were looked up, and the ones that are words.
pub(super) struct Pieces<'v> {
    pub(super) form: &'v Variant,
    parts: Vec<Range<usize>>,
    /// The index of a part, and of the first dictionary that contains it; none for a name of the context.
    found: Vec<(usize, Option<usize>)>,
}

impl<'v> Pieces<'v> {
    /// Looks up these parts of the form. A filter of the paper's scheme is skipped: it does not know its
    /// members.
    pub(super) fn look_up<D: Bytes>(
        form: &'v Variant,
        parts: Vec<Range<usize>>,
        examination: &mut Examination<'_, D>,
    ) -> Pieces<'v> {
        let mut found: Vec<(usize, Option<usize>)> = Vec::new();
        for (number, rule) in examination.rules.iter().enumerate().filter(|(_, rule)| rule.is_word_list()) {
            if examination.has_failed(number) {
                continue;
            }
            let is_exact = rule.filter.header().matching == Match::Exact;
            let least = if is_exact { MIN_OF_EXACT } else { 0 };
            let result = rule.filter.visit_parts(&form.word, &parts, &mut examination.buffers, &mut |part| {
                if parts.get(part).is_none_or(|range| range.len() < least) {
                    return;
                }
                // In their order: sorting them would be 2 KB of code.
                if let Err(place) = found.binary_search_by_key(&part, |&(known, _)| known) {
                    found.insert(place, (part, Some(number)));
                }
            });
            examination.result(number, result);
        }
        Pieces { form, parts, found }
    }

    /// Adds the parts that are names.
    pub(super) fn add_names(&mut self, names: &ContextWords) {
        for (part, range) in self.parts.iter().enumerate() {
            let is_name = names.reason_of(self.form.word.slice(range.clone())).is_some();
            if let Err(place) = self.found.binary_search_by_key(&part, |&(known, _)| known) {
                if is_name {
                    self.found.insert(place, (part, None));
                }
            }
        }
    }

    /// The parts that are words.
    pub(super) fn words(&self) -> impl Iterator<Item = &Range<usize>> {
        self.found.iter().filter_map(|&(part, _)| self.parts.get(part))
    }

    /// True if this part is a word.
    pub(super) fn has(&self, part: &Range<usize>) -> bool {
        self.words().any(|word| word == part)
    }

    /// True if a dictionary contains this part.
    pub(super) fn is_listed(&self, part: &Range<usize>) -> bool {
        let is_it = |&(at, dictionary): &(usize, Option<usize>)| {
            dictionary.is_some() && self.parts.get(at) == Some(part)
        };
        self.found.iter().any(is_it)
    }

    /// The finding that these parts are words.
    pub(super) fn finding(&self, reason: Reason, parts: &[Range<usize>]) -> Finding {
        let piece = |part: &Range<usize>| {
            let (_, dictionary) = self.found.iter().find(|&&(at, _)| self.parts.get(at) == Some(part))?;
            Some((*dictionary, Word::from_encoded(self.form.word.slice(part.clone())).ok()?))
        };
        let pieces = parts.iter().filter_map(piece).collect();
        Finding { reason, evidence: Evidence::Pieces { transforms: self.form.transforms, pieces } }
    }
}

/// False for digits and punctuation alone, which are not words.
pub(super) fn has_letter(form: &Variant) -> bool {
    form.word.symbols().any(Symbol::is_letter)
}
