//! Small filters for tests, here and in the policy: of words or of digests, rejecting so few by accident that
//! no test sees one.

mod lookups;
mod readable;

use super::{Build, DictionaryFilter, Spec};
use crate::{
    format::{Kind, Match, SchemeId, StatedRate},
    hash::Key,
    word::Word,
};

type Filter = DictionaryFilter<Vec<u8>>;

/// A filter that rejects so few by accident that no test sees one; with room for `capacity` words it has more
/// pages.
pub(crate) fn filter_of(words: &[&str], scheme: SchemeId, deletion_bits: u8, capacity: u64) -> Filter {
    DictionaryFilter::from_bytes(bytes_of(words, scheme, deletion_bits, capacity)).unwrap()
}

/// An exact filter of these digests, in hexadecimal digits.
pub(crate) fn digests_of(kind: Kind, digests: &[&str]) -> Filter {
    let spec = Spec { kind, ..spec(SchemeId::Whole, 0) };
    DictionaryFilter::from_bytes(built(spec, 2, digests)).unwrap()
}

/// The file of [`filter_of`].
pub(crate) fn bytes_of(words: &[&str], scheme: SchemeId, deletion_bits: u8, capacity: u64) -> Vec<u8> {
    built(spec(scheme, deletion_bits), capacity, words)
}

fn spec(scheme: SchemeId, deletion_bits: u8) -> Spec {
    Spec {
        matching: if scheme == SchemeId::Whole { Match::Exact } else { Match::Near },
        scheme,
        deletion_bits,
        stated: StatedRate { false_rejection: 1e-9, characters: 12, lookups: 64 },
        ..Spec::default()
    }
}

fn built(spec: Spec, capacity: u64, lines: &[&str]) -> Vec<u8> {
    let build = Build { capacity: Some(capacity), ..Build::new(spec, Key::new([9; 16])) };
    let list = lines.join("\n");
    let mut survey = build.survey();
    survey.read_block(list.as_bytes());
    let mut builder = build.builder(&survey.finish()).unwrap();
    builder.insert_block(list.as_bytes());
    builder.finish_to_bytes()
}

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
