//! The program. Its code is in the library of the same name, so that tests and fuzzing can use its parts.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    filterctl::run()
}
