//! `filterctl fleet doctor`: what keeps this host from its fleet, and what is wrong with the store.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

use nearmiss_filters::{
    config::{Config, DEFAULT_PATH},
    ladder::{FleetLadder, fleet::Kind},
};

use super::status;
use crate::{
    configuration,
    exit::Exit,
    failure::{Failure, Outcome, printable},
};

const AFTER: &str = "\
The nodes are examined by nearmiss-agent doctor, where the agent's configuration is there: AOF, RDB,
slow log, crash log, memory policy, encryption, functions, the rights of the agent's user, and who
else may watch. It needs an administrator's account of the store.

Exit status:
  0  nothing is wrong
  1  something is; each finding has what mends it
  2  error

Examples:
  filterctl fleet doctor
  filterctl fleet doctor --user admin --password-file /root/admin.password";

/// Where the packages put the agent.
const AGENT: &str = "/usr/sbin/nearmiss-agent";

/// Says what is wrong with the fleet's ladders of this host, its agent and the store, and what mends it.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Read the paths from this configuration.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    conf: PathBuf,
    /// The agent's configuration.
    #[arg(long, value_name = "FILE", default_value = "/etc/nearmiss-agent/agent.toml")]
    agent_conf: PathBuf,
    /// The agent's program.
    #[arg(long, value_name = "FILE", default_value = AGENT)]
    agent: PathBuf,
    /// A user of the store that may run CONFIG GET, ACL, INFO and FUNCTION LIST.
    #[arg(long, value_name = "USER", default_value = "default")]
    user: String,
    /// The file with that user's password on one line.
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

/// What is wrong, and what mends it.
type Finding = (String, String);

impl Args {
    /// Examines this host, then the store.
    ///
    /// # Errors
    /// The configuration cannot be read, or the agent's program cannot be run.
    pub(crate) fn run(&self) -> Outcome {
        let config = configuration::load(&self.conf)?;
        let findings = of_host(&config);
        let mut out = io::stdout().lock();
        for (words, mend) in &findings {
            writeln!(out, "{}\n    mend: {mend}", printable(words)).map_err(Failure::output)?;
        }
        out.flush().map_err(Failure::output)?;
        let is_well = self.of_store()? && findings.is_empty();
        Ok(if is_well { Exit::Done } else { Exit::No })
    }

    /// Lets the agent's program examine the nodes. True where nothing is wrong.
    fn of_store(&self) -> Result<bool, Failure> {
        if !self.agent_conf.exists() {
            let path = self.agent_conf.display();
            println(&format!("{path}: is not there; the store is not examined from this host"))?;
            return Ok(true);
        }
        let mut command = Command::new(&self.agent);
        command.arg("doctor").arg("--config").arg(&self.agent_conf).arg("--user").arg(&self.user);
        if let Some(file) = &self.password_file {
            command.arg("--password-file").arg(file);
        }
        let failed = |error| Failure::new(format!("cannot run {}", self.agent.display()), error);
        match command.status().map_err(failed)?.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(Failure::plain(format!("{} could not examine the store", self.agent.display()))),
        }
    }
}

fn println(text: &str) -> Result<(), Failure> {
    writeln!(io::stdout().lock(), "{}", printable(text)).map_err(Failure::output)
}

fn of_host(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut has_joined = false;
    for file in config.fleet.descriptors() {
        match FleetLadder::open(file) {
            Ok(None) => {}
            Ok(Some(ladder)) => {
                has_joined = true;
                findings.extend(of_local(config, file, ladder.kind()));
            }
            Err(error) => {
                findings.push((error.to_string(), "filterctl fleet join --replace BUNDLE".to_owned()));
            }
        }
    }
    findings.extend(config.fleet.also.iter().filter(|file| !file.exists()).map(|file| {
        let words = format!("{}: is listed in also and is not there", file.display());
        (words, "filterctl fleet join --file, or take it out of also".to_owned())
    }));
    if !has_joined {
        let words = "this host has not joined a fleet".to_owned();
        findings.push((words, "filterctl fleet join BUNDLE".to_owned()));
    }
    if let Err(error) = status::ask(&config.fleet.socket, None) {
        let words = Failure::new(format!("{}: no reply", config.fleet.socket.display()), error).to_string();
        findings.push((
            words,
            "systemctl start nearmiss-agent.socket, and journalctl -u nearmiss-agent".to_owned(),
        ));
    }
    findings
}

/// What is counted for the fleet is counted for this host's own ladder first.
fn of_local(config: &Config, descriptor: &Path, kind: Kind) -> Option<Finding> {
    let (file, mend) = match kind {
        Kind::Guessed => (config.guesses.file.clone(), "filterctl ladder init --guessed"),
        Kind::Chosen => (config.ladder.file.clone(), "filterctl ladder init"),
    };
    let words = format!(
        "{}: nothing is counted for {}, since this host has no ladder",
        file.display(),
        descriptor.display()
    );
    (!file.exists()).then(|| (words, mend.to_owned()))
}
