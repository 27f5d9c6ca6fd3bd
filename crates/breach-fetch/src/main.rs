//! The program. All of it is in the library of the same name, where tests reach its parts.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    nearmiss_fetch::run()
}
