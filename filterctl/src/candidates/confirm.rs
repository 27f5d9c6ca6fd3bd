//! Rejections confirmed by the lists themselves. A filter contains by accident a few strings that are in no
//! list: false positives of hashing, which only the lists can reveal.
//!
//! A [`ListClaim`] names the entries that the lists must have for a finding to be right. The claims of all
//! candidates are collected, then the lists are read once; memory holds the claims and a block of a list.

use std::{
    borrow::Borrow,
    collections::HashMap,
    hash::{Hash, Hasher},
};

use nearmiss_cli::{
    input::{InputError, WordList},
    progress::Progress,
};
use nearmiss_filters::{
    format::Kind,
    list::LineFormat,
    word::{Symbol, Word},
};
use nearmiss_policy::{
    policy::{Digest, Evidence, Finding, digests_of, variants},
    site::Site,
};
use zeroize::Zeroizing;

use crate::filter_file::change::read_all;

/// The entries that the lists must have for a rejection to be right.
pub(crate) enum ListClaim {
    /// All these words.
    Words(Vec<Word>),
    /// A word within one edit of one of these, if the filter cannot name it.
    Near(Vec<Word>),
    /// One of these digests, in lists of this kind.
    Digests(Kind, Vec<Digest>),
}

impl ListClaim {
    /// The claim of a finding; none if it is not based on a dictionary.
    pub(crate) fn of(finding: &Finding, candidate: &[u8], site: &Site) -> Option<ListClaim> {
        let rules = site.config().policy.variants;
        let kind = |dictionary: usize| Some(site.rules().get(dictionary)?.filter.header().kind);
        match &finding.evidence {
            Evidence::Word { neighbour: Some(word), .. } => Some(ListClaim::Words(vec![word.clone()])),
            Evidence::Word { transforms, neighbour: None, .. } => {
                let word = Word::clean(candidate).ok()?;
                let variants = variants::of(word, rules).into_iter();
                let made_so = variants.filter(|variant| variant.transforms == *transforms);
                Some(ListClaim::Near(made_so.map(|variant| variant.word).collect()))
            }
            Evidence::Distance2 { found, .. } => Some(ListClaim::Words(vec![found.word.clone()])),
            Evidence::Pieces { pieces, .. } => {
                let of_lists = pieces.iter().filter(|(dictionary, _)| dictionary.is_some());
                let words: Vec<Word> = of_lists.map(|(_, word)| word.clone()).collect();
                (!words.is_empty()).then_some(ListClaim::Words(words))
            }
            Evidence::Digest { transforms, dictionary } => {
                let kind = kind(*dictionary)?;
                Some(ListClaim::Digests(kind, digests_of(kind, candidate, rules, *transforms)))
            }
            _ => None,
        }
    }
}

/// The result of comparing a claim with the lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Confirmed {
    /// The lists have the entries.
    Yes,
    /// They do not: a false positive of hashing, with the words that are in no list.
    Accident(Vec<String>),
    /// The lists are of another kind.
    NotCompared,
}

/// Bytes of a word or a digest, nearly a password: wiped when dropped.
#[derive(PartialEq, Eq)]
struct SecretText(Zeroizing<Vec<u8>>);

impl SecretText {
    fn new(bytes: Vec<u8>) -> SecretText {
        SecretText(Zeroizing::new(bytes))
    }
}

impl Borrow<[u8]> for SecretText {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl Hash for SecretText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_slice().hash(state);
    }
}

/// The claims, and the part of them that the lists confirm.
pub(crate) struct Confirmation {
    kind: Kind,
    /// Words and digests, and whether a list has them.
    wanted: HashMap<SecretText, bool>,
    /// Words near which the lists must have a word, indexed by themselves and by each of their deletions.
    near: HashMap<SecretText, Vec<Word>>,
    /// Each word of `near`, and whether the lists have a word near it.
    has_near: HashMap<SecretText, bool>,
}

impl Confirmation {
    /// Prepares the comparison of these claims with lists of this kind.
    pub(crate) fn of<'c>(kind: Kind, claims: impl Iterator<Item = &'c ListClaim>) -> Confirmation {
        let [wanted, has_near] = [HashMap::new(), HashMap::new()];
        let mut all = Confirmation { kind, wanted, near: HashMap::new(), has_near };
        claims.for_each(|claim| all.want(claim));
        all
    }

    fn want(&mut self, claim: &ListClaim) {
        match claim {
            ListClaim::Words(words) if self.kind == Kind::Words => {
                self.wanted.extend(words.iter().map(|word| (bytes(word), false)));
            }
            ListClaim::Near(words) if self.kind == Kind::Words => {
                for word in words {
                    let is_new = self.has_near.insert(bytes(word), false).is_none();
                    for string in shortened(word).filter(|_| is_new) {
                        self.near.entry(string).or_default().push(word.clone());
                    }
                }
            }
            ListClaim::Digests(kind, digests) if *kind == self.kind => {
                self.wanted.extend(digests.iter().map(|digest| (SecretText(digest.clone()), false)));
            }
            _ => {}
        }
    }

    /// Reads the lists through.
    ///
    /// # Errors
    /// An [`InputError`] for a list that cannot be read or is not a list.
    pub(crate) fn read(&mut self, lists: &[WordList], progress: &Progress) -> Result<(), InputError> {
        let (kind, format) = (self.kind, LineFormat { kind: self.kind, min_count: 0 });
        let mut entry = nearmiss_filters::list::Entry::default();
        progress.start("comparing", lists.iter().map(WordList::stored_bytes).sum());
        for list in lists {
            let counts = read_all(list, progress, |block| {
                format.read_block(block, &mut entry, |entry| {
                    if let Some(is_there) = self.wanted.get_mut(entry.bytes(kind)) {
                        *is_there = true;
                    }
                    if !self.near.is_empty() {
                        Confirmation::note_near(&self.near, &mut self.has_near, &entry.word);
                    }
                })
            })?;
            list.check(&counts)?;
        }
        progress.finish();
        Ok(())
    }

    fn note_near(
        near: &HashMap<SecretText, Vec<Word>>,
        has_near: &mut HashMap<SecretText, bool>,
        word: &Word,
    ) {
        for wanted in shortened(word).filter_map(|string| near.get(&string)).flatten() {
            if is_within_one_edit(wanted, word) {
                has_near.insert(bytes(wanted), true);
            }
        }
    }

    /// Compares a rejection with the lists that were read; without a claim there is nothing to compare.
    pub(crate) fn of_claim(&self, claim: Option<&ListClaim>) -> Confirmed {
        claim.map_or(Confirmed::NotCompared, |claim| self.confirms(claim))
    }

    /// Compares a claim with the lists that were read.
    fn confirms(&self, claim: &ListClaim) -> Confirmed {
        let is_there = |bytes: &[u8]| self.wanted.get(bytes) == Some(&true);
        let yes_or_accident =
            |is_so: bool| if is_so { Confirmed::Yes } else { Confirmed::Accident(Vec::new()) };
        match claim {
            ListClaim::Words(words) if self.kind == Kind::Words => {
                let missing = words.iter().filter(|word| !is_there(word.as_bytes())).map(Word::to_text);
                let missing: Vec<String> = missing.collect();
                if missing.is_empty() { Confirmed::Yes } else { Confirmed::Accident(missing) }
            }
            ListClaim::Near(words) if self.kind == Kind::Words => {
                yes_or_accident(words.iter().any(|word| self.has_near.get(word.as_bytes()) == Some(&true)))
            }
            ListClaim::Digests(kind, digests) if *kind == self.kind => {
                yes_or_accident(digests.iter().any(|digest| is_there(digest)))
            }
            _ => Confirmed::NotCompared,
        }
    }
}

fn bytes(word: &Word) -> SecretText {
    SecretText::new(word.as_bytes().to_vec())
}

/// The word and its deletions, each without one character: words within one edit of each other have one of
/// these in common.
fn shortened(word: &Word) -> impl Iterator<Item = SecretText> {
    let without = |at: usize| {
        let [before, after] = [word.slice(0..at), word.slice(at.saturating_add(1)..word.len())];
        SecretText::new([before, after].concat())
    };
    std::iter::once(bytes(word)).chain((0..word.len()).map(without))
}

/// True when one character inserted, deleted or replaced, or two neighbouring ones swapped, makes one of the
/// other, and for equal words.
fn is_within_one_edit(one: &Word, other: &Word) -> bool {
    let (one, other): (Vec<Symbol>, Vec<Symbol>) = (one.symbols().collect(), other.symbols().collect());
    let (long, short) = if one.len() >= other.len() { (one, other) } else { (other, one) };
    let same_before = long.iter().zip(&short).take_while(|(a, b)| a == b).count();
    let after =
        |word: &[Symbol], at: usize| word.get(same_before.saturating_add(at)..).map(<[Symbol]>::to_vec);
    if long.len() > short.len() {
        return after(&long, 1) == after(&short, 0);
    }
    let is_swapped = match (long.get(same_before..), short.get(same_before..)) {
        (Some([a, b, ..]), Some([c, d, ..])) => a == d && b == c && after(&long, 2) == after(&short, 2),
        _ => false,
    };
    same_before == long.len() || is_swapped || after(&long, 1) == after(&short, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Word {
        Word::clean(text.as_bytes()).unwrap()
    }

    #[test]
    fn one_edit_is_one_edit() {
        for near in ["word", "ward", "wor", "words", "wrd", "sword", "owrd", "wodr"] {
            assert!(is_within_one_edit(&word("word"), &word(near)), "{near}");
            assert!(is_within_one_edit(&word(near), &word("word")), "{near}");
        }
        for far in ["wo", "wards", "drow", "swords", "", "owdr"] {
            assert!(!is_within_one_edit(&word("word"), &word(far)), "{far}");
        }
    }

    #[test]
    fn claims_are_of_one_kind_of_list() {
        let claims = [
            ListClaim::Words(vec![word("cat"), word("dog")]),
            ListClaim::Near(vec![word("hoarse")]),
            ListClaim::Digests(Kind::Ntlm, Vec::new()),
        ];
        let mut confirmation = Confirmation::of(Kind::Words, claims.iter());
        let told = |confirmation: &Confirmation| [0, 1, 2].map(|at| confirmation.confirms(&claims[at]));
        let nothing = Confirmed::Accident(Vec::new());
        let both = Confirmed::Accident(vec!["cat".to_owned(), "dog".to_owned()]);
        assert_eq!(told(&confirmation), [both, nothing.clone(), Confirmed::NotCompared]);
        confirmation.wanted.insert(bytes(&word("cat")), true);
        Confirmation::note_near(&confirmation.near, &mut confirmation.has_near, &word("horse"));
        let dog = Confirmed::Accident(vec!["dog".to_owned()]);
        assert_eq!(told(&confirmation), [dog, Confirmed::Yes, Confirmed::NotCompared]);
    }
}
