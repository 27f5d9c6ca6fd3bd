//! Near-miss dictionary filters and binomial ladder filters: everything nearmiss decides.
//!
//! A password is rejected when it is in a dictionary, within edit distance 1 of it, or too frequent on this
//! system. The dictionary is a Bloom filter whose bits of one string lie in one page; frequency is a binomial
//! ladder filter. Two thin shells use this library: the PAM module, which judges one password, and
//! `filterctl`, which builds and explains the filters.
//!
//! # Modules, from top to bottom
//!
//! Imports go down this list and never in a circle, which `make lint` checks.
//!
//! * [`site`]: a configuration with its filters and ladder opened, and every decision about a password;
//! * [`config`]: `/etc/security/nearmiss.conf` and its drop-ins;
//! * [`suggest`]: passphrases of words drawn from a list;
//! * [`secret`] and [`guard`]: what each shell needs to hold a password and to catch a panic;
//! * [`policy`]: the decision, and the [`policy::variants`] that undo disguises;
//! * [`dictionary`]: opening and asking a filter; surveying, sizing and filling a new one;
//! * [`ladder`]: frequency, its mathematics and its files;
//! * [`list`]: lines of word lists and lists of digests;
//! * [`neighbours`]: which strings are stored and asked, and the proof that they meet iff the distance is at
//!   most 1;
//! * `digest`: what lists of leaked passwords have of a password;
//! * [`mod@format`]: the header beside FORMAT.md, and what a file must be to be believed;
//! * [`four_grams`]: the 4-grams of the long words;
//! * [`digrams`]: which pairs of characters occur, so that the others need not be asked for;
//! * [`alphabet`]: the characters of a dictionary;
//! * [`page`], [`hash`], [`word`]: where a string's bits lie;
//! * `random`: random numbers, from the system or a seed;
//! * `codec`: numbers, reserved zeros and checksums of file headers;
//! * [`storage`]: which files are trusted, mapped and replaced, and how;
//! * [`keys`]: what a message is looked up by;
//! * [`text`]: what may be shown of a file or an argument;
//! * [`mod@chunks`]: slices as slices of arrays.
//!
//! Read [`site`] and [`policy`] first, then [`neighbours`] and [`page`]. Every file is opened, mapped or
//! replaced by [`storage`]; nothing here reads the environment or a clock while a password is judged.
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
//! [`Site`] decides about a password ([`Decision`]) by a [`Config`]; [`Build`], [`Spec`] and
//! [`DictionaryFilter`] make and ask a filter; [`ChosenLadder`] and [`GuessLadder`] count passwords. These
//! and the types of their signatures are made to be used by others. Modules that the documentation leaves out
//! serve the tools and tests of this project and may change at any time.
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
pub mod config;
pub mod dictionary;
mod digest;
#[doc(hidden)]
pub mod digrams;
pub mod format;
#[doc(hidden)]
pub mod four_grams;
#[doc(hidden)]
pub mod guard;
pub mod hash;
pub mod keys;
pub mod ladder;
#[doc(hidden)]
pub mod list;
#[doc(hidden)]
pub mod neighbours;
#[doc(hidden)]
pub mod page;
pub mod policy;
mod random;
#[doc(hidden)]
pub mod secret;
pub mod site;
#[doc(hidden)]
pub mod storage;
#[doc(hidden)]
pub mod suggest;
#[doc(hidden)]
pub mod text;
pub mod word;

pub use config::Config;
pub use dictionary::{Build, DictionaryFilter, Spec};
pub use hash::Key;
pub use ladder::{ChosenLadder, GuessLadder};
pub use policy::{Context, Finding, Reason};
pub use site::{Decision, Site};
pub use word::Word;
