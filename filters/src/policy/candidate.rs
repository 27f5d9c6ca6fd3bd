//! A password under examination, with what is made of it once for all detectors.

use std::cell::OnceCell;

use super::{
    rules::Policy,
    variants::{self, Variant},
};
use crate::word::Word;

/// What is known of the person and the machine, as bytes in whatever encoding the system has them.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// The user name; empty when unknown.
    pub user: &'a [u8],
    /// The GECOS field; empty when unknown.
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

    /// The variants that are looked up in lists of digests beside the candidate as typed.
    pub(super) fn disguises(&self) -> &[Variant] {
        if self.policy.variants.changes_any() { self.variants() } else { &[] }
    }
}
