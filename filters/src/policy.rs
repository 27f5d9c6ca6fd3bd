//! The decision: a candidate and its context against the rules and the dictionaries. No I/O but the filters' pages,
//! no clock, bounded work for every input.
//!
//! A candidate is judged in this order and the first reason wins: empty or over-long, shorter than `min_length`,
//! near the context (user name, real name, host name, old password), in a dictionary, in a list of leaked passwords,
//! within distance 1 of a dictionary word. The whole password is compared, not substrings of it, and there are no
//! composition rules (NIST SP 800-63B-4 §3.1.1.2).
//! Each lookup is done for the cleaned candidate and its [`variants`]; in lists of digests for the candidate as typed
//! first, and then, when any variant is switched on, for those.

mod context;
mod digests;
mod finding;
#[cfg(test)]
mod finding_tests;
mod leet;
mod reason;
pub mod variants;

pub use context::{Context, ContextRules};
pub use finding::Finding;
pub use reason::{MAX_PASSWORD_BYTES, Reason, Verdict};
pub use variants::{LEAST_LEFT_EXACT, LEAST_LEFT_NEAR, MAX_VARIANTS, Transforms, VariantRules};

use self::{
    context::ContextWords,
    digests::{Digest, Digester},
    variants::Variant,
};
use crate::{
    dictionary::{Buffers, DictionaryFilter, Edit, FilterError, sizing::STATED_LOOKUPS},
    format::{Kind, Match},
    storage::Bytes,
    word::Word,
};

/// A filter states its rate for as many lookups as a check makes at most.
const _: () = assert!(MAX_VARIANTS == STATED_LOOKUPS as usize);

/// The rules of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Least number of characters (Unicode scalar values), not bytes.
    pub min_length: usize,
    /// Which variants of a candidate are looked up.
    pub variants: VariantRules,
    /// Which parts of the context a candidate must not be near.
    pub context: ContextRules,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { min_length: 8, variants: VariantRules::default(), context: ContextRules::default() }
    }
}

/// A dictionary to ask and what of.
#[derive(Debug)]
pub struct Rule<D> {
    /// The filter.
    pub filter: DictionaryFilter<D>,
    /// Members only, or their neighbours too.
    pub matching: Match,
}

impl Policy {
    /// Judges a candidate.
    ///
    /// # Errors
    /// [`FilterError`] when a filter turns out to be damaged or unreadable: there is no verdict then.
    pub fn judge<D: Bytes>(
        &self,
        password: &[u8],
        context: &Context<'_>,
        rules: &[Rule<D>],
    ) -> Result<Verdict, FilterError> {
        let finding = self.examine(password, context, rules)?;
        Ok(finding.map_or(Verdict::Accept, |finding| Verdict::Reject(finding.reason)))
    }

    /// Judges a candidate and tells an administrator why.
    ///
    /// # Errors
    /// As [`Policy::judge`].
    pub fn examine<D: Bytes>(
        &self,
        password: &[u8],
        context: &Context<'_>,
        rules: &[Rule<D>],
    ) -> Result<Option<Finding>, FilterError> {
        if let Some(reason) = self.check_length(password) {
            return Ok(Some(Finding::plain(reason)));
        }
        // A candidate of more than 256 characters is further than 1 from every word and every variant is as long,
        // or half as long and no word either. It may be in a list of digests as it is.
        let variants =
            Word::clean(password).map_or_else(|_| Vec::new(), |word| variants::of(word, self.variants));
        let is_old = self.context.old_password && context.old_password == Some(password);
        if variants.is_empty() && is_old {
            return Ok(Some(Finding::plain(Reason::NearOldPassword)));
        }
        let words = ContextWords::new(context, self.context);
        if let Some(finding) = words.nearest(&variants) {
            return Ok(Some(finding));
        }
        let with_transpositions = self.variants.transpositions;
        let mut lookups = Lookups { rules, buffers: Buffers::default(), with_transpositions };
        if let Some(finding) = lookups.first(&variants)? {
            return Ok(Some(finding));
        }
        let disguises = if self.variants.changes_any() { variants.as_slice() } else { &[] };
        match lookups.first_breached(password, disguises)? {
            None => lookups.first_near(&variants),
            finding => Ok(finding),
        }
    }

    fn check_length(&self, password: &[u8]) -> Option<Reason> {
        if password.is_empty() {
            return Some(Reason::Empty);
        }
        if password.len() > MAX_PASSWORD_BYTES {
            return Some(Reason::TooLong);
        }
        let min_length = self.min_length;
        (character_count(password) < min_length).then_some(Reason::TooShort { min_length })
    }
}

/// Unicode scalar values, and one for each byte that is not UTF-8.
fn character_count(password: &[u8]) -> usize {
    let count =
        |chunk: std::str::Utf8Chunk<'_>| chunk.valid().chars().count().saturating_add(chunk.invalid().len());
    password.utf8_chunks().map(count).fold(0, usize::saturating_add)
}

/// Dictionary lookups of one candidate.
struct Lookups<'r, D> {
    rules: &'r [Rule<D>],
    buffers: Buffers,
    with_transpositions: bool,
}

impl<D: Bytes> Lookups<'_, D> {
    /// Makes the pages of the first questions of all variants ready together.
    fn prepare(&mut self, variants: &[Variant], least: usize, matching: Match) -> Result<(), FilterError> {
        let asked = || variants.iter().filter(|variant| variant.may_match(least));
        if asked().nth(1).is_none() {
            return Ok(());
        }
        for rule in self.rules.iter().filter(|rule| is_word_list(rule)) {
            if matching == Match::Exact || rule.matching == Match::Near {
                rule.filter.prepare(asked().map(|variant| &variant.word), matching, &mut self.buffers)?;
            }
        }
        Ok(())
    }

    fn first(&mut self, variants: &[Variant]) -> Result<Option<Finding>, FilterError> {
        self.prepare(variants, LEAST_LEFT_EXACT, Match::Exact)?;
        for variant in variants.iter().filter(|variant| variant.may_match(LEAST_LEFT_EXACT)) {
            for (number, rule) in self.rules.iter().enumerate() {
                if is_word_list(rule) && rule.filter.contains(&variant.word, &mut self.buffers)? {
                    let neighbour = Some(variant.word.clone());
                    let (dictionary, edit) = (Some(number), Some(Edit::None));
                    let (reason, transforms) = (Reason::Dictionary, variant.transforms);
                    return Ok(Some(Finding { reason, transforms, dictionary, edit, neighbour }));
                }
            }
        }
        Ok(None)
    }

    /// Asks the lists of digests for the candidate as typed and for its disguises, [`MAX_VARIANTS`] in all.
    fn first_breached(&self, password: &[u8], disguises: &[Variant]) -> Result<Option<Finding>, FilterError> {
        if self.rules.iter().all(is_word_list) {
            return Ok(None);
        }
        let mut digester = Digester::default();
        if let Some(finding) = self.breached(Transforms::NONE, |kind| digester.of_typed(kind, password))? {
            return Ok(Some(finding));
        }
        let is_other = |variant: &&Variant| variant.word.as_bytes() != password;
        let possible = disguises.iter().filter(|variant| variant.may_match(LEAST_LEFT_EXACT));
        for variant in possible.filter(is_other).take(MAX_VARIANTS.saturating_sub(1)) {
            let finding = self.breached(variant.transforms, |kind| digester.of_word(kind, &variant.word))?;
            if finding.is_some() {
                return Ok(finding);
            }
        }
        Ok(None)
    }

    fn breached(
        &self,
        transforms: Transforms,
        mut digest_for: impl FnMut(Kind) -> Option<Digest>,
    ) -> Result<Option<Finding>, FilterError> {
        for (number, rule) in self.rules.iter().enumerate() {
            let Some(digest) = digest_for(rule.filter.header().kind) else { continue };
            if rule.filter.contains_entry(&digest)? {
                let dictionary = Some(number);
                return Ok(Some(Finding { transforms, dictionary, ..Finding::plain(Reason::Breached) }));
            }
        }
        Ok(None)
    }

    fn first_near(&mut self, variants: &[Variant]) -> Result<Option<Finding>, FilterError> {
        self.prepare(variants, LEAST_LEFT_NEAR, Match::Near)?;
        for variant in variants.iter().filter(|variant| variant.may_match(LEAST_LEFT_NEAR)) {
            for (number, rule) in
                self.rules.iter().enumerate().filter(|(_, rule)| rule.matching == Match::Near)
            {
                let swaps = self.with_transpositions;
                if let Some(found) = rule.filter.nearest(&variant.word, swaps, &mut self.buffers)? {
                    return Ok(Some(Finding {
                        reason: Reason::NearDictionary,
                        transforms: variant.transforms,
                        dictionary: Some(number),
                        edit: Some(found.edit),
                        neighbour: found.word,
                    }));
                }
            }
        }
        Ok(None)
    }
}

fn is_word_list<D: Bytes>(rule: &Rule<D>) -> bool {
    rule.filter.header().kind == Kind::Words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(policy: &Policy, password: &[u8]) -> Verdict {
        policy.judge::<Vec<u8>>(password, &Context::default(), &[]).unwrap()
    }

    #[test]
    fn the_old_password_is_rejected_also_when_it_is_too_long_to_be_a_word() {
        let old = [b'x'; 300];
        let context = Context { old_password: Some(&old), ..Context::default() };
        let verdict = |password: &[u8]| Policy::default().judge::<Vec<u8>>(password, &context, &[]).unwrap();
        assert_eq!(verdict(&old), Verdict::Reject(Reason::NearOldPassword));
        assert_eq!(verdict(&[b'y'; 300]), Verdict::Accept);
    }

    #[test]
    fn lengths_are_characters_not_bytes() {
        let policy = Policy::default();
        let short = Verdict::Reject(Reason::TooShort { min_length: 8 });
        assert_eq!(judge(&policy, b""), Verdict::Reject(Reason::Empty));
        assert_eq!(judge(&policy, b"1234567"), short);
        assert_eq!(judge(&policy, "日本語".as_bytes()), short);
        assert_eq!(judge(&policy, "日本語日本語日本".as_bytes()), Verdict::Accept);
        assert_eq!(judge(&policy, b"\xff\xfe\xfd\xfc\xfb\xfa\xf9"), short);
        assert_eq!(judge(&policy, &[b'x'; 512]), Verdict::Accept);
        assert_eq!(judge(&policy, &[b'x'; 513]), Verdict::Reject(Reason::TooLong));
    }
}
