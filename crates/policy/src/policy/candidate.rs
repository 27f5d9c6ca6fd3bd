//! A password under examination, with what is made of it once for all detectors.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of words of at most 256 characters")]

use std::cell::OnceCell;

use nearmiss_filters::word::Word;

use super::{
    rules::Policy,
    variants::{self, Variant},
};

/// Characters at the ends that a form may lose and still be nearly whole.
const MAX_STRIPPED: usize = 4;

/// What is known of the person and the machine, as bytes in whatever encoding the system has them.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// The user name; empty when unknown. Further names of the account may be on lines of their own.
    pub user: &'a [u8],
    /// The GECOS field; empty when unknown. Further names of the person may be on lines of their own.
    pub gecos: &'a [u8],
    /// The host name, with or without its domain; empty when unknown.
    pub host: &'a [u8],
    /// The old password, when it was typed.
    pub old_password: Option<&'a [u8]>,
}

/// A password, the rules it is examined by, and what is known of its user.
pub(super) struct Candidate<'c> {
    pub(super) policy: &'c Policy,
    pub(super) password: &'c [u8],
    pub(super) context: &'c Context<'c>,
    variants: OnceCell<Vec<Variant>>,
}

impl<'c> Candidate<'c> {
    pub(super) fn new(policy: &'c Policy, password: &'c [u8], context: &'c Context<'c>) -> Candidate<'c> {
        Candidate { policy, password, context, variants: OnceCell::new() }
    }

    /// The cleaned candidate and its variants; none for a candidate of more than 256 characters, which is
    /// further than 1 from every word: each variant is as long, or half as long and no word either. It may be
    /// in a list of digests.
    pub(super) fn variants(&self) -> &[Variant] {
        let make = |word| variants::of(word, self.policy.variants);
        self.variants.get_or_init(|| Word::clean(self.password).map_or_else(|_| Vec::new(), make))
    }

    /// The candidate, and what is left of it without accents and without digits and punctuation at the ends:
    /// the forms that are examined for what they are made of.
    pub(super) fn forms(&self) -> impl Iterator<Item = &Variant> {
        self.variants().iter().filter(|variant| variant.transforms.keep_the_text())
    }

    /// The forms that lost at most four characters at the ends: a few letters amid many other characters are
    /// like some words by chance.
    pub(super) fn nearly_whole_forms(&self) -> impl Iterator<Item = &Variant> {
        let length = self.variants().first().map_or(0, |whole| whole.word.len());
        self.forms().filter(move |form| form.word.len() + MAX_STRIPPED >= length)
    }

    /// These forms, and in a long candidate those that lost no more than a third of it: a year and a sign
    /// behind two words are five characters.
    pub(super) fn mostly_whole_forms(&self) -> impl Iterator<Item = &Variant> {
        let length = self.variants().first().map_or(0, |whole| whole.word.len());
        let most = MAX_STRIPPED.max(length / 3);
        self.forms().filter(move |form| form.word.len() + most >= length)
    }

    /// The variants that are looked up in lists of digests beside the candidate as typed.
    pub(super) fn disguises(&self) -> &[Variant] {
        if self.policy.variants.changes_any() { self.variants() } else { &[] }
    }
}
