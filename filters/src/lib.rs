//! Near-miss dictionary filters and binomial ladder filters: everything nearmiss decides.
//!
//! A password is rejected when it is in a dictionary, within edit distance 1 of it, or too frequent on this system.
//! The dictionary is a Bloom filter whose bits of one string lie in one page; frequency is a binomial ladder filter.
//! Two thin shells use this library: the PAM module, which judges one password, and `filterctl`, which builds and
//! explains the filters.
//!
//! # Reading order
//!
//! 1. [`policy`]: the decision, and the [`policy::variants`] that undo disguises;
//! 2. [`neighbours`]: which strings are stored and asked, and the proof that they meet iff the distance is at most 1;
//! 3. [`page`], [`word`], [`hash`]: where a string's bits lie;
//! 4. [`dictionary`]: opening, asking, and (below it) surveying, sizing and filling; [`digrams`] prunes;
//! 5. [`format`] beside FORMAT.md: what a file must be to be believed;
//! 6. [`ladder`]: frequency, its mathematics and its files;
//! 7. [`storage`]: which files are trusted, mapped and replaced, and how;
//! 8. [`config`] and [`site`]: from `/etc/security/nearmiss.conf` to a reason or none; [`text`]: what may be shown of them;
//!    [`secret`] and [`guard`]: what each shell needs to hold a password and to catch a panic.
//!
//! Arrows point downwards only; disk is touched in [`storage`] alone; nothing here reads the environment or a clock
//! while a password is judged.
//!
//! ```
//! use nearmiss_filters::{
//!     dictionary::{DictionaryFilter, Buffers, build::{Builder, Settings, Survey}},
//!     format::{Kind, Match, SchemeId, StatedRate},
//!     hash::Key,
//!     list::LineFormat,
//!     word::Word,
//! };
//!
//! let settings = Settings {
//!     lines: LineFormat { kind: Kind::Words, min_count: 0 },
//!     matching: Match::Near,
//!     scheme: SchemeId::Deletions,
//!     deletion_bits: 8,
//!     stated: StatedRate { false_rejection: 0.001, characters: 12, lookups: 64 },
//!     capacity: None,
//!     key: Key::new([7; 16]),
//!     threads: 1,
//!     created: 0,
//! };
//! let list = b"elephant\naccommodate\n";
//! let mut survey = Survey::new(settings.key.clone(), settings.lines, settings.stored(), 1);
//! survey.read_block(list);
//! let mut builder = Builder::new(&survey.finish(), &settings)?;
//! builder.insert_block(list);
//! let filter = DictionaryFilter::from_bytes(builder.finish_to_bytes())?;
//!
//! let mut buffers = Buffers::default();
//! let mut is_near = |text: &str| -> Result<bool, Box<dyn std::error::Error>> {
//!     let word = Word::clean(text.as_bytes()).map_err(|_| "too long")?;
//!     Ok(filter.nearest(&word, false, &mut buffers)?.is_some())
//! };
//! assert!(is_near("Elephqnt")? && is_near("accomodate")?);
//! assert!(!is_near("elzhant")?, "distance 2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # References
//!
//! * Manber & Wu: U. Manber, S. Wu, *An Algorithm for Approximate Membership Checking With Application to Password
//!   Security*, Information Processing Letters 50 (1994), 191–197.
//! * Fan et al.: L. Fan, P. Cao, J. Almeida, A. Broder, *Summary Cache: A Scalable Wide-Area Web Cache Sharing
//!   Protocol*, IEEE/ACM Transactions on Networking 8 (2000), §V.
//! * Swamidass & Baldi: S. J. Swamidass, P. Baldi, *Mathematical Correction for Fingerprint Similarity Measures to
//!   Improve Chemical Retrieval*, Journal of Chemical Information and Modeling 47 (2007).
//! * Bloom: B. H. Bloom, *Space/Time Trade-offs in Hash Coding with Allowable Errors*, CACM 13 (1970), 422–426.
//! * Schechter & Herley: S. Schechter, C. Herley, *The Binomial Ladder Frequency Filter and its Applications to Shared
//!   Secrets*, Microsoft Research (2018).
//! * Aumasson & Bernstein: J.-P. Aumasson, D. J. Bernstein, *SipHash: a fast short-input PRF*, INDOCRYPT 2012.
//! * NIST SP 800-63B-4: *Digital Identity Guidelines: Authentication and Authenticator Management* (2025), §3.1.1.2.

pub mod alphabet;
pub mod config;
pub mod dictionary;
pub mod digrams;
pub mod format;
pub mod guard;
pub mod hash;
pub mod ladder;
pub mod list;
pub mod neighbours;
pub mod page;
pub mod policy;
pub mod secret;
pub mod site;
pub mod storage;
pub mod text;
pub mod word;
