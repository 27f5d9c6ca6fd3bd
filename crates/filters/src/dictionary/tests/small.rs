//! Small filters of words or of digests, rejecting so few by accident that no test sees one. The policy's
//! tests include this file, too: the module around it imports what a filter is made of.

use super::{Build, DictionaryFilter, Key, Match, SchemeId, Spec, StatedRate};

pub(crate) type Filter = DictionaryFilter<Vec<u8>>;

/// A filter that rejects so few by accident that no test sees one; with room for `capacity` words it has more
/// pages.
pub(crate) fn filter_of(words: &[&str], scheme: SchemeId, deletion_bits: u8, capacity: u64) -> Filter {
    DictionaryFilter::from_bytes(bytes_of(words, scheme, deletion_bits, capacity)).unwrap()
}

/// The file of [`filter_of`].
pub(crate) fn bytes_of(words: &[&str], scheme: SchemeId, deletion_bits: u8, capacity: u64) -> Vec<u8> {
    built(spec(scheme, deletion_bits), capacity, words)
}

pub(crate) fn spec(scheme: SchemeId, deletion_bits: u8) -> Spec {
    Spec {
        matching: if scheme == SchemeId::Whole { Match::Exact } else { Match::Near },
        scheme,
        deletion_bits,
        stated: StatedRate { false_rejection: 1e-9, characters: 12, lookups: 64 },
        ..Spec::default()
    }
}

pub(crate) fn built(spec: Spec, capacity: u64, lines: &[&str]) -> Vec<u8> {
    let build = Build { capacity: Some(capacity), ..Build::new(spec, Key::new([9; 16])) };
    let list = lines.join("\n");
    let mut survey = build.survey();
    survey.read_block(list.as_bytes());
    let mut builder = build.builder(&survey.finish()).unwrap();
    builder.insert_block(list.as_bytes());
    builder.finish_to_bytes()
}
