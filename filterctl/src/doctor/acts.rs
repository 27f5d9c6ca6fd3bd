//! What the doctor does in processes of its own: commands of this program that help does not show. Each
//! prints its result as JSON.

use std::{
    fmt,
    fs::{File, OpenOptions},
    io::{self, Write},
    os::fd::AsFd,
    path::PathBuf,
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
};

use super::{
    child::LoadedModule,
    copy::{self, Transact},
};
use crate::host::ffi;

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
        let mut out = own_output()?;
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
        let json = json.map_err(|error| failed(&error))?;
        out.write_all(&json).map_err(|error| failed(&error))?;
        Ok(Exit::Done)
    }
}

/// Standard output for the result alone: what a module prints goes nowhere.
fn own_output() -> Result<File, Failure> {
    let nowhere = OpenOptions::new().write(true).open("/dev/null").map_err(|error| failed(&error))?;
    let own = io::stdout().as_fd().try_clone_to_owned().map_err(|error| failed(&error))?;
    rustix::stdio::dup2_stdout(nowhere).map_err(|error| failed(&error))?;
    Ok(own.into())
}

fn failed(error: &dyn fmt::Display) -> Failure {
    Failure::plain(keys::INTERNAL_ERROR, format!("cannot print the result: {error}"))
}
