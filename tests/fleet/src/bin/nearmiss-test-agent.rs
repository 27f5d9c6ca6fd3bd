//! `nearmiss-agent`, built with the tests that run it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    nearmiss_agent::run()
}
