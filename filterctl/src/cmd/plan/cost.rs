//! What a build makes, reads and takes.
//!
//! A word of *d* characters has *d* − 0.6 deletions on average that no other word has at the same position
//! (measured on four lists: between *d* − 0.50 and *d* − 0.83), and 2*d* + 1 strings of the paper's
//! extension.
//!
//! The time is processor time over threads, from builds of a million words and four million digests on one
//! core of a busy 2 GHz-class server, with the bits in the caches (a small filter) and outside them (one with
//! room for twenty million words, for a billion digests), plus the time to read the lists from a disk in each
//! pass.

use nearmiss_filters::{
    dictionary::sizing::rounded,
    format::{Kind, SchemeId},
};

/// Nanoseconds of one core to read, check and hash a line, in both passes together: a word, a digest.
const LINE_NANOSECONDS: (f64, f64) = (240.0, 310.0);

/// Nanoseconds of one core to make, hash and set a derived string.
const STRING_NANOSECONDS: f64 = 170.0;

/// Nanoseconds more to set the bits of an entry or a derived string in a filter that is larger than the
/// caches: 90 for digests, 180 for words.
const FAR_NANOSECONDS: f64 = 130.0;

/// Nanoseconds for each byte of the filter to allocate and to write it.
const BYTE_NANOSECONDS: f64 = 3.0;

/// A filter up to this size lies in the caches.
const NEAR_BYTES: u64 = 32 << 20;

/// The bytes that a disk or a file system delivers in a second.
pub(super) const READ_BYTES_PER_SECOND: f64 = 500e6;

/// Bytes of a line in addition to its word or the digits of its digest: line end, colon, count.
const LINE_EXTRA: (f64, f64) = (1.0, 4.0);

/// The average number of a word's deletions that other words have at the same position: see above.
const SHARED_DELETIONS: f64 = 0.6;

pub(super) fn derived_strings(scheme: SchemeId, entries: u64, mean_length: f64) -> u64 {
    let of_each = match scheme {
        SchemeId::Whole => 0.0,
        SchemeId::Deletions => mean_length - SHARED_DELETIONS,
        SchemeId::Paper => 2.0 * mean_length + 1.0,
    };
    rounded(entries as f64 * of_each)
}

/// The lists' bytes, and the number of passes over them: one more for words, to find their encoding.
pub(super) fn list_bytes(kind: Kind, entries: u64, mean_length: f64) -> (u64, f64) {
    let (word_extra, digest_extra) = LINE_EXTRA;
    let (line, passes) = match kind {
        Kind::Words => (mean_length + word_extra, 3.0),
        Kind::Sha1 => (40.0 + digest_extra, 2.0),
        Kind::Ntlm => (32.0 + digest_extra, 2.0),
    };
    (rounded(entries as f64 * line), passes)
}

/// Seconds of one core.
pub(super) fn build_seconds(kind: Kind, entries: u64, derived: u64, file_bytes: u64) -> f64 {
    let (word, digest) = LINE_NANOSECONDS;
    let line = if kind == Kind::Words { word } else { digest };
    let far = if file_bytes > NEAR_BYTES { FAR_NANOSECONDS } else { 0.0 };
    let (entries, strings) = (entries as f64, derived as f64);
    let bytes = file_bytes as f64 * BYTE_NANOSECONDS;
    (entries * (line + far) + strings * (STRING_NANOSECONDS + far) + bytes) * 1e-9
}
