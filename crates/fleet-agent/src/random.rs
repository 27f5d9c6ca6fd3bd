//! Random numbers of the system, read at each use: an attacker who can recompute them can run a ladder
//! backwards.

use nearmiss_filters::ladder::{RandomSource, SystemRandom};

/// A random word; none if the system provides none.
pub(crate) fn word() -> Option<u64> {
    SystemRandom.words().ok().map(|[word]| word)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn none_comes_twice() {
        let words: HashSet<u64> = (0..100).map(|_| word().unwrap()).collect();
        assert_eq!(words.len(), 100);
    }
}
