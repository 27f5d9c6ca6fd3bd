//! The binomial ladder: a password that several people here already chose is too common, one that is tried at
//! many accounts is a guess, and rare ones stay private.
//!
//! A ladder is N bits, about half of them ones. An element (a password) owns H of them, its *rungs*, chosen
//! by a keyed hash. Its *height* is how many of them are ones: Bin(H, ½) for an element never seen. A *step*
//! sets one rung that is zero and clears random bits elsewhere, so that the number of ones stays constant
//! while the element climbs by one; the steps of other elements let it sink back slowly. At height T or more
//! an element is frequent. Because the mean height of an element never seen is H/2 and a single step moves it
//! by one, the array reveals almost nothing about an element that was seen once. An account counts once a
//! day: `stamps`, and FORMAT-LADDER.md, which says why the paper's mathematics is unaffected.
//!
//! * `structure`: parameters, keys, rungs, the array of bits and its steps;
//! * `file`: the formats of files, and the ladders of chosen and of guessed passwords in them;
//! * `seen`: the failed logins of the last day, which distinguish a repeated typing error from a guess;
//! * [`fleet`]: the ladders of a group of hosts, whose bits are behind an agent;
//! * [`plan`]: the choice of parameters, and its mathematics.
//!
//! # Reference
//!
//! \[SH\] S. Schechter, C. Herley, *The Binomial Ladder Frequency Filter and its Applications to Shared
//! Secrets*. \[SH §IV\] cites a section or a figure of this paper.
//!
//! # Where the paper's text is wrong
//!
//! Its own equations, computed exactly, yield other values in nine places. The corrected forms are what this
//! module implements, and a test holds each number.
//!
//! 1. \[SH Fig. 7\] says that for H = 48, T = 44 false detections *and* false rejections converge below one
//!    in a million. False rejections converge to 1.36·10⁻⁴ (their minimum is 1.11·10⁻⁴, near the 45th
//!    observation). Both are below 10⁻⁶ with H = 64, T = 55 (N = 2²⁹: 2.2·10⁻⁷ and 4.8·10⁻⁷); H = 64, T = 56
//!    gives 1.11·10⁻⁶ and 1.2·10⁻⁷. `filterlab ladder odds --figure 7` draws all of them.
//! 2. \[SH §V\] gives P\[0, 0, 40\] ≈ 2·10⁻⁶ for H = 48. The probability of exactly 40 is 1.341·10⁻⁶; the
//!    probability of at least 40, which the sentence means, is 1.653·10⁻⁶.
//! 3. \[SH §IV\] prints P\[0, 0, h\] with C(N/2, 1) and C(N, 1). It must be C(N/2, h)·C(N/2, H−h) / C(N, H).
//! 4. \[SH §IV\], sticky form: as printed, s stands still once the element is stuck, and one factor 1−f is
//!    missing; it then tops out near 0.95 instead of reaching 1. The stuck state must receive (1−f)·P\[i−1,
//!    s, stuck\] + f·P\[i−1, s−1, stuck\] + f·P\[i−1, s−1, H\].
//! 5. \[SH §IV\], the words around the recurrence: d(h) counts h one bits, not H; the explanations of its
//!    first two terms are exchanged; its fourth line speaks of height h+1 where H is meant.
//! 6. \[SH §III\] says frequent means the height *exceeds* T; formulas and captions use height ≥ T before the
//!    step, and so does this module.
//! 7. \[SH §VI, Table II\], H = 64: the formula gives N = 9.05·10⁸, hence 2³⁰, where 2²⁹ is used; Fig. 7 has
//!    T = 56 and Table II T = 58 (with 58: long-run false rejection 2.7·10⁻⁵, detected at the 30th
//!    observation only with 0.55, at the 36th with 0.90, at the 42nd with 0.99).
//! 8. \[SH Table I\], worst case 2 + N/2 reads of the exact mode: random draws with replacement have no
//!    bound, and without replacement a one is found after at most N/2 + 1 reads beside the element's own
//!    rungs.
//! 9. \[SH §V\] considers an attacker with one copy of the array. One with *two* copies and the key sees
//!    which bits were newly set between them, and nothing in the structure prevents it: keep the key apart
//!    and take no snapshots.

mod file;
pub mod fleet;
pub mod plan;
mod seen;
mod structure;

pub use crate::random::{BufferedRandom, RandomSource, SeededRandom, SystemRandom};
pub use file::array::{FileBits, LadderFiles, NewLadder, create, open_array};
pub use file::chosen::ChosenLadder;
pub use file::error::{HeaderError, KeyProblem, LadderError};
pub use file::guesses::GuessLadder;
pub use file::header::{FORMAT_VERSION, HEADER_BYTES, Header};
pub use file::key_file::{create_key, read_key};
pub use file::opened::OpenLadder;
pub use file::slow_hash::{Cost, Element, MAX_MEMORY_KIB, SlowHashError, USUAL_TIME, tune};
pub use file::stamps::{AccountChoice, Claim, Setter, StampKeys, Stamps, stamps_for};
pub use file::words::{MemoryWords, WordStore};
pub use fleet::{Agent, Fleet, FleetLadder, create_descriptor};
pub use plan::{equilibrium, guess_plan, heights, page_skew, privacy, refusals};
pub use seen::{Counter, FailureKey, SEEN_BYTES, SEEN_PAIRS, SeenFailures, SeenFile};
pub use structure::bits::{BitStore, MemoryBits, PAGE_BYTES, ones};
pub use structure::filter::LadderFilter;
pub use structure::keys::MasterKey;
pub use structure::params::{MAX_BITS, MAX_RUNGS, MIN_BITS, Params, ParamsError};
pub use structure::preset::Preset;
pub use structure::rungs::{RungFinder, Rungs};

/// The parts of a step, for forms of the ladder other than the one in files.
#[doc(hidden)]
pub mod step {
    pub use super::structure::bits::Place;
    pub use super::structure::step::{random_place, set_rungs, zero_rung};
}
