//! Contents of other ranges: no two ranges have the same one, since digests are random.

/// The number of ranges that are remembered.
const SLOTS: usize = 1 << 16;

/// The bits of a mark that choose one.
const SLOT_BITS: u64 = SLOTS as u64 - 1;

/// The first digests of ranges.
pub(super) struct Marks(Vec<(u64, u32)>);

impl Marks {
    /// An empty set.
    pub(super) fn new() -> Marks {
        Marks(vec![(0, u32::MAX); SLOTS])
    }

    /// Remembers the mark of a range; returns the number of another range that had the same mark before.
    pub(super) fn add(&mut self, mark: u64, number: u32) -> Option<u32> {
        let slot = usize::try_from(mark & SLOT_BITS).ok().and_then(|at| self.0.get_mut(at))?;
        let (first, other) = *slot;
        if mark != 0 && first == mark && other != u32::MAX {
            return (other != number).then_some(other);
        }
        *slot = (mark, number);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_of_another_range_is_seen() {
        let mut marks = Marks::new();
        let seen = [(7, 1), (8, 2), (7, 1), (7, 3), (7, 1), (7 + (1 << 16), 4), (0, 5), (0, 6)];
        let expected = [None, None, None, Some(1), None, None, None, None];
        assert_eq!(seen.map(|(mark, number)| marks.add(mark, number)), expected);
    }
}
