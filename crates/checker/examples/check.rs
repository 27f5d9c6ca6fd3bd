//! `check CONFIGURATION USER`: checks the new password on standard input, one line.
//!
//! Exits 0 if the password may be set, 1 with a sentence for the user if not, 2 if it was not checked: then
//! it must not be set either. A password is never an argument, which every process can read.
//!
//!     echo elephqnt1 | cargo run -p nearmiss-checker --example check -- /etc/security/nearmiss.conf anna
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example program")]

use std::{env, io, os::unix::ffi::OsStrExt, path::Path, process::ExitCode};

use nearmiss_checker::{Checker, Facts, Setting, Verdict};

fn main() -> io::Result<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    let (Some(configuration), Some(user)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: check CONFIGURATION USER");
        return Ok(ExitCode::from(2));
    };
    // Once in a program: it notices by itself when a filter or the configuration is replaced.
    let checker = Checker::open(Setting::of(Path::new(&configuration)));

    let mut password = String::new();
    io::stdin().read_line(&mut password)?;
    let facts = Facts { user: user.as_bytes(), ..Facts::default() };
    let answer = checker.check(password.trim_end_matches('\n').as_bytes(), &facts);
    let code = answer.reason.map_or("none", |reason| reason.code());
    if answer.verdict != Verdict::Accepted {
        println!("{} [{code}]", answer.sentence);
    }
    // For the administrator's log, never for the user.
    if !answer.detail.is_empty() {
        eprintln!("{}", answer.detail);
    }
    Ok(match answer.verdict {
        Verdict::Accepted => ExitCode::SUCCESS,
        Verdict::Rejected => ExitCode::from(1),
        Verdict::Unusable | Verdict::Fault => ExitCode::from(2),
    })
}
