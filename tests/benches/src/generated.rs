//! Filters of digests that a generator makes in order.

use nearmiss_filters::{
    dictionary::{Build, Spec, builder::InOrder, sizing::group_bits_for},
    format::{Kind, SchemeId},
    list::LineCounts,
    page::Page,
};

use crate::{harness::processor_time, ours};

/// A filter of SHA-1 digests with this many group bits; 0 has none.
pub fn build_of(group_bits: u8) -> Build {
    let words = ours::settings(SchemeId::Whole, 0, 0.001, 1);
    Build { spec: Spec { kind: Kind::Sha1, ..words.spec }, group_bits, ..words }
}

/// The digest of a number among `count`: ascending, and spread evenly.
pub fn digest(number: u64, step: u64) -> [u8; 20] {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut bytes = [0; 20];
    bytes[..8].copy_from_slice(&(number * step + mixed % step).to_be_bytes());
    bytes[8..16].copy_from_slice(&mixed.to_be_bytes());
    bytes
}

/// The child's part: nanoseconds of processor time a digest, less the time to make it.
pub fn build_generated(count: u64) -> f64 {
    let step = u64::MAX / count;
    let build = build_of(group_bits_for(count));
    let mut filter: InOrder = build.in_order(count).expect("a geometry").expect("groups");
    let mut written = 0_u64;
    let mut write = |pages: &[Page]| {
        written += pages.len() as u64;
        Ok(())
    };
    let start = processor_time();
    let sum: u64 = (0..count).map(|number| u64::from(std::hint::black_box(digest(number, step))[9])).sum();
    let made = processor_time() - start;
    assert!(sum > 0);
    let start = processor_time();
    for number in 0..count {
        filter.insert_digest(&digest(number, step), &mut write).expect("even groups");
    }
    let header = filter.finish(&LineCounts::default(), &mut write).expect("even groups");
    let built = processor_time() - start;
    assert_eq!(written, header.pages);
    (built - made) / count as f64
}
