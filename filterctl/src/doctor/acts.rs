//! What the doctor does in processes of its own: commands of this program that help does not show. Each
//! prints its result as JSON.

use std::path::PathBuf;

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
};

use super::{
    child::LoadedModule,
    copy::{self, Transact},
};
use crate::{host::ffi, report::print_bytes};

/// A command that only the doctor starts, in a process of its own.
#[derive(clap::Args)]
#[command(hide = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    act: ChildAct,
}

#[derive(clap::Subcommand)]
enum ChildAct {
    /// Loads a module.
    Load {
        /// The module.
        module: PathBuf,
    },
    /// Makes a copy of the machine and runs the changes of standard input in it.
    Copy,
    /// Is the first process of a copy.
    Inside,
    /// Runs one change.
    Change(Transact),
}

impl Args {
    /// Does it, in this process.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        ffi::silence_log();
        let json = match &self.act {
            ChildAct::Load { module } => {
                let loaded = ffi::load(module);
                let sets_passwords = loaded.as_ref().is_ok_and(|sets| *sets);
                serde_json::to_vec(&LoadedModule { error: loaded.err(), sets_passwords })
            }
            ChildAct::Copy => serde_json::to_vec(&copy::make()),
            ChildAct::Inside => serde_json::to_vec(&copy::run_inside()),
            ChildAct::Change(change) => serde_json::to_vec(&change.run()),
        };
        print_bytes(&json.map_err(|error| {
            Failure::plain(keys::INTERNAL_ERROR, format!("cannot print the result: {error}"))
        })?)?;
        Ok(Exit::Done)
    }
}
