//! What the tests of queries share.

mod lookups;
mod readable;
mod small;

use super::{Build, DictionaryFilter, Spec};
use crate::{
    format::{Match, SchemeId, StatedRate},
    hash::Key,
    word::Word,
};

pub(crate) use small::{Filter, built, bytes_of, filter_of, spec};

/// Words of three letters.
const WORDS: [&str; 9] = ["a", "ab", "aab", "abba", "bcab", "ccc", "cbac", "bbbb", "cacab"];

fn word(text: &str) -> Word {
    Word::clean(text.as_bytes()).unwrap_or_default()
}

/// All strings of up to `longest` of these symbols.
fn all_strings(symbols: &[char], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for at in from..to {
            for symbol in symbols {
                all.push(format!("{}{symbol}", all[at]));
            }
        }
        from = to;
    }
    all
}
