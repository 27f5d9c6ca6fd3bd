//! The ladder in memory: its parameters and keys, where an element's rungs lie, and what a step does to the
//! bits, wherever they are kept. None of it asks the system for anything.

pub(super) mod bits;
pub(super) mod filter;
#[cfg(test)]
pub(super) mod journal;
pub(super) mod keys;
pub(super) mod params;
pub(super) mod preset;
pub(super) mod rungs;
pub(super) mod step;
