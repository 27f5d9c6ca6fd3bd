//! Signs that nearly all lines have: a form that is not known.

use super::{Beginning, layout::SOME};
use crate::{hex, refusal::Refusal};

/// A sign that nearly all lines have and few passwords: the list has a form that is not known.
pub(super) fn in_common(beginning: &Beginning<'_>) -> Option<Refusal> {
    if beginning.lines.len() < SOME {
        return None;
    }
    let is_in_most =
        |sign: &u8| beginning.most(|line| line.contains(sign) && hex::decoded(line.trim_ascii()).is_none());
    let sign = b"/|;,:=<>\"\t\\()[]{}".iter().find(|sign| is_in_most(sign))?;
    let content = format!("more than words: nearly each line has {}", name_of(*sign));
    let is_of_table = b"|;,:\t".contains(sign);
    let copy = "that has the words alone";
    Some(if is_of_table { Refusal::unclear(&content) } else { Refusal::or_copy(content, copy) })
}

fn name_of(sign: u8) -> String {
    if sign == b'\t' { "a tab".to_owned() } else { format!("'{}'", char::from(sign)) }
}
