//! The ladder in memory: its parameters and keys, the positions of an element's rungs, and the effect of a
//! step on the bits in any store. It makes no system calls.

pub(super) mod bits;
pub(super) mod filter;
#[cfg(test)]
pub(super) mod journal;
pub(super) mod keys;
pub(super) mod params;
pub(super) mod preset;
pub(super) mod rungs;
pub(super) mod step;
