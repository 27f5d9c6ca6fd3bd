//! Why a candidate is rejected, for an administrator.

use super::{reason::Reason, variants::Transforms};
use crate::{dictionary::Edit, word::Word};

/// Why a candidate is rejected, with what only an administrator may see: the variant, the edit and the neighbour.
pub struct Finding {
    /// The reason.
    pub reason: Reason,
    /// What was done to the candidate before it was found; nothing for the candidate as typed.
    pub transforms: Transforms,
    /// Position of the dictionary among the rules.
    pub dictionary: Option<usize>,
    /// How the variant differs from the word found.
    pub edit: Option<Edit>,
    /// The word found, where the filter can name it.
    pub neighbour: Option<Word>,
}

impl Finding {
    pub(super) fn plain(reason: Reason) -> Finding {
        Finding { reason, transforms: Transforms::NONE, dictionary: None, edit: None, neighbour: None }
    }
}
