//! Random numbers of the system, asked for at each use: who can recompute them can run a ladder backwards.

/// Random bytes; none if the system has none.
pub(crate) fn bytes<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes)
}

/// A random word.
pub(crate) fn word() -> Option<u64> {
    bytes().map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn none_comes_twice() {
        let words: HashSet<u64> = (0..100).map(|_| word().unwrap()).collect();
        let bytes: HashSet<[u8; 16]> = (0..100).map(|_| bytes().unwrap()).collect();
        assert_eq!((words.len(), bytes.len()), (100, 100));
    }
}
