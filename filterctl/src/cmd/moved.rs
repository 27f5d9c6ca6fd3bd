//! The commands of `filterlab`, by the names under which they are looked for here.

use std::ffi::OsString;

use crate::failure::{Failure, Outcome};

/// Takes whatever follows, help flags included.
#[derive(clap::Args)]
#[command(hide = true, disable_help_flag = true)]
pub(crate) struct Args {
    /// The arguments of the command that moved.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}

impl Args {
    /// Says where `command` is now.
    ///
    /// # Errors
    /// Always: nothing is done.
    #[allow(clippy::unused_self, reason = "run like every other command")]
    pub(crate) fn run(&self, command: &str) -> Outcome {
        Err(Failure::plain(format!(
            "`filterctl {command}` is now `filterlab {command}` (package nearmiss-lab)"
        )))
    }
}
