//! Passphrases that the site itself would accept.

use std::{error::Error, fmt, io};

use nearmiss_filters::{
    dictionary::Buffers,
    format::Match,
    keys::{self, Keyed, MessageKey},
    ladder::{RandomSource, SystemRandom},
    storage::mapped::Mapped,
    word::Word,
};
use zeroize::Zeroizing;

use super::{Site, Unusable};
use crate::{
    policy::{Context, Examination, Ladders, OpenDictionary, Reason},
    suggest::{Recipe, SEPARATOR, WordList},
};

/// The highest number of draws for an accepted passphrase: a policy that rejects this number in a row accepts
/// so few that their entropy would be less than stated.
const MAX_DRAWS: usize = 8;

/// A passphrase to suggest.
pub struct Suggestion {
    /// The passphrase, wiped when dropped.
    pub passphrase: Zeroizing<String>,
    /// How it was drawn.
    pub recipe: Recipe,
}

impl Site {
    /// Draws a passphrase of at least `bits` of entropy that the policy accepts for this person, with the
    /// separators of its words and without, and that is further than 1 from every word of the dictionaries
    /// that support this lookup. The ladder is not queried: its slow hash costs as much as a login, and a
    /// passphrase that was just drawn has not been chosen before.
    ///
    /// # Errors
    /// [`Unsuggested`].
    pub fn suggest(
        &self,
        words: &WordList,
        bits: usize,
        context: &Context<'_>,
    ) -> Result<Suggestion, Unsuggested> {
        self.suggest_by(words, bits, context, &mut SystemRandom)
    }

    pub(super) fn suggest_by(
        &self,
        words: &WordList,
        bits: usize,
        context: &Context<'_>,
        random: &mut impl RandomSource,
    ) -> Result<Suggestion, Unsuggested> {
        let recipe = Recipe::new(words, bits, self.config.policy.min_length);
        for _ in 0..MAX_DRAWS {
            let passphrase = recipe.draw(words, random).map_err(Unsuggested::Random)?;
            if self.may_be_suggested(passphrase.as_bytes(), context).map_err(Unsuggested::Unusable)? {
                return Ok(Suggestion { passphrase, recipe });
            }
        }
        Err(Unsuggested::Rejected)
    }

    pub(super) fn may_be_suggested(
        &self,
        passphrase: &[u8],
        context: &Context<'_>,
    ) -> Result<bool, Unusable> {
        if let Some(unusable) = self.dictionaries().unusable.first() {
            return Err(unusable.clone());
        }
        Ok(self.rejection(passphrase, context)?.is_none()
            && self.is_accepted_joined(passphrase, context)?
            && self.is_far_from_words(passphrase)?)
    }

    /// True unless the words alone, without separators, are rejected for another reason than their length:
    /// people type the words that they remember.
    fn is_accepted_joined(&self, passphrase: &[u8], context: &Context<'_>) -> Result<bool, Unusable> {
        let mut joined = Zeroizing::new(Vec::with_capacity(passphrase.len()));
        joined.extend(passphrase.iter().copied().filter(|&byte| char::from(byte) != SEPARATOR));
        Ok(matches!(self.rejection(&joined, context)?, None | Some(Reason::TooShort { .. })))
    }

    fn rejection(&self, password: &[u8], context: &Context<'_>) -> Result<Option<Reason>, Unusable> {
        let examination = Examination::new(self.rules(), Ladders::default());
        let examined = self.config.policy.examine(password, context, examination);
        let finding = examined.complete().map_err(|error| Unusable::source(&error, &self.config))?;
        Ok(finding.map(|finding| finding.reason))
    }

    /// True if it is further than 1 from the words of the dictionaries that are configured for exact matches
    /// only.
    fn is_far_from_words(&self, passphrase: &[u8]) -> Result<bool, Unusable> {
        let Ok(word) = Word::clean(passphrase) else { return Ok(true) };
        let mut buffers = Buffers::default();
        for rule in self.rules().iter().filter(|rule| is_asked_exactly(rule)) {
            let nearest = rule.filter.nearest(&word, false, &mut buffers);
            let nearest = nearest.map_err(|error| Unusable::source(&error.into(), &self.config))?;
            if nearest.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// True for a near filter that is configured for exact matches.
fn is_asked_exactly(rule: &OpenDictionary<Mapped>) -> bool {
    rule.matching == Match::Exact && rule.filter.header().matching == Match::Near
}

/// The reason why no passphrase can be suggested.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unsuggested {
    /// A dictionary cannot be queried.
    Unusable(Unusable),
    /// The system provides no random bytes.
    Random(io::Error),
    /// The policy rejects the passphrases from this list.
    Rejected,
}

impl fmt::Display for Unsuggested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsuggested::Unusable(unusable) => unusable.fmt(f),
            Unsuggested::Random(error) => write!(f, "the system provides no random bytes: {error}"),
            Unsuggested::Rejected => f.write_str(
                "the policy rejects the generated passphrases; name another list with suggest_words",
            ),
        }
    }
}

impl Keyed for Unsuggested {
    fn key(&self) -> MessageKey {
        match self {
            Unsuggested::Unusable(unusable) => unusable.key,
            Unsuggested::Random(_) => keys::OUT_OF_MEMORY,
            Unsuggested::Rejected => keys::SUGGEST_WORDS,
        }
    }
}

impl Error for Unsuggested {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passphrase_that_there_is_none_of_has_its_reason() {
        let gone = Unsuggested::Random(io::Error::other("gone")).to_string();
        assert_eq!(gone, "the system provides no random bytes: gone");
        assert!(Unsuggested::Rejected.to_string().contains("name another list with suggest_words"));
    }
}
