//! Near-miss dictionary filters and binomial ladder filters, their files and their formats.
//!
//! A dictionary filter is a Bloom filter whose bits of one string lie in one page; it finds words within edit
//! distance 1 of a candidate. A binomial ladder filter estimates the frequency of a candidate. This library
//! builds, opens, queries and replaces both. The decisions based on them are in `nearmiss-policy`.
//!
//! # In which order to read
//!
//! 1. The example below: a filter in memory, and what it finds.
//! 2. [`word`]: what a password and a word are before they are compared.
//! 3. [`dictionary`]: a filter is surveyed, sized, filled ([`Build`], [`Spec`]) and queried
//!    ([`DictionaryFilter`]); [`dictionary::sizing`] has the mathematics of its size and its false positives.
//! 4. [`mod@hash`] and [`mod@format`]: the bits of a string, and how they lie in a file.
//! 5. [`ladder`]: frequencies without a list of passwords ([`ChosenLadder`], [`GuessLadder`]).
//! 6. [`keys`]: what an error is called in logs and documents.
//!
//! The source goes deeper: `neighbours.rs` has the proof that no near word is missed, `page.rs` why a lookup
//! reads one page, `storage.rs` which files are trusted and how one is replaced.
//!
//! # Modules, from top to bottom
//!
//! Imports go down this list and form no cycle, which `make lint` checks.
//!
//! * [`dictionary`]: opening and querying a filter; surveying, sizing and filling a new one;
//! * [`ladder`]: frequency, its mathematics and its files;
//! * `list`: lines of word lists and lists of digests;
//! * `neighbours`: the strings that are stored and looked up, and the proof that they meet iff the distance
//!   is at most 1;
//! * `digest`: the digest of a password in the form of lists of leaked passwords;
//! * [`mod@format`]: the header as specified in FORMAT.md, and the checks before a file is trusted;
//! * `four_grams`: the 4-grams of the long words;
//! * `digrams`: the pairs of characters that occur, so that others need no lookup;
//! * `alphabet`: the characters of a dictionary;
//! * `page`, [`hash`], [`word`]: the positions of a string's bits;
//! * `random`: random numbers, from the system or a seed;
//! * `codec`: numbers, reserved zeros and checksums of file headers;
//! * `storage`: how files are trusted, mapped and replaced;
//! * [`keys`]: the keys of messages;
//! * `text`: text of files and arguments that is safe to show;
//! * `chunks`: slices as slices of arrays;
//! * `threads`: work that is divided among threads.
//!
//! Those without a link are left out of these pages. Nothing here reads the environment or a clock while a
//! password is looked up.
//!
//! # An example
//!
//! ```
//! use nearmiss_filters::{dictionary::{Buffers, Build, DictionaryFilter, Edit, Spec}, hash::Key, word::Word};
//!
//! let build = Build::new(Spec::default(), Key::random()?);
//! let filter = DictionaryFilter::from_bytes(build.in_memory(&[b"elephant\naccommodate\n"])?)?;
//! let found = filter.nearest(&Word::clean(b"Elephqnt")?, false, &mut Buffers::default())?;
//! assert_eq!(found.map(|found| found.edit), Some(Edit::Replace { at: 5 }));
//! let found = filter.nearest(&Word::clean(b"elzhant")?, false, &mut Buffers::default())?;
//! assert!(found.is_none(), "two edits away");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The public interface
//!
//! [`Build`], [`Spec`] and [`DictionaryFilter`] build and query a filter; [`ChosenLadder`] and
//! [`GuessLadder`] count passwords. These and the types in their signatures are the public interface. Modules
//! that the documentation leaves out serve the tools and tests of this project and may change at any time.
//!
//! # References
//!
//! * Manber & Wu: U. Manber, S. Wu, *An Algorithm for Approximate Membership Checking With Application to
//!   Password Security*, Information Processing Letters 50 (1994), 191–197.
//! * Fan et al.: L. Fan, P. Cao, J. Almeida, A. Broder, *Summary Cache: A Scalable Wide-Area Web Cache
//!   Sharing Protocol*, IEEE/ACM Transactions on Networking 8 (2000), §V.
//! * Swamidass & Baldi: S. J. Swamidass, P. Baldi, *Mathematical Correction for Fingerprint Similarity
//!   Measures to Improve Chemical Retrieval*, Journal of Chemical Information and Modeling 47 (2007).
//! * Bloom: B. H. Bloom, *Space/Time Trade-offs in Hash Coding with Allowable Errors*, CACM 13 (1970),
//!   422–426.
//! * Schechter & Herley: S. Schechter, C. Herley, *The Binomial Ladder Frequency Filter and its Applications
//!   to Shared Secrets*, Microsoft Research (2018).
//! * Aumasson & Bernstein: J.-P. Aumasson, D. J. Bernstein, *SipHash: a fast short-input PRF*, INDOCRYPT
//!   2012.
//! * NIST SP 800-63B-4: *Digital Identity Guidelines: Authentication and Authenticator Management* (2025),
//!   §3.1.1.2.

#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

#[cfg(test)]
mod alone;
#[doc(hidden)]
pub mod alphabet;
#[doc(hidden)]
pub mod chunks;
mod codec;
pub mod dictionary;
#[doc(hidden)]
pub mod digest;
#[doc(hidden)]
pub mod digrams;
pub mod format;
#[doc(hidden)]
pub mod four_grams;
pub mod hash;
pub mod keys;
pub mod ladder;
#[doc(hidden)]
pub mod list;
#[doc(hidden)]
pub mod neighbours;
#[doc(hidden)]
pub mod page;
#[doc(hidden)]
pub mod random;
#[doc(hidden)]
pub mod storage;
#[doc(hidden)]
pub mod text;
#[doc(hidden)]
pub mod threads;
pub mod word;

pub use dictionary::{Build, DictionaryFilter, Spec};
pub use hash::Key;
pub use ladder::{ChosenLadder, GuessLadder};
pub use word::Word;
