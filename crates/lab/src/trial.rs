//! Trials: real ladders in memory, observed by a random sequence of a given seed, to set beside theory.
//!
//! A large ladder is tried as a small one that behaves alike (*replica*): what an element does depends on
//! N·f, so N is made small and f as much greater. `climb` is the way up to a given observation, `rest` what
//! comes after very many, `fresh` what was never observed, `users` a password that one user after the other
//! chooses, `urn` a ladder of any size that nobody has observed, `cost` what a step reads and writes. `cost`
//! what a step reads and writes.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of trials, and indexes into lists of the same length"
)]

mod climb;
pub(crate) mod cost;
mod fresh;
mod replica;
mod rest;
mod urn;
mod users;

pub(crate) use climb::detected;
pub(crate) use fresh::heights;
pub(crate) use replica::Replica;
pub(crate) use rest::{height_at_rest, rejected_at_rest};
pub(crate) use urn::drawn_heights;
pub(crate) use users::refused;

use nearmiss_filters::ladder::SeededRandom;

/// A number below `end`.
fn below(random: &mut SeededRandom, end: usize) -> usize {
    (u128::from(random.next_word()).wrapping_mul(end as u128) >> 64) as usize
}
