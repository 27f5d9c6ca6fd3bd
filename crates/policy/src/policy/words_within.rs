//! Words that are parts of a candidate: the parts that any rule asks for are looked up together.

use std::ops::Range;

use nearmiss_filters::storage::Bytes;

use super::{
    candidate::Candidate,
    examination::Examination,
    mostly_word,
    pieces::{Pieces, has_letter},
    two_words,
    variants::Variant,
};

/// Finds candidates of which a form is two words, or consists mostly of one.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let forms = candidate.forms().filter(|form| has_letter(form));
    let forms = forms.map(|form| (form, parts(candidate, form))).filter(|(_, parts)| !parts.is_empty());
    let mut forms: Vec<Pieces<'_>> =
        forms.map(|(form, parts)| Pieces::look_up(form, parts, examination)).collect();
    two_words::find(candidate, &mut forms, examination);
    mostly_word::find(candidate, &forms, examination);
}

/// The parts of a form that a rule asks for.
fn parts(candidate: &Candidate<'_>, form: &Variant) -> Vec<Range<usize>> {
    let (length, rules) = (form.word.len(), candidate.policy.structure);
    let is_for_two = rules.two_words && candidate.is_mostly_whole(form);
    let mut parts = if is_for_two { two_words::parts(length) } else { Vec::new() };
    if form.transforms.keep_all() {
        let more = mostly_word::parts(length, rules);
        parts.extend(more.into_iter().filter(|part| !is_for_two || !two_words::is_asked(part, length)));
    }
    parts
}
