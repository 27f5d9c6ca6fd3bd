//! The column of the counts of a table: that which the first line names, or the only one of numbers.

use super::layout::{Content, Layout};
use crate::columns::{COUNT_NAMES, Role};

impl Layout {
    /// What a column of numbers is that is not the word's: of counts, of ranks, or one of several that may be
    /// counts.
    pub(super) fn role_of_number(&self, at: usize, word: usize) -> Role {
        match self.named_count(word) {
            Some(named) if named == at => Role::Count,
            _ if self.is_rank(at) => Role::Rank,
            Some(_) => Role::Other,
            None if (0..at).any(|at| at != word && self.is_count(at)) => Role::Number,
            None => Role::Count,
        }
    }

    /// The column of numbers that the first line calls counts.
    fn named_count(&self, word: usize) -> Option<usize> {
        let is_named = |at: usize| self.name(at).is_some_and(|name| COUNT_NAMES.contains(&name.as_str()));
        let is_one = |at: &usize| *at != word && self.content(*at) == Content::Number && is_named(*at);
        (0..self.columns).find(is_one)
    }
}
