//! The program. All of it is in the library of the same name.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    filterlab::run()
}
