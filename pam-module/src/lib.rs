//! `pam_nearmiss.so`: the thin shell between libpam and the library that decides.
//!
//! `hooks` is what libpam calls; `chauthtok` is the flow of a password change, `record` the flow of the ladder's two
//! lines, both written against the traits `host::Host` (libpam, the user, the machine) and `judge::Library` (filters
//! and ladder); `messages` is all that they say; `ffi` is the only unsafe code. Auditors start with
//! `chauthtok.rs`, then `ffi.rs`.

mod chauthtok;
mod ffi;
mod guard;
mod hooks;
mod host;
mod judge;
mod library;
mod mark;
mod messages;
mod options;
mod record;
mod secret;

pub use exports::*;

mod exports {
    //! The six `pam_sm_*` symbols, all that the shared object exports.
    #![allow(missing_docs, reason = "the macro of pam-bindings writes functions without documentation")]

    use crate::hooks::Nearmiss;

    pam::pam_hooks!(Nearmiss);
}
