//! The dictionaries: words, their neighbours, and lists of leaked passwords.

use super::{
    candidate::Candidate,
    digests::{Digest, Digester},
    finding::{Evidence, Finding},
    reason::Reason,
    variants::{LEAST_LEFT_EXACT, LEAST_LEFT_NEAR, MAX_VARIANTS, Transforms, Variant},
};
use crate::{
    dictionary::{Buffers, DictionaryFilter, Edit, FilterError},
    format::{Kind, Match},
    storage::Bytes,
};

/// A dictionary to ask and what of.
#[derive(Debug)]
pub struct Rule<D> {
    /// The filter.
    pub filter: DictionaryFilter<D>,
    /// Members only, or their neighbours too.
    pub matching: Match,
}

impl<D: Bytes> Rule<D> {
    fn is_word_list(&self) -> bool {
        self.filter.header().kind == Kind::Words
    }

    fn is_asked_for(&self, matching: Match) -> bool {
        self.is_word_list() && (matching == Match::Exact || self.matching == Match::Near)
    }
}

/// What is searched for among the words, and what finding it means.
struct Search {
    matching: Match,
    /// Characters a variant that lost some must have left.
    least_left: usize,
    reason: Reason,
}

/// The dictionaries of one examination, and those of them that failed.
pub(super) struct Lookups<'s, D> {
    rules: &'s [Rule<D>],
    buffers: Buffers,
    failures: Vec<(usize, FilterError)>,
}

impl<'s, D: Bytes> Lookups<'s, D> {
    pub(super) fn new(rules: &'s [Rule<D>]) -> Lookups<'s, D> {
        Lookups { rules, buffers: Buffers::default(), failures: Vec::new() }
    }

    /// Finds candidates of which a variant is a word.
    pub(super) fn find_word(&mut self, candidate: &Candidate<'_>) -> Option<Finding> {
        let search =
            Search { matching: Match::Exact, least_left: LEAST_LEFT_EXACT, reason: Reason::Dictionary };
        self.first(&search, candidate.variants(), |filter, variant, buffers| {
            let is_word = filter.contains(&variant.word, buffers)?;
            Ok(is_word.then(|| (Edit::None, Some(variant.word.clone()))))
        })
    }

    /// Finds candidates of which a variant is one edit away from a word.
    pub(super) fn find_near_word(&mut self, candidate: &Candidate<'_>) -> Option<Finding> {
        let search =
            Search { matching: Match::Near, least_left: LEAST_LEFT_NEAR, reason: Reason::NearDictionary };
        let with_transpositions = candidate.policy.variants.transpositions;
        self.first(&search, candidate.variants(), |filter, variant, buffers| {
            let found = filter.nearest(&variant.word, with_transpositions, buffers)?;
            Ok(found.map(|found| (found.edit, found.word)))
        })
    }

    /// Finds candidates whose digest, or that of a variant, is in a list of digests: as typed first,
    /// [`MAX_VARIANTS`] in all.
    pub(super) fn find_leaked(&mut self, candidate: &Candidate<'_>) -> Option<Finding> {
        if self.rules.iter().all(Rule::is_word_list) {
            return None;
        }
        let mut digester = Digester::default();
        let password = candidate.password;
        let as_typed = self.leaked(Transforms::NONE, |kind| digester.of_password(kind, password));
        if as_typed.is_some() {
            return as_typed;
        }
        let is_another = |variant: &&Variant| variant.word.as_bytes() != password;
        let possible = candidate.disguises().iter().filter(|variant| variant.may_match(LEAST_LEFT_EXACT));
        let mut others = possible.filter(is_another).take(MAX_VARIANTS.saturating_sub(1));
        others.find_map(|variant| {
            self.leaked(variant.transforms, |kind| digester.of_variant(kind, &variant.word))
        })
    }

    /// Why dictionaries failed, each once.
    pub(super) fn into_failures(self) -> impl Iterator<Item = FilterError> {
        self.failures.into_iter().map(|(_, error)| error)
    }

    /// The answer of one dictionary; none once it has failed.
    fn ask<T>(
        &mut self,
        number: usize,
        ask: impl FnOnce(&'s DictionaryFilter<D>, &mut Buffers) -> Result<T, FilterError>,
    ) -> Option<T> {
        let rule = self.rules.get(number)?;
        if self.failures.iter().any(|(failed, _)| *failed == number) {
            return None;
        }
        match ask(&rule.filter, &mut self.buffers) {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.failures.push((number, error));
                None
            }
        }
    }

    /// The first variant that `ask` finds in a dictionary.
    fn first(
        &mut self,
        search: &Search,
        variants: &[Variant],
        ask: impl Fn(&DictionaryFilter<D>, &Variant, &mut Buffers) -> Result<Option<Hit>, FilterError>,
    ) -> Option<Finding> {
        let asked = || variants.iter().filter(|variant| variant.may_match(search.least_left));
        let rules = self.rules.iter().enumerate();
        let rules = rules.filter(|(_, rule)| rule.is_asked_for(search.matching)).map(|(number, _)| number);
        if asked().nth(1).is_some() {
            rules.clone().for_each(|number| self.prepare(number, search.matching, asked()));
        }
        asked().find_map(|variant| {
            rules.clone().find_map(|number| {
                let hit = self.ask(number, |filter, buffers| ask(filter, variant, buffers)).flatten();
                hit.map(|hit| search.finding(variant, number, hit))
            })
        })
    }

    /// Makes the pages of the first questions of all variants ready together.
    fn prepare<'w>(&mut self, number: usize, matching: Match, asked: impl Iterator<Item = &'w Variant>) {
        let words = asked.map(|variant| &variant.word);
        self.ask(number, |filter, buffers| filter.prepare(words, matching, buffers));
    }

    /// The first list that has the digest made for its kind.
    fn leaked(
        &mut self,
        transforms: Transforms,
        mut digest_for: impl FnMut(Kind) -> Option<Digest>,
    ) -> Option<Finding> {
        self.rules.iter().enumerate().find_map(|(dictionary, rule)| {
            let digest = digest_for(rule.filter.header().kind)?;
            let is_leaked = self.ask(dictionary, |filter, _| filter.contains_entry(&digest))?;
            let evidence = Evidence::Digest { transforms, dictionary };
            is_leaked.then_some(Finding { reason: Reason::Breached, evidence })
        })
    }
}

/// How a variant differs from a word, and the word.
type Hit = (Edit, Option<crate::word::Word>);

impl Search {
    fn finding(&self, variant: &Variant, dictionary: usize, (edit, neighbour): Hit) -> Finding {
        let evidence = Evidence::Word { transforms: variant.transforms, dictionary, edit, neighbour };
        Finding { reason: self.reason, evidence }
    }
}
