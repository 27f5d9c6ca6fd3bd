//! Our filters, built in memory from a list.

use std::num::NonZero;

use nearmiss_filters::{
    dictionary::{Build, DictionaryFilter, Spec, builder::Builder},
    format::{Match, SchemeId, StatedRate},
    hash::Key,
};

/// A filter held in memory.
pub type Filter = DictionaryFilter<Vec<u8>>;

/// Bytes handed to the builder at once, as filterctl does.
const BLOCK_BYTES: usize = 1 << 20;

/// The hash key of all filters here.
pub const KEY: [u8; 16] = *b"benchmark key 16";

/// A build for 8-character candidates without variants, the way the peers and the paper state a rate.
pub fn settings(scheme: SchemeId, deletion_bits: u8, rate: f64, threads: usize) -> Build {
    let matching = if scheme == SchemeId::Whole { Match::Exact } else { Match::Near };
    let stated = StatedRate { false_rejection: rate, characters: 8, lookups: 1 };
    let spec = Spec { matching, scheme, deletion_bits, stated, ..Spec::default() };
    Build { threads, ..Build::new(spec, Key::new(KEY)) }
}

/// Bits of a deletion in a near filter, by default.
pub fn near_bits() -> u8 {
    Spec::default().deletion_bits
}

/// Whole lines of `text` in blocks.
pub fn blocks(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let about = rest.len().min(BLOCK_BYTES);
        let end = rest[..about].iter().rposition(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
        let (block, after) = rest.split_at(end);
        rest = after;
        (!block.is_empty()).then_some(block)
    })
}

/// The filled builder of a list of lines.
pub fn build(text: &[u8], settings: &Build) -> Builder {
    let mut survey = settings.survey();
    blocks(text).for_each(|block| _ = survey.read_block(block));
    let mut builder = settings.builder(&survey.finish()).expect("a filter of the benchmark's list");
    blocks(text).for_each(|block| _ = builder.insert_block(block));
    builder
}

/// The filter of a list of lines.
pub fn filter(text: &[u8], settings: &Build) -> Filter {
    DictionaryFilter::from_bytes(build(text, settings).finish_to_bytes()).expect("a filter just built")
}

/// All processors.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Bits a word of a filter's file.
pub fn bits_per_word(filter: &Filter) -> f64 {
    filter.header().file_bytes() as f64 * 8.0 / filter.header().words as f64
}
