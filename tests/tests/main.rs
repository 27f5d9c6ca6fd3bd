//! End to end: the module by the machine's own `passwd`, `chpasswd`, `su` and `login`, libnearmiss by
//! programs in C, faults, storms and memory; and the pages and scripts that somebody relies on. One program,
//! so that it is linked once.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first thing that is wrong"
)]

mod agreement;
mod bypassed;
mod capi;
mod charsets;
mod crash;
mod crates;
mod cycles;
mod decisions;
mod dialogue;
mod docs;
mod doctor;
mod fuzz;
mod guesses;
mod hostile;
mod ladder;
mod languages;
mod memory;
mod migrate;
mod monitor;
mod odd_input;
mod packaged_stacks;
mod page_faults;
mod passwd;
mod readme;
mod reference;
mod results;
mod retval;
mod rollout;
mod spy;
mod stacks;
mod storm;
mod systems;
mod terminals;
mod tools;
