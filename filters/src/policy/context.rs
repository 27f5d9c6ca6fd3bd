//! What a password must not be near: the user's names, the host's name and the old password.

use super::{
    finding::Finding,
    reason::Reason,
    variants::{LEAST_LEFT_EXACT, LEAST_LEFT_NEAR, Variant, without_accents},
};
use crate::word::{Symbol, Word};

/// Characters from which a word of the GECOS field counts: shorter ones are initials and titles.
const LEAST_NAME: usize = 3;

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

/// Which parts of the context a candidate must not be near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct ContextRules {
    /// The user name.
    pub user: bool,
    /// The words of the GECOS field.
    pub gecos: bool,
    /// The host name.
    pub host: bool,
    /// The old password.
    pub old_password: bool,
}

impl Default for ContextRules {
    fn default() -> ContextRules {
        ContextRules { user: true, gecos: true, host: true, old_password: true }
    }
}

/// The context's words, cleaned, each with the reason that being near it gives, in the order they are compared.
pub(super) struct ContextWords(Vec<(Reason, Word)>);

impl ContextWords {
    pub(super) fn new(context: &Context<'_>, rules: ContextRules) -> ContextWords {
        let mut words = ContextWords(Vec::new());
        if rules.user {
            words.add(Reason::NearUserName, context.user);
        }
        if rules.gecos {
            words.add_names(context.gecos);
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

    /// Each word of the GECOS field, and those of its first part (the full name) written together.
    fn add_names(&mut self, gecos: &[u8]) {
        let Ok(all) = Word::clean(gecos) else { return };
        let text = all.to_text();
        let is_separator = |c: char| !c.is_alphanumeric();
        for name in text.split(is_separator).filter(|name| name.chars().count() >= LEAST_NAME) {
            self.add(Reason::NearRealName, name.as_bytes());
        }
        let full_name = text.split(',').next().unwrap_or_default();
        let together: String = full_name.split(is_separator).collect();
        if together.chars().count() >= LEAST_NAME {
            self.add(Reason::NearRealName, together.as_bytes());
        }
    }

    /// The first word that a variant equals or is within distance 1 of.
    pub(super) fn nearest(&self, variants: &[Variant]) -> Option<Finding> {
        self.0.iter().find_map(|(reason, word)| {
            let variant = variants.iter().find(|variant| is_too_close(variant, word))?;
            Some(Finding {
                reason: *reason,
                transforms: variant.transforms,
                dictionary: None,
                edit: None,
                neighbour: None,
            })
        })
    }
}

fn is_too_close(variant: &Variant, word: &Word) -> bool {
    let is_same = variant.may_match(LEAST_LEFT_EXACT) && variant.word == *word;
    is_same || (variant.may_match(LEAST_LEFT_NEAR) && is_within_1(&variant.word, word))
}

/// True when the distance is at most 1: what is left between the common beginning and the common end of the two is
/// at most one character of each.
fn is_within_1(a: &Word, b: &Word) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len().saturating_sub(short.len()) > 1 {
        return false;
    }
    let common =
        |pairs: &mut dyn Iterator<Item = (Symbol, Symbol)>| pairs.take_while(|(x, y)| x == y).count();
    let start = common(&mut short.symbols().zip(long.symbols()));
    let end = common(&mut short.symbols().rev().zip(long.symbols().rev()));
    start.saturating_add(end).saturating_add(1) >= long.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Policy, Verdict};

    fn judge(context: &Context<'_>, password: &str) -> Verdict {
        let policy = Policy { min_length: 1, ..Policy::default() };
        policy.judge::<Vec<u8>>(password.as_bytes(), context, &[]).unwrap()
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
            assert_eq!(judge(&context, password), Verdict::Reject(reason), "{password}");
        }
        assert_eq!(judge(&context, "someusre"), Verdict::Accept, "a swap is distance 2");
        assert_eq!(judge(&context, "correct horse battery staple"), Verdict::Accept);
    }

    #[test]
    fn what_is_left_of_a_stripped_password_is_compared_from_4_characters_and_its_neighbours_from_6() {
        let rejected = Verdict::Reject(Reason::NearUserName);
        for (user, password, verdict) in [
            ("bob", "bob1999!", Verdict::Accept),
            ("anna", "anna1999!", rejected),
            ("anna", "anne1999!", Verdict::Accept),
            ("donna", "donne1999!", Verdict::Accept),
            ("ronald", "donald1999!", rejected),
        ] {
            let context = Context { user: user.as_bytes(), ..Context::default() };
            assert_eq!(judge(&context, password), verdict, "{user} {password}");
        }
    }

    #[test]
    fn switched_off_and_unknown_parts_do_not_count() {
        assert_eq!(judge(&Context::default(), "someuser"), Verdict::Accept);
        let context = Context { user: b"someuser", ..Context::default() };
        let rules = ContextRules { user: false, ..ContextRules::default() };
        let policy = Policy { context: rules, ..Policy::default() };
        assert_eq!(policy.judge::<Vec<u8>>(b"someuser", &context, &[]).unwrap(), Verdict::Accept);
    }
}
