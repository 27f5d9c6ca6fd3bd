//! A password under examination, with the forms that all detectors share.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of words of at most 256 characters")]

use std::cell::OnceCell;

use nearmiss_filters::word::Word;

use super::{
    rules::Policy,
    variants::{self, Variant},
};

/// The number of characters that a nearly whole form may have lost at the ends.
const MAX_STRIPPED: usize = 4;

/// The known data of the person and the machine, as bytes in the system's encoding.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// The user name; empty when unknown. Further names of the account may be on lines of their own.
    pub user: &'a [u8],
    /// The GECOS field; empty when unknown. Further names of the person may be on lines of their own.
    pub gecos: &'a [u8],
    /// The host name, with or without its domain; empty when unknown.
    pub host: &'a [u8],
    /// The old password, if it was typed.
    pub old_password: Option<&'a [u8]>,
    /// The candidate in UTF-8, as the charset of the application's locale reads its bytes; none if they are
    /// UTF-8 or that charset is not known.
    pub in_locale: Option<&'a [u8]>,
}

/// A password, the rules to examine it by, and the context of its user.
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

    /// The cleaned candidate and its variants. A long candidate is cut after 256 characters: what repeats a
    /// text is as weak with more repetitions. A list of digests is asked for the whole.
    pub(super) fn variants(&self) -> &[Variant] {
        let make = || variants::of(Word::beginning_of(self.password), self.policy.variants);
        self.variants.get_or_init(make)
    }

    /// The candidate, and the candidate without accents and without digits and punctuation at the ends: the
    /// forms whose structure is examined.
    pub(super) fn forms(&self) -> impl Iterator<Item = &Variant> {
        self.variants().iter().filter(|variant| variant.transforms.keep_the_text())
    }

    /// The forms that lost at most four characters at the ends: a few letters among many other characters
    /// resemble a word by chance.
    pub(super) fn nearly_whole_forms(&self) -> impl Iterator<Item = &Variant> {
        let length = self.variants().first().map_or(0, |whole| whole.word.len());
        self.forms().filter(move |form| form.word.len() + MAX_STRIPPED >= length)
    }

    /// True for these forms, and in a long candidate for forms that lost at most a third of it: a year and a
    /// punctuation mark after two words are five characters.
    pub(super) fn is_mostly_whole(&self, form: &Variant) -> bool {
        let length = self.variants().first().map_or(0, |whole| whole.word.len());
        form.word.len() + MAX_STRIPPED.max(length / 3) >= length
    }

    /// The variants that are looked up in lists of digests, in addition to the candidate as typed.
    pub(super) fn disguises(&self) -> &[Variant] {
        if self.policy.variants.changes_any() { self.variants() } else { &[] }
    }
}
