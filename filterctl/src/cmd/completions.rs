//! `filterctl completions`: what a shell needs to complete the command line.

use clap::ValueEnum;
use clap_complete::{Shell, generate};

use crate::{cli, exit::Exit, failure::Outcome, report};

const AFTER: &str = "\
Examples:
  filterctl completions bash > /usr/share/bash-completion/completions/filterctl
  filterctl completions zsh > /usr/share/zsh/vendor-completions/_filterctl
  filterctl completions fish > /usr/share/fish/vendor_completions.d/filterctl.fish";

/// Prints the completions for a shell.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The shell.
    shell: KnownShell,
}

/// The shells completions are made for.
#[derive(Clone, Copy, ValueEnum)]
enum KnownShell {
    /// GNU bash, with bash-completion.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
}

impl Args {
    /// Prints the completions.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let mut script = Vec::new();
        generate(self.shell.generator(), &mut cli::definition(), "filterctl", &mut script);
        report::print_bytes(&script)?;
        Ok(Exit::Done)
    }
}

impl KnownShell {
    fn generator(self) -> Shell {
        match self {
            KnownShell::Bash => Shell::Bash,
            KnownShell::Zsh => Shell::Zsh,
            KnownShell::Fish => Shell::Fish,
        }
    }
}
