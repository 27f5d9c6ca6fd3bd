//! Small filters for tests, as the tests of queries make them.

use nearmiss_filters::{
    dictionary::{Build, DictionaryFilter, Spec},
    format::{Kind, Match, SchemeId, StatedRate},
    hash::Key,
};

#[path = "../../../filters/src/dictionary/tests/small.rs"]
mod small;

use small::{Filter, built, spec};
pub(crate) use small::{bytes_of, filter_of};

/// An exact filter of these digests, in hexadecimal digits.
pub(crate) fn digests_of(kind: Kind, digests: &[&str]) -> Filter {
    let spec = Spec { kind, ..spec(SchemeId::Whole, 0) };
    DictionaryFilter::from_bytes(built(spec, 2, digests)).unwrap()
}
