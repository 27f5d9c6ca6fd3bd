//! The finding of a detector.

use std::fmt;

use nearmiss_filters::{
    dictionary::{Distance2, Edit},
    word::Word,
};

use super::{reason::Reason, variants::Transforms};

/// The reason why a candidate is rejected, with its evidence.
pub struct Finding {
    /// The reason: the only part that a user or a log may see.
    pub reason: Reason,
    /// The evidence, for an administrator only: it is close to the password itself.
    pub evidence: Evidence,
}

/// The evidence for a finding. Its words are wiped when dropped.
#[non_exhaustive]
pub enum Evidence {
    /// The reason is enough.
    None,
    /// A variant of the candidate is near a name of its context.
    Variant {
        /// The transforms of the variant; none for the candidate as typed.
        transforms: Transforms,
    },
    /// A variant of the candidate is a word of a dictionary, or one edit away from it.
    Word {
        /// As above.
        transforms: Transforms,
        /// Position of the dictionary among the rules.
        dictionary: usize,
        /// The edit between the variant and the word.
        edit: Edit,
        /// The word, if the filter can name it.
        neighbour: Option<Word>,
    },
    /// A variant of the candidate is two edits away from a word of a dictionary.
    Distance2 {
        /// As above.
        transforms: Transforms,
        /// As above.
        dictionary: usize,
        /// The word, and the edits that turn the variant into it.
        found: Box<Distance2>,
    },
    /// A variant of the candidate is made of words, or contains one.
    Pieces {
        /// As above.
        transforms: Transforms,
        /// The words in their order, each with the position of its dictionary among the rules; none for one
        /// of the site or the context.
        pieces: Vec<(Option<usize>, Word)>,
    },
    /// The digest of a variant is in a list of digests.
    Digest {
        /// As above.
        transforms: Transforms,
        /// Position of the list among the rules.
        dictionary: usize,
    },
}

/// Shows the reason only: the evidence must not be logged.
impl fmt::Debug for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finding").field("reason", &self.reason).finish_non_exhaustive()
    }
}

impl Finding {
    pub(super) fn plain(reason: Reason) -> Finding {
        Finding { reason, evidence: Evidence::None }
    }
}
