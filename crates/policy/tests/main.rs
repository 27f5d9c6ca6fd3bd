//! The decisions against naive versions of themselves, and how much the rules reject. One program, so that it
//! is linked once.
#![forbid(unsafe_code)]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::trivially_copy_pass_by_ref,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test stops at the first thing that is wrong"
)]

#[path = "../../filters/src/alone.rs"]
mod alone;
#[path = "../../filters/tests/common/mod.rs"]
mod common;

mod accents;
mod breach;
mod catch_rates;
mod configurations;
mod evil;
mod private;
mod structure;
mod structure_rates;
mod whole_check;
