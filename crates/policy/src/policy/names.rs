//! The names of the user and the host, and the old password, as words.

use nearmiss_filters::word::{Word, spelt, without_accents};

use super::{candidate::Context, reason::Reason, switches::ContextRules, variants::MIN_LEFT_EXACT};

/// Characters from which a word of the GECOS field counts: shorter ones are initials and titles.
const MIN_NAME: usize = 3;

/// The cleaned words of the context, each with the reason for a candidate near it, in the order of
/// comparison.
pub(super) struct ContextWords(Vec<(Reason, Word)>);

impl ContextWords {
    pub(super) fn new(context: &Context<'_>, rules: ContextRules) -> ContextWords {
        let mut words = ContextWords(Vec::new());
        if rules.user {
            lines(context.user).for_each(|name| words.add_account(name));
        }
        if rules.gecos {
            lines(context.gecos).for_each(|names| words.add_names(names));
        }
        if rules.host {
            words.add_host(Reason::NearHostName, &String::from_utf8_lossy(context.host));
        }
        if let Some(old) = context.old_password.filter(|_| rules.old_password) {
            words.add(Reason::NearOldPassword, old);
        }
        words
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Reason, Word)> {
        self.0.iter()
    }

    /// The reason to reject a password that contains this name; none if it is not a name.
    pub(super) fn reason_of(&self, encoded: &[u8]) -> Option<Reason> {
        let is_name = |&&(reason, ref word): &&(Reason, Word)| {
            reason != Reason::NearOldPassword && word.as_bytes() == encoded
        };
        self.0.iter().find(is_name).map(|&(reason, _)| reason)
    }

    /// A long name is cut as a long candidate is.
    fn add(&mut self, reason: Reason, text: &[u8]) {
        let word = Word::beginning_of(text);
        if !word.is_empty() {
            let plain = [without_accents(&word), spelt(&word)].into_iter().flatten();
            self.0.extend(plain.map(|plain| (reason, plain)));
            self.0.push((reason, word));
        }
    }

    /// A name unchanged, and without the non-letters at its ends if enough is left: the number of a host.
    fn add_name(&mut self, reason: Reason, name: &str) {
        self.add(reason, name.as_bytes());
        let bare = name.trim_matches(|c: char| !c.is_alphabetic());
        if bare.len() < name.len() && bare.chars().count() >= MIN_LEFT_EXACT {
            self.add(reason, bare.as_bytes());
        }
    }

    /// The name of an account, its domain, and each word of both.
    fn add_account(&mut self, name: &[u8]) {
        let text = String::from_utf8_lossy(name);
        self.add_name(Reason::NearUserName, &text);
        let (account, domain) = text.rsplit_once('@').unwrap_or((&text, ""));
        for word in account.split(|c: char| !c.is_alphanumeric()) {
            self.add_part(Reason::NearUserName, word);
        }
        self.add_host(Reason::NearUserName, domain);
    }

    /// A host name, its domains, and each label except the last, which many hosts share.
    fn add_host(&mut self, reason: Reason, host: &str) {
        if host.is_empty() {
            return;
        }
        self.add_name(reason, host);
        let Some((own, mut rest)) = host.split_once('.') else { return };
        self.add_name(reason, own);
        while let Some((label, further)) = rest.split_once('.') {
            self.add(reason, rest.as_bytes());
            self.add_part(reason, label);
            rest = further;
        }
    }

    /// A part of a name, unless it is too short to count on its own.
    fn add_part(&mut self, reason: Reason, part: &str) {
        if part.chars().count() >= MIN_LEFT_EXACT {
            self.add_name(reason, part);
        }
    }

    /// The whole GECOS field, each word of it, and the words of its first part (the full name) joined.
    fn add_names(&mut self, gecos: &[u8]) {
        self.add(Reason::NearRealName, gecos);
        let text = Word::beginning_of(gecos).to_text();
        let is_separator = |c: char| !c.is_alphanumeric();
        for name in text.split(is_separator).filter(|name| name.chars().count() >= MIN_NAME) {
            self.add_name(Reason::NearRealName, name);
        }
        let full_name = text.split(',').next().unwrap_or_default();
        let together: String = full_name.split(is_separator).collect();
        if together.chars().count() >= MIN_NAME {
            self.add_name(Reason::NearRealName, &together);
        }
    }
}

/// The names of a field that may have several: the field of an account's data base never has a second line.
fn lines(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    names.split(|byte| *byte == b'\n').filter(|name| !name.is_empty())
}
