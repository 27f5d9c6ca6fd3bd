//! `check CONFIGURATION USER`: checks the new password on standard input, one line.
//!
//! Exits 0 if the password may be set, 1 with a sentence for the user if not, 2 if it was not checked: then
//! it must not be set either. A password is never an argument, which every process can read.
//!
//!     echo elephqnt1 | cargo run -p nearmiss-checker --example check -- /etc/security/nearmiss.conf anna
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example program")]

use std::{
    env,
    io::{self, BufRead},
    os::unix::ffi::OsStrExt,
    path::Path,
    process::ExitCode,
};

use nearmiss_checker::{Checker, Facts, Setting, Verdict};

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let (Some(configuration), Some(user)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: check CONFIGURATION USER");
        return ExitCode::from(2);
    };
    // Once in a program: it notices by itself when a filter or the configuration is replaced.
    let checker = Checker::open(Setting::of(Path::new(&configuration)));

    // Bytes: not every password is UTF-8.
    let mut password = Vec::new();
    if let Err(error) = io::stdin().lock().read_until(b'\n', &mut password) {
        eprintln!("cannot read the password: {error}");
        return ExitCode::from(2);
    }
    let facts = Facts { user: user.as_bytes(), ..Facts::default() };
    let answer = checker.check(password.strip_suffix(b"\n").unwrap_or(&password), &facts);
    let code = answer.reason.map_or("none", |reason| reason.code());
    if answer.verdict != Verdict::Accepted {
        println!("{} [{code}]", answer.sentence);
    }
    // For the administrator's log, never for the user.
    if !answer.detail.is_empty() {
        eprintln!("{}", answer.detail);
    }
    match answer.verdict {
        Verdict::Accepted => ExitCode::SUCCESS,
        Verdict::Rejected => ExitCode::from(1),
        Verdict::Unusable | Verdict::Fault => ExitCode::from(2),
    }
}
