//! What a password must not be near: the user's names, the host's name and the old password.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of words of at most 256 characters")]

use super::{
    candidate::{Candidate, Context},
    examination::Examination,
    finding::{Evidence, Finding},
    reason::Reason,
    rules::ContextRules,
    variants::{MIN_LEFT_EXACT, MIN_LEFT_NEAR, Variant, without_accents},
};
use crate::{
    storage::Bytes,
    word::{Symbol, Word},
};

/// Characters from which a word of the GECOS field counts: shorter ones are initials and titles.
const MIN_NAME: usize = 3;

/// Finds candidates that are, or are one edit away from, a name of the user or the host, or the old password.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let (rules, context) = (candidate.policy.context, candidate.context);
    let variants = candidate.variants();
    let is_old = rules.old_password && context.old_password == Some(candidate.password);
    if variants.is_empty() && is_old {
        examination.found(Finding::plain(Reason::NearOldPassword));
    }
    ContextWords::new(context, rules)
        .nearest(variants)
        .into_iter()
        .for_each(|finding| examination.found(finding));
}

/// The context's words, cleaned, each with the reason that being near it gives, in the order they are
/// compared.
struct ContextWords(Vec<(Reason, Word)>);

impl ContextWords {
    fn new(context: &Context<'_>, rules: ContextRules) -> ContextWords {
        let mut words = ContextWords(Vec::new());
        if rules.user {
            lines(context.user).for_each(|name| words.add(Reason::NearUserName, name));
        }
        if rules.gecos {
            lines(context.gecos).for_each(|names| words.add_names(names));
        }
        if rules.host {
            words.add(Reason::NearHostName, context.host);
            let label = context.host.split(|&byte| byte == b'.').next().unwrap_or_default();
            words.add(Reason::NearHostName, label);
        }
        if let Some(old) = context.old_password.filter(|_| rules.old_password) {
            words.add(Reason::NearOldPassword, old);
        }
        words
    }

    /// A name that is over-long is further than 1 from every candidate that is not.
    fn add(&mut self, reason: Reason, text: &[u8]) {
        if let Some(word) = Word::clean(text).ok().filter(|word| !word.is_empty()) {
            self.0.extend(without_accents(&word).map(|plain| (reason, plain)));
            self.0.push((reason, word));
        }
    }

    /// The GECOS field as it is, each word of it, and the words of its first part (the full name) written
    /// together.
    fn add_names(&mut self, gecos: &[u8]) {
        self.add(Reason::NearRealName, gecos);
        let Ok(all) = Word::clean(gecos) else { return };
        let text = all.to_text();
        let is_separator = |c: char| !c.is_alphanumeric();
        for name in text.split(is_separator).filter(|name| name.chars().count() >= MIN_NAME) {
            self.add(Reason::NearRealName, name.as_bytes());
        }
        let full_name = text.split(',').next().unwrap_or_default();
        let together: String = full_name.split(is_separator).collect();
        if together.chars().count() >= MIN_NAME {
            self.add(Reason::NearRealName, together.as_bytes());
        }
    }

    /// The first word that a variant equals or is within distance 1 of.
    fn nearest(&self, variants: &[Variant]) -> Option<Finding> {
        self.0.iter().find_map(|&(reason, ref word)| {
            let variant = variants.iter().find(|variant| is_too_close(variant, word))?;
            Some(Finding { reason, evidence: Evidence::Variant { transforms: variant.transforms } })
        })
    }
}

/// The names of a field that may have several: the field of an account's data base never has a second line.
fn lines(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    names.split(|byte| *byte == b'\n')
}

fn is_too_close(variant: &Variant, word: &Word) -> bool {
    let is_same = variant.may_match(MIN_LEFT_EXACT) && variant.word == *word;
    is_same || (variant.may_match(MIN_LEFT_NEAR) && is_within_1(&variant.word, word))
}

/// True when the distance is at most 1: what is left between the common beginning and the common end of the
/// two is at most one character of each.
fn is_within_1(a: &Word, b: &Word) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let common =
        |pairs: &mut dyn Iterator<Item = (Symbol, Symbol)>| pairs.take_while(|(x, y)| x == y).count();
    let start = common(&mut short.symbols().zip(long.symbols()));
    let end = common(&mut short.symbols().rev().zip(long.symbols().rev()));
    start + end + 1 >= long.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, tests::reason};

    fn near(context: &Context<'_>, password: &str) -> Option<Reason> {
        let policy = Policy { min_length: 1, ..Policy::default() };
        reason(&policy, password.as_bytes(), context)
    }

    fn word(text: &str) -> Word {
        Word::clean(text.as_bytes()).unwrap_or_default()
    }

    #[test]
    fn within_1_is_levenshteins() {
        for (a, b, near) in [
            ("", "", true),
            ("", "a", true),
            ("", "ab", false),
            ("abc", "abc", true),
            ("abc", "abd", true),
            ("abc", "bbd", false),
            ("aab", "ab", true),
            ("abab", "ab", false),
            ("ab", "ba", false),
            ("elephant", "elzhant", false),
        ] {
            assert_eq!(is_within_1(&word(a), &word(b)), near, "{a} {b}");
            assert_eq!(is_within_1(&word(b), &word(a)), near, "{b} {a}");
        }
    }

    #[test]
    fn further_names_are_on_lines_of_their_own() {
        let context = Context {
            user: b"test\ntest@EXAMPLE.ORG\nNEWEXAMPLE.ORG",
            gecos: b"Anna Zwiebelkorn\nannabella.z@kornfelder.example\nannabella.z",
            ..Context::default()
        };
        for (password, expected) in [
            ("test@EXAMPLE.ORG", Some(Reason::NearUserName)),
            ("NewExample.Org", Some(Reason::NearUserName)),
            ("gro.elpmaxewen", Some(Reason::NearUserName)),
            ("annazwiebelkorn", Some(Reason::NearRealName)),
            ("annabella.z", Some(Reason::NearRealName)),
            ("annabella.z@kornfelder.example", Some(Reason::NearRealName)),
            ("Kornfelder1", Some(Reason::NearRealName)),
            ("testannabella", None),
        ] {
            assert_eq!(near(&context, password), expected, "{password}");
        }
    }

    #[test]
    fn names_of_user_and_host_in_any_disguise() {
        let context = Context {
            user: b"someuser",
            gecos: "Zoë Müller-Lüdenscheidt,Room 7,555-0100".as_bytes(),
            host: b"workbench.example.org",
            old_password: Some(b"Tr0ub4dor"),
        };
        for (password, reason) in [
            ("someuser", Reason::NearUserName),
            ("resuemos", Reason::NearUserName),
            ("someuser123", Reason::NearUserName),
            ("123someuser", Reason::NearUserName),
            ("1someuser2", Reason::NearUserName),
            ("Müller42", Reason::NearRealName),
            ("ludenscheidt", Reason::NearRealName),
            ("zoemullerludenscheidt", Reason::NearRealName),
            ("workbench", Reason::NearHostName),
            ("w0rkbench!", Reason::NearHostName),
            ("workbench.example.org1", Reason::NearHostName),
            ("Tr0ub4dor1", Reason::NearOldPassword),
            ("rod4bu0rt", Reason::NearOldPassword),
        ] {
            assert_eq!(near(&context, password), Some(reason), "{password}");
        }
        assert_eq!(near(&context, "someusre"), None, "a swap is distance 2");
        assert_eq!(near(&context, "correct horse battery staple"), None);
    }

    #[test]
    fn what_is_left_of_a_stripped_password_is_compared_from_4_characters_and_its_neighbours_from_6() {
        let rejected = Some(Reason::NearUserName);
        for (user, password, verdict) in [
            ("bob", "bob1999!", None),
            ("anna", "anna1999!", rejected),
            ("anna", "anne1999!", None),
            ("donna", "donne1999!", None),
            ("ronald", "donald1999!", rejected),
        ] {
            let context = Context { user: user.as_bytes(), ..Context::default() };
            assert_eq!(near(&context, password), verdict, "{user} {password}");
        }
    }

    #[test]
    fn the_old_password_is_rejected_also_when_it_is_too_long_to_be_a_word() {
        let old = [b'x'; 300];
        let context = Context { old_password: Some(&old), ..Context::default() };
        assert_eq!(reason(&Policy::default(), &old, &context), Some(Reason::NearOldPassword));
        assert_eq!(reason(&Policy::default(), &[b'y'; 300], &context), None);
    }

    #[test]
    fn switched_off_and_unknown_parts_do_not_count() {
        assert_eq!(near(&Context::default(), "someuser"), None);
        let context = Context { user: b"someuser", ..Context::default() };
        let rules = ContextRules { user: false, ..ContextRules::default() };
        let policy = Policy { context: rules, ..Policy::default() };
        assert_eq!(reason(&policy, b"someuser", &context), None);
    }
}
