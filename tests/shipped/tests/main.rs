//! The shipped files: the module and the library as the release profile builds them, the packages around
//! them, and the demonstrations. The second stage of the tests (`make test-shipped`).
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first thing that is wrong"
)]

mod artefact;
mod demo;
mod library;
mod packages;
mod version;
