//! `filterctl fleet`: the ladders that a host shares with others: their descriptors and keys (init, export,
//! join), and their state (status).

mod export;
mod functions;
mod init;
mod join;
pub(super) mod status;
mod user;

use std::path::{Path, PathBuf};

use nearmiss_cli::{commands, failure::Failure, paths};
use nearmiss_filters::ladder::fleet::Kind;
use nearmiss_policy::config::{Config, DEFAULT_PATH};

use crate::configuration;

const AFTER: &str = "\
Examples:
  filterctl fleet init --guessed
  filterctl fleet init --functions --store-user loader --store-password-file /root/loader.password
  filterctl fleet export --guessed --output /root/guessed.bundle
  filterctl fleet join /root/guessed.bundle
  filterctl doctor --only fleet";

commands! {
    /// Creates and distributes the ladders that many hosts share through Redis or Valkey.
    #[command(after_long_help = AFTER, subcommand_required = true)]
    struct Args with Command {
        Init(init::Args),
        Export(export::Args),
        Join(join::Args),
        Status(status::Args),
    }
}

/// The flags that name one of the fleet's ladders.
#[derive(clap::Args)]
struct FleetPlace {
    /// The ladder of guessed passwords.
    #[arg(long, required_unless_present = "chosen")]
    guessed: bool,
    /// The ladder of chosen passwords.
    #[arg(long, conflicts_with = "guessed")]
    chosen: bool,
    /// Read the paths from this configuration.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    conf: PathBuf,
    /// The descriptor, instead of the configured one; its key is the file beside it with .key instead of
    /// .ladder.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl FleetPlace {
    /// The descriptor.
    ///
    /// # Errors
    /// The configuration cannot be read.
    fn descriptor(&self) -> Result<PathBuf, Failure> {
        descriptor(self.file.as_ref(), &self.conf, self.kind())
    }

    fn kind(&self) -> Kind {
        if self.chosen { Kind::Chosen } else { Kind::Guessed }
    }
}

/// The path of the descriptor of a ladder of this kind.
fn descriptor(file: Option<&PathBuf>, conf: &Path, kind: Kind) -> Result<PathBuf, Failure> {
    if let Some(file) = file {
        return Ok(paths::written(file));
    }
    let Config { fleet, .. } = configuration::load(conf)?;
    Ok(match kind {
        Kind::Guessed => fleet.guessed,
        Kind::Chosen => fleet.chosen,
    })
}
