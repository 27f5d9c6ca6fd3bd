//! Exit codes, as in grep: 0 yes or done, 1 no, 2 error; 3 if something is weaker than
//! configured, and 4 if something was not judged.

use std::process::ExitCode;

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Yes, or done.
    Done,
    /// No: a candidate is rejected, a file is damaged.
    No,
    /// The command failed.
    Error,
    /// Nothing is wrong, but something is weaker than configured.
    Weaker,
    /// Nothing is wrong or weaker, but a part was not judged.
    Unjudged,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::No => 1,
            Exit::Error => 2,
            Exit::Weaker => 3,
            Exit::Unjudged => 4,
        })
    }
}
