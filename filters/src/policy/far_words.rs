//! Words of ten characters or more that are two edits away.

use super::{
    candidate::Candidate,
    finding::{Evidence, Finding},
    reason::Reason,
    sources::{Rule, Sources},
};
use crate::{format::Match, storage::Bytes};

/// True when words two edits away are looked for in this dictionary.
pub(super) fn is_asked<D: Bytes>(candidate: &Candidate<'_>, rule: &Rule<D>) -> bool {
    candidate.policy.structure.distance_2 && rule.matching == Match::Near
}

/// Finds candidates of which a form is two edits away from a long word, in the filters that can be asked for
/// that ([`crate::dictionary::DictionaryFilter::knows_far_words`]).
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    let rules = sources.rules.iter().enumerate().filter(|(_, rule)| is_asked(candidate, rule));
    let numbers: Vec<usize> = rules.map(|(number, _)| number).collect();
    for (form, dictionary) in
        candidate.nearly_whole_forms().flat_map(|form| numbers.iter().map(move |&at| (form, at)))
    {
        let Some(rule) = sources.rules.get(dictionary).filter(|_| !sources.has_failed(dictionary)) else {
            continue;
        };
        let mut first = None;
        let asked = rule.filter.visit_far(&form.word, &mut |far| {
            first.get_or_insert(far);
        });
        if let Some(far) = first {
            let far = Box::new(far);
            let evidence = Evidence::FarWord { transforms: form.transforms, dictionary, far };
            sources.found(Finding { reason: Reason::NearDictionary, evidence });
        }
        sources.answer(dictionary, asked);
    }
}
