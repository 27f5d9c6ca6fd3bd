//! `pam_nearmiss.so`: the thin shell between libpam and the library that makes the decisions.
//!
//! `hooks` contains the functions that libpam calls; `change` is the flow of a password change, `record` the
//! flow of the two lines that count chosen passwords, `guesses` the flow of the three lines about guessed
//! ones, all written against the traits `host::Host` (libpam, the user, the machine) and `checks::Checks`
//! (the site: configuration, filters, ladders); `messages` contains all texts; `ffi` is the only unsafe code.
//! Auditors start with `change.rs`, then `ffi.rs`.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

#[cfg(not(panic = "unwind"))]
compile_error!("pam_nearmiss must be built with panic = \"unwind\": an abort would kill passwd");

mod before_change;
mod change;
mod checks;
mod entry_call;
mod ffi;
mod guesses;
mod hooks;
mod host;
mod messages;
mod priority;
mod record;
#[cfg(debug_assertions)]
mod test_hooks;

pub use exports::*;

mod exports {
    //! The six `pam_sm_*` symbols, the only ones that the shared object exports.
    #![allow(missing_docs, reason = "the macro of pam-bindings writes functions without documentation")]

    use crate::hooks::Nearmiss;

    pam::pam_hooks!(Nearmiss);
}
