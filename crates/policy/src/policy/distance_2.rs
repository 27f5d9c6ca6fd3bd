//! Words of ten characters or more that are two edits away.

use nearmiss_filters::{format::Match, storage::Bytes};

use super::{
    candidate::Candidate,
    examination::{Examination, OpenDictionary},
    finding::{Evidence, Finding},
    reason::Reason,
};

/// True if this dictionary is queried for words two edits away.
pub(super) fn is_asked<D: Bytes>(candidate: &Candidate<'_>, rule: &OpenDictionary<D>) -> bool {
    candidate.policy.structure.distance_2 && rule.matching == Match::Near
}

/// Finds candidates of which a form is two edits away from a long word, in the filters that support this
/// lookup ([`nearmiss_filters::dictionary::DictionaryFilter::knows_distance_2`]).
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let rules = examination.rules.iter().enumerate().filter(|(_, rule)| is_asked(candidate, rule));
    let numbers: Vec<usize> = rules.map(|(number, _)| number).collect();
    for (form, dictionary) in
        candidate.nearly_whole_forms().flat_map(|form| numbers.iter().map(move |&at| (form, at)))
    {
        let Some(rule) = examination.rules.get(dictionary).filter(|_| !examination.has_failed(dictionary))
        else {
            continue;
        };
        let mut first = None;
        let visited = rule.filter.visit_distance_2(&form.word, &mut |found| {
            first.get_or_insert(found);
        });
        if let Some(found) = first.map(Box::new) {
            let evidence = Evidence::Distance2 { transforms: form.transforms, dictionary, found };
            examination.found(Finding { reason: Reason::NearDictionary, evidence });
        }
        examination.result(dictionary, visited);
    }
}
