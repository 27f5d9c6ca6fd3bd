//! The dictionaries: words, their neighbours, and lists of leaked passwords.

use nearmiss_filters::{
    dictionary::Edit,
    digest::{Digest, Digester},
    format::{Kind, Match},
    storage::Bytes,
    word::Word,
};

use super::{
    candidate::Candidate,
    distance_2,
    examination::{Examination, OpenDictionary},
    finding::{Evidence, Finding},
    reason::Reason,
    variants::{MAX_VARIANTS, MIN_LEFT_EXACT, Transforms, Variant},
};

/// Finds candidates of which a variant is a word.
pub(super) fn find_word<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    prepare(candidate, examination);
    let lookups = Lookups::of(candidate, Match::Exact, examination);
    for (variant, number, rule) in lookups.each() {
        if examination.has_failed(number) {
            continue;
        }
        let is_word = rule.filter.contains(&variant.word, &mut examination.buffers);
        if examination.result(number, is_word) == Some(true) {
            let neighbour = Some(variant.word.clone());
            examination.found(found(Reason::Dictionary, variant, number, Edit::None, neighbour));
        }
    }
}

/// Finds candidates of which a variant is one edit away from a word.
pub(super) fn find_near_word<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let lookups = Lookups::of(candidate, Match::Near, examination);
    for (variant, number, rule) in lookups.each() {
        if examination.has_failed(number) {
            continue;
        }
        let mut first = None;
        // The lookup goes on after a match, so that its duration does not depend on the result.
        let result = rule.filter.visit(&variant.word, false, &mut examination.buffers, &mut |near| {
            first.get_or_insert(near);
            false
        });
        let nearest = first.filter(|_| !examination.has_found());
        if let Some(nearest) = nearest {
            examination.found(found(Reason::NearDictionary, variant, number, nearest.edit, nearest.word));
        }
        examination.result(number, result);
    }
}

/// Prefetches the pages of the first probes of all lookups together, for each dictionary: exact lookups and
/// near ones.
fn prepare<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let [exact, near] =
        [Match::Exact, Match::Near].map(|matching| Lookups::of(candidate, matching, examination));
    for (number, rule) in exact.looked_up_rules() {
        let is_near = rule.matching == Match::Near;
        let words = exact.questions().chain(near.questions().filter(|_| is_near));
        if words.clone().nth(1).is_some() && !examination.has_failed(number) {
            rule.filter.prepare(words, distance_2::is_asked(candidate, rule), &mut examination.buffers);
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

/// The lookups of one kind: every variant that is long enough, in every word list that supports this kind.
struct Lookups<'l, D> {
    variants: &'l [Variant],
    rules: &'l [OpenDictionary<D>],
    matching: Match,
}

impl<'l, D: Bytes> Lookups<'l, D> {
    fn of<'s: 'l>(
        candidate: &'l Candidate<'_>,
        matching: Match,
        examination: &Examination<'s, D>,
    ) -> Lookups<'l, D> {
        Lookups { variants: candidate.variants(), rules: examination.rules, matching }
    }

    /// The words, with the matching of each lookup.
    fn questions(&self) -> impl Iterator<Item = (&'l Word, Match)> + Clone {
        let matching = self.matching;
        self.looked_up().map(move |variant| (&variant.word, matching))
    }

    /// Each lookup: a variant, and the dictionary with its position among the rules.
    fn each(&self) -> impl Iterator<Item = (&'l Variant, usize, &'l OpenDictionary<D>)> {
        self.looked_up()
            .flat_map(|variant| self.looked_up_rules().map(move |(number, rule)| (variant, number, rule)))
    }

    fn looked_up(&self) -> impl Iterator<Item = &'l Variant> + Clone {
        let is_near = self.matching == Match::Near;
        let is_asked = move |variant: &&Variant| {
            if is_near { variant.may_be_near() } else { variant.may_match(MIN_LEFT_EXACT) }
        };
        self.variants.iter().filter(is_asked)
    }

    fn looked_up_rules(&self) -> impl Iterator<Item = (usize, &'l OpenDictionary<D>)> {
        let is_exact = self.matching == Match::Exact;
        let is_asked =
            move |rule: &OpenDictionary<D>| rule.is_word_list() && (is_exact || rule.matching == Match::Near);
        self.rules.iter().enumerate().filter(move |(_, rule)| is_asked(rule))
    }
}

/// Finds candidates whose digest, or a variant's digest, is in a list of digests: first the candidate as
/// typed, [`MAX_VARIANTS`] lookups in all.
pub(super) fn find_leaked<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    if examination.rules.iter().all(OpenDictionary::is_word_list) {
        return;
    }
    let mut digester = Digester::default();
    let password = candidate.password;
    find_digest(examination, Transforms::NONE, |kind| digester.of_password(kind, password));
    let is_another = |variant: &&Variant| variant.word.as_bytes() != password;
    let possible = candidate.disguises().iter().filter(|variant| variant.may_match(MIN_LEFT_EXACT));
    for variant in possible.filter(is_another).take(MAX_VARIANTS - 1) {
        find_digest(examination, variant.transforms, |kind| digester.of_variant(kind, &variant.word));
    }
}

/// Looks up the digest of each list's kind in that list.
fn find_digest<D: Bytes>(
    examination: &mut Examination<'_, D>,
    transforms: Transforms,
    mut digest_for: impl FnMut(Kind) -> Option<Digest>,
) {
    for (dictionary, rule) in examination.rules.iter().enumerate() {
        let Some(digest) = digest_for(rule.filter.header().kind) else { continue };
        if examination.has_failed(dictionary) {
            continue;
        }
        if examination.result(dictionary, rule.filter.contains_entry(&digest)) == Some(true) {
            let evidence = Evidence::Digest { transforms, dictionary };
            examination.found(Finding { reason: Reason::Breached, evidence });
        }
    }
}
