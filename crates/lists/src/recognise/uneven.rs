//! Columns by blanks that are not as many on each line, such as the sounds after a word: they look like
//! phrases, and are not, since few texts follow a word that is on no other line.

use std::collections::HashSet;

use super::Beginning;
use crate::line::nine_in_ten;

/// Fewer lines than this may have few different texts by chance.
const FEWEST: usize = 200;

/// True for lines with such columns.
pub(super) fn is_columns(beginning: &Beginning<'_>) -> bool {
    let lines = beginning.lines.len();
    if lines < FEWEST || !beginning.most(|line| fields(line).count() > 1) {
        return false;
    }
    let first: HashSet<&[u8]> = beginning.lines.iter().filter_map(|line| fields(line).next()).collect();
    if !nine_in_ten(first.len(), lines) {
        return false;
    }
    let rest = || beginning.lines.iter().flat_map(|line| fields(line).skip(1));
    let different: HashSet<&[u8]> = rest().collect();
    different.len().saturating_mul(20) <= rest().count()
}

fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}
