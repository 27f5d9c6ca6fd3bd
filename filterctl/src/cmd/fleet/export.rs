//! `filterctl fleet export`: writes the bundle with which another host joins.

use std::path::PathBuf;

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
};
use nearmiss_filters::{
    ladder::fleet::Bundle,
    storage::{Access, Replacement},
};

use super::FleetPlace;
use crate::{
    filter_file::{replaceable::FileKind, watched::Watched},
    host::syslog,
};

const AFTER: &str = "\
The file contains the key. Copy it to the other hosts as you copy other secrets, run filterctl fleet
join there, and remove it. Do not keep it where the store's data or backups are.

Exit status:
  0  the file is written
  2  error

Examples:
  filterctl fleet export --guessed --output /root/guessed.bundle";

/// Writes descriptor and key to one file for other hosts.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    place: FleetPlace,
    /// The file to write, for its owner alone; only an earlier bundle is replaced.
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

impl Args {
    /// Writes the file.
    ///
    /// # Errors
    /// This host has not joined, or a file cannot be read or written.
    pub(crate) fn run(&self) -> Outcome {
        FileKind::Bundle.refuse_others(&self.output)?;
        let descriptor = self.place.descriptor()?;
        let bundle = Bundle::of(&descriptor).map_err(|e| Failure::new("cannot use the ladder", e))?;
        let none = || {
            let file = descriptor.display();
            Failure::plain(
                keys::FLEET_NOT_JOINED,
                format!("{file}: this host has not joined; see filterctl fleet init and join"),
            )
        };
        let bytes = bundle.ok_or_else(none)?.encode();
        let failed = |error| Failure::new("cannot write the bundle", error);
        let mut file = Replacement::create(&self.output, Access::Private).map_err(failed)?;
        file.write(&bytes).map_err(failed)?;
        Watched::new(&self.output).told(file.commit().map_err(failed))?;
        syslog::changed(&format!("wrote the key of {} for other hosts", descriptor.display()));
        Ok(Exit::Done)
    }
}
