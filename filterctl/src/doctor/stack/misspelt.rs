//! Lines whose module was probably to be that of the check.

use super::edits::Edits;
use crate::host::pam_stack::{MODULE, StackEntry};

/// The most edits between the name of the check and a word that was to be it: one without `.so`, too.
const FEW_EDITS: usize = 3;

/// True for a name that is a few edits from that of the check, and is none of another module.
pub(super) fn is_so(line: &StackEntry) -> bool {
    line.name() != MODULE && distance(line.name(), MODULE) <= FEW_EDITS
}

/// The command that corrects the name in such a line.
pub(super) fn correction(line: &StackEntry) -> String {
    let folder = line.module.strip_suffix(line.name()).unwrap_or_default();
    Edits::default().word(line, &line.module, &format!("{folder}{MODULE}")).command()
}

/// The edits of one letter between two names, as Levenshtein counts them.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for letter in one.chars() {
        let mut before = row.iter().copied();
        let mut diagonal = before.next().unwrap_or_default();
        let mut left = diagonal.saturating_add(1);
        let mut next = vec![left];
        for (above, own) in before.zip(other.chars()) {
            let replaced = diagonal.saturating_add(usize::from(own != letter));
            left = replaced.min(above.saturating_add(1)).min(left.saturating_add(1));
            next.push(left);
            diagonal = above;
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted_as_by_levenshtein() {
        for (one, other, edits) in [("", "abc", 3), ("kitten", "sitting", 3), ("a", "a", 0), ("ab", "ba", 2)]
        {
            assert_eq!((distance(one, other), distance(other, one)), (edits, edits));
        }
    }
}
