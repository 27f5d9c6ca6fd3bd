//! `filterctl hook`: a server asks whether a password may be set, in the way that server asks.

mod heimdal;
mod input;
mod samba;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use nearmiss_checker::{Answer, Checker, DEFAULT_PATH, Facts, Setting};
use nearmiss_cli::failure::Outcome;

/// The name that Heimdal starts this program by: it has no place for arguments of its own.
pub(crate) const HEIMDAL_PROGRAM: &str = "nearmiss-heimdal";

/// Answers a server that asks whether a password may be set.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The server that asks.
    #[command(subcommand)]
    server: HookCommand,
}

#[derive(Subcommand)]
enum HookCommand {
    Samba(samba::Args),
    Heimdal(heimdal::Args),
}

impl Args {
    /// Answers.
    ///
    /// # Errors
    /// The server did not say what its contract has it say.
    pub(crate) fn run(&self) -> Outcome {
        match &self.server {
            HookCommand::Samba(args) => args.run(),
            HookCommand::Heimdal(args) => args.run(),
        }
    }
}

/// The options of every hook.
#[derive(clap::Args)]
struct Policy {
    /// Read the policy from this file instead of /etc/security/nearmiss.conf.
    #[arg(long, value_name = "FILE")]
    conf: Option<PathBuf>,
}

impl Policy {
    /// Checks a password as the PAM module would.
    fn check(&self, password: &[u8], facts: &Facts<'_>) -> Answer {
        let conf = self.conf.as_deref().unwrap_or(Path::new(DEFAULT_PATH));
        Checker::open(Setting::of(conf)).check(password, facts)
    }
}
