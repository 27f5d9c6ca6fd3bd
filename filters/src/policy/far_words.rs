//! Words of ten characters or more that are two edits away.

use super::{
    candidate::Candidate,
    finding::{Evidence, Finding},
    reason::Reason,
    sources::Sources,
};
use crate::{format::Match, storage::Bytes};

/// Finds candidates of which a form is two edits away from a long word, in the filters that can be asked for
/// that ([`crate::dictionary::DictionaryFilter::knows_far_words`]).
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    if !candidate.policy.structure.distance_2 {
        return;
    }
    let near = |number: &usize| sources.rules.get(*number).is_some_and(|rule| rule.matching == Match::Near);
    let numbers: Vec<usize> = (0..sources.rules.len()).filter(near).collect();
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
