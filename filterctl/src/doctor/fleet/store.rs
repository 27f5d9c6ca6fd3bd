//! The store of a fleet, as the agent's program examines it.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use nearmiss_cli::{failure::Failure, finding::Finding, keys};
use nearmiss_filters::{keys::FILE_MISSING, text::system_reason};
use serde::Deserialize;

use crate::doctor::remedy;

const CHECK: &str = "store";

/// The path of the packaged agent.
const AGENT: &str = "/usr/sbin/nearmiss-agent";

/// The path of the agent's configuration.
const AGENT_CONF: &str = "/etc/nearmiss-agent/agent.toml";

/// The store's own administrator.
const USER: &str = "default";

/// The flags for examining the store: the agent's program and an administrator's account.
#[derive(clap::Args)]
pub(crate) struct StoreFlags {
    /// With --only fleet: the agent's configuration.
    #[arg(long, value_name = "FILE", default_value = AGENT_CONF)]
    agent_conf: PathBuf,
    /// With --only fleet: the agent's program.
    #[arg(long, value_name = "FILE", default_value = AGENT)]
    agent: PathBuf,
    /// With --only fleet: a user of the store that may run CONFIG GET, ACL, INFO and FUNCTION LIST.
    #[arg(long = "store-user", value_name = "USER", default_value = USER)]
    user: String,
    /// With --only fleet: the file with that user's password on one line.
    #[arg(long = "store-password-file", value_name = "FILE")]
    password_file: Option<PathBuf>,
}

/// The output of the agent's program.
#[derive(Deserialize)]
struct AgentReport {
    findings: Vec<Finding>,
}

impl Default for StoreFlags {
    fn default() -> StoreFlags {
        StoreFlags {
            agent_conf: AGENT_CONF.into(),
            agent: AGENT.into(),
            user: USER.to_owned(),
            password_file: None,
        }
    }
}

impl StoreFlags {
    /// Refuses flags that have no effect, since the store or the fleet is not examined.
    ///
    /// # Errors
    /// One of them is given: the store is examined only if `--only` names the fleet, the host's part in it
    /// also where all parts are.
    pub(crate) fn refuse_useless(&self, is_named: bool, is_examined: bool) -> Result<(), Failure> {
        let usual = StoreFlags::default();
        let flags = [
            ("--agent-conf", self.agent_conf != usual.agent_conf && !is_examined),
            ("--agent", self.agent != usual.agent && !is_named),
            ("--store-user", self.user != usual.user && !is_named),
            ("--store-password-file", self.password_file.is_some() && !is_named),
        ];
        let Some((flag, _)) = flags.iter().find(|(_, is_useless)| *is_useless) else { return Ok(()) };
        Err(Failure::plain(keys::ARGUMENTS, format!("{flag} needs --only fleet, which examines the store")))
    }

    /// True if this host is configured to use a store.
    pub(super) fn has_agent(&self) -> bool {
        self.agent_conf.exists()
    }

    /// Runs the agent's program, which examines the nodes. Without the agent's configuration nothing is
    /// examined: that is well only where the command line names none and the host has not joined a fleet.
    pub(super) fn examine(&self, has_joined: bool) -> Vec<Finding> {
        self.not_configured(AGENT_CONF.as_ref(), has_joined)
            .map_or_else(|| self.run(), |finding| vec![finding])
    }

    /// The finding on the agent's configuration, if it does not exist or this process cannot know that; the
    /// usual path is used where the command line names none.
    fn not_configured(&self, usual: &Path, has_joined: bool) -> Option<Finding> {
        let path = self.agent_conf.display();
        let look = remedy::on_files("ls -ld", [self.agent_conf.as_path()]);
        match self.agent_conf.try_exists() {
            Ok(true) => None,
            Ok(false) if self.agent_conf != usual => {
                let message = format!("{path}: does not exist; the store is not examined");
                Some(Finding::wrong(FILE_MISSING, CHECK, message).fix(look))
            }
            Ok(false) if has_joined => {
                let message =
                    format!("{path}: does not exist; the store of this host's fleet is not examined");
                let edit = remedy::on_files("vi", [self.agent_conf.as_path()]);
                Some(Finding::unjudged(FILE_MISSING, CHECK, message).fix(edit))
            }
            Ok(false) => {
                let message = format!("{path}: does not exist; the store is not examined from this host");
                Some(Finding::fine(CHECK, message))
            }
            Err(error) => {
                let message = format!("{path}: {}", system_reason(&error));
                Some(Finding::wrong(&error, CHECK, message).fix(look))
            }
        }
    }

    fn run(&self) -> Vec<Finding> {
        self.ask().unwrap_or_else(|failure| {
            let check =
                format!("{} --conf {} check", remedy::quoted(&self.agent), remedy::quoted(&self.agent_conf));
            vec![Finding::wrong(&failure, CHECK, failure.to_string()).fix(check)]
        })
    }

    fn ask(&self) -> Result<Vec<Finding>, Failure> {
        let agent = self.agent.display();
        let mut command = Command::new(&self.agent);
        command.arg("doctor").arg("--json").arg("--conf").arg(&self.agent_conf);
        command.arg("--user").arg(&self.user);
        if let Some(file) = &self.password_file {
            command.arg("--password-file").arg(file);
        }
        let run = command.stdin(Stdio::null()).output();
        let run = run.map_err(|error| Failure::new(format!("cannot run {agent}"), error))?;
        read(&run.stdout).ok_or_else(|| {
            let said = String::from_utf8_lossy(&run.stderr);
            let reason = said.lines().last().unwrap_or("it printed nothing");
            Failure::plain(keys::AGENT_FAILED, format!("{agent} could not examine the store: {reason}"))
        })
    }
}

/// The findings that the agent's program printed.
fn read(json: &[u8]) -> Option<Vec<Finding>> {
    serde_json::from_slice::<AgentReport>(json).ok().map(|message| message.findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmiss_cli::finding::State;

    #[test]
    fn what_the_agent_prints_is_read() {
        let findings =
            read(include_bytes!("../../../../crates/fleet-agent/tests/fixtures/findings.json")).unwrap();
        assert_eq!(findings.len(), 2);
        assert_eq!((findings[0].state, findings[0].fix.as_deref()), (State::Wrong, Some("appendonly no")));
        assert_eq!((findings[1].state, findings[1].fix.as_deref()), (State::Fine, None));
        assert!(read(b"").is_none() && read(b"{}").is_none());
    }

    /// Only a host without a fleet is well without the agent's configuration.
    #[test]
    fn a_store_that_is_not_examined_is_not_well() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("agent.toml");
        let state = |flags: &StoreFlags, usual: &Path, has_joined: bool| {
            let finding = flags.not_configured(usual, has_joined).unwrap();
            (finding.state, finding.key.is_some(), finding.fix.is_some())
        };
        let flags = |agent_conf: &Path| StoreFlags { agent_conf: agent_conf.into(), ..StoreFlags::default() };
        assert_eq!(state(&flags(&missing), &missing, false), (State::Fine, false, false));
        assert_eq!(state(&flags(&missing), &missing, true), (State::Unjudged, true, true));
        for has_joined in [false, true] {
            let given = state(&flags(&missing), "/usual".as_ref(), has_joined);
            assert_eq!(given, (State::Wrong, true, true), "a file that the command line names");
        }
        let circle = folder.path().join("circle");
        std::os::unix::fs::symlink("circle", &circle).unwrap();
        let unseen = circle.join("agent.toml");
        assert_eq!(state(&flags(&unseen), &unseen, false), (State::Wrong, true, true), "it may be there");
    }
}
