//! The structures against naive versions of themselves, against the text of the formats, and against files
//! that were kept. One program, so that it is linked once.
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

#[path = "../src/alone.rs"]
mod alone;
mod common;

mod build;
mod by_the_text;
mod damage;
mod distance_2;
mod evil;
mod frozen;
mod golden;
mod groups;
mod ladder_damage;
mod ladder_files;
mod ladder_statistics;
mod links;
mod neighbours;
mod proved;
mod sizes;
mod updates;
