//! `filterctl fleet init --functions`: runs the agent's program, which loads the functions into the store.
//! This program has no network code.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
};

use crate::host::syslog;

/// The agent's configuration.
pub(super) const AGENT_CONF: &str = "/etc/nearmiss-agent/agent.toml";

/// The flags for loading the functions.
#[derive(clap::Args)]
pub(super) struct LoadFunctions {
    /// Load the functions into every node of the store that lacks them, with an account of the store.
    #[arg(id = "functions", long = "functions", conflicts_with_all = ["guessed", "chosen"])]
    is_wanted: bool,
    /// With --functions: the agent's configuration, which names the nodes.
    #[arg(long, value_name = "FILE", default_value = AGENT_CONF, requires = "functions")]
    #[arg(conflicts_with_all = ["guessed", "chosen"])]
    agent_conf: PathBuf,
    /// With --functions: the agent's program.
    #[arg(long, value_name = "FILE", default_value = "/usr/sbin/nearmiss-agent", requires = "functions")]
    #[arg(conflicts_with_all = ["guessed", "chosen"])]
    agent: PathBuf,
    /// With --functions: a user of the store that may run FUNCTION LIST, FUNCTION LOAD and CLUSTER SLOTS.
    #[arg(long, value_name = "USER", default_value = "default", requires = "functions")]
    #[arg(conflicts_with_all = ["guessed", "chosen"])]
    store_user: String,
    /// With --functions: the file with that user's password on one line.
    #[arg(long, value_name = "FILE", requires = "functions")]
    #[arg(conflicts_with_all = ["guessed", "chosen"])]
    store_password_file: Option<PathBuf>,
}

impl LoadFunctions {
    /// True if they are to be loaded.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Loads them; the agent's program reports on each node.
    ///
    /// # Errors
    /// The program cannot be run, or reports that it could not begin.
    pub(super) fn load(&self, as_json: bool) -> Outcome {
        let agent = self.agent.display();
        let mut command = Command::new(&self.agent);
        command.arg("load-functions").arg("--conf").arg(&self.agent_conf).arg("--user").arg(&self.store_user);
        command.args(as_json.then_some("--json"));
        if let Some(file) = &self.store_password_file {
            command.arg("--password-file").arg(file);
        }
        let run = command.stdin(Stdio::null()).stdout(Stdio::inherit()).output();
        let run = run.map_err(|error| Failure::new(format!("cannot run {agent}"), error))?;
        match run.status.code() {
            Some(0) => {
                syslog::changed("loaded the functions of the fleet's ladders where the store lacked them");
                Ok(Exit::Done)
            }
            Some(1) => Ok(Exit::No),
            _ => {
                let said = String::from_utf8_lossy(&run.stderr);
                let reason = said.lines().last().unwrap_or("it printed nothing");
                Err(Failure::plain(
                    keys::AGENT_FAILED,
                    format!("{agent} could not load the functions: {reason}"),
                ))
            }
        }
    }
}
