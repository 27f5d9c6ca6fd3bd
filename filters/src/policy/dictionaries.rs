//! The dictionaries: words, their neighbours, and lists of leaked passwords.

use super::{
    candidate::Candidate,
    digests::{Digest, Digester},
    far_words,
    finding::{Evidence, Finding},
    reason::Reason,
    sources::{Rule, Sources},
    variants::{MAX_VARIANTS, MIN_LEFT_EXACT, MIN_LEFT_NEAR, Transforms, Variant},
};
use crate::{
    dictionary::Edit,
    format::{Kind, Match},
    storage::Bytes,
    word::Word,
};

/// Finds candidates of which a variant is a word.
pub(super) fn find_word<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    prepare(candidate, sources);
    let lookups = Lookups::of(candidate, Match::Exact, sources);
    for (variant, number, rule) in lookups.each() {
        if sources.has_failed(number) {
            continue;
        }
        let is_word = rule.filter.contains(&variant.word, &mut sources.buffers);
        if sources.answer(number, is_word) == Some(true) {
            let neighbour = Some(variant.word.clone());
            sources.found(found(Reason::Dictionary, variant, number, Edit::None, neighbour));
        }
    }
}

/// Finds candidates of which a variant is one edit away from a word.
pub(super) fn find_near_word<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    let with_transpositions = candidate.policy.variants.transpositions;
    let lookups = Lookups::of(candidate, Match::Near, sources);
    for (variant, number, rule) in lookups.each() {
        if sources.has_failed(number) {
            continue;
        }
        let mut first = None;
        let asked =
            rule.filter.visit(&variant.word, with_transpositions, &mut sources.buffers, &mut |near| {
                first.get_or_insert(near);
                false
            });
        let nearest = first.filter(|_| !sources.has_found());
        if let Some(nearest) = nearest {
            sources.found(found(Reason::NearDictionary, variant, number, nearest.edit, nearest.word));
        }
        sources.answer(number, asked);
    }
}

/// Makes the pages of the first questions of all lookups ready together, of each dictionary: those for
/// members and those for what is near.
fn prepare<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    let [exact, near] = [Match::Exact, Match::Near].map(|matching| Lookups::of(candidate, matching, sources));
    for (number, rule) in exact.asked_rules() {
        let is_near = rule.matching == Match::Near;
        let words = exact.questions().chain(near.questions().filter(|_| is_near));
        if words.clone().nth(1).is_some() && !sources.has_failed(number) {
            rule.filter.prepare(words, far_words::is_asked(candidate, rule), &mut sources.buffers);
        }
    }
}

fn found(
    reason: Reason,
    variant: &Variant,
    dictionary: usize,
    edit: Edit,
    neighbour: Option<Word>,
) -> Finding {
    let evidence = Evidence::Word { transforms: variant.transforms, dictionary, edit, neighbour };
    Finding { reason, evidence }
}

/// The lookups of one kind: every variant that has enough characters left, in every word list that is asked
/// for it.
struct Lookups<'l, D> {
    variants: &'l [Variant],
    rules: &'l [Rule<D>],
    matching: Match,
    least_left: usize,
}

impl<'l, D: Bytes> Lookups<'l, D> {
    fn of<'s: 'l>(candidate: &'l Candidate<'_>, matching: Match, sources: &Sources<'s, D>) -> Lookups<'l, D> {
        let least_left = if matching == Match::Exact { MIN_LEFT_EXACT } else { MIN_LEFT_NEAR };
        Lookups { variants: candidate.variants(), rules: sources.rules, matching, least_left }
    }

    /// The words, with what each is asked for.
    fn questions(&self) -> impl Iterator<Item = (&'l Word, Match)> + Clone {
        let matching = self.matching;
        self.asked().map(move |variant| (&variant.word, matching))
    }

    /// Each lookup: a variant, and the dictionary with its position among the rules.
    fn each(&self) -> impl Iterator<Item = (&'l Variant, usize, &'l Rule<D>)> {
        self.asked().flat_map(|variant| self.asked_rules().map(move |(number, rule)| (variant, number, rule)))
    }

    fn asked(&self) -> impl Iterator<Item = &'l Variant> + Clone {
        let least_left = self.least_left;
        self.variants.iter().filter(move |variant| variant.may_match(least_left))
    }

    fn asked_rules(&self) -> impl Iterator<Item = (usize, &'l Rule<D>)> {
        let is_exact = self.matching == Match::Exact;
        let is_asked =
            move |rule: &Rule<D>| rule.is_word_list() && (is_exact || rule.matching == Match::Near);
        self.rules.iter().enumerate().filter(move |(_, rule)| is_asked(rule))
    }
}

/// Finds candidates whose digest, or that of a variant, is in a list of digests: as typed first,
/// [`MAX_VARIANTS`] in all.
pub(super) fn find_leaked<D: Bytes>(candidate: &Candidate<'_>, sources: &mut Sources<'_, D>) {
    if sources.rules.iter().all(Rule::is_word_list) {
        return;
    }
    let mut digester = Digester::default();
    let password = candidate.password;
    find_digest(sources, Transforms::NONE, |kind| digester.of_password(kind, password));
    let is_another = |variant: &&Variant| variant.word.as_bytes() != password;
    let possible = candidate.disguises().iter().filter(|variant| variant.may_match(MIN_LEFT_EXACT));
    for variant in possible.filter(is_another).take(MAX_VARIANTS - 1) {
        find_digest(sources, variant.transforms, |kind| digester.of_variant(kind, &variant.word));
    }
}

/// Finds the digest made for each list's kind in that list.
fn find_digest<D: Bytes>(
    sources: &mut Sources<'_, D>,
    transforms: Transforms,
    mut digest_for: impl FnMut(Kind) -> Option<Digest>,
) {
    for (dictionary, rule) in sources.rules.iter().enumerate() {
        let Some(digest) = digest_for(rule.filter.header().kind) else { continue };
        if sources.has_failed(dictionary) {
            continue;
        }
        if sources.answer(dictionary, rule.filter.contains_entry(&digest)) == Some(true) {
            let evidence = Evidence::Digest { transforms, dictionary };
            sources.found(Finding { reason: Reason::Breached, evidence });
        }
    }
}
