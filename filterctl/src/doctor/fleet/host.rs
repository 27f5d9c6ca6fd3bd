//! This host's membership in its fleet: descriptors, its own ladders, and the agent.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};
use nearmiss_filters::{
    ladder::{FleetLadder, fleet::Kind},
    text::system_reason,
};
use nearmiss_policy::config::Config;

use crate::{
    doctor::remedy,
    host::{fleet_agent, user::is_unseen},
};

const CHECK: &str = "fleet";

/// Examines the files that the configuration names.
pub(super) fn examine(config: &Config, has_agent: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut has_joined, mut is_known) = (false, true);
    for file in config.fleet.descriptors() {
        match FleetLadder::open(file) {
            Ok(None) => {}
            Ok(Some(ladder)) => {
                has_joined = true;
                findings.extend(of_local(config, file, ladder.kind()));
            }
            Err(error) if is_unseen(&error) => {
                is_known = false;
                findings.push(Finding::unjudged(&error, CHECK, error.to_string()));
            }
            Err(error) => {
                has_joined = true;
                let message = format!("{error}: this host uses only its own ladders");
                let fix = remedy::of_fleet(&error, file, "filterctl fleet join --replace BUNDLE".to_owned());
                findings.push(Finding::wrong(&error, CHECK, message).fix(fix));
            }
        }
    }
    let is_missing = |file: &&PathBuf| matches!(file.try_exists(), Ok(false));
    findings.extend(config.fleet.also.iter().filter(is_missing).map(|file| {
        let message = format!("{}: listed in also, but does not exist", file.display());
        let fix = format!("filterctl fleet join --file {} BUNDLE", remedy::quoted(file));
        Finding::warning(keys::FLEET_NOT_JOINED, CHECK, message).fix(fix)
    }));
    match (has_joined, is_known) {
        (true, _) => findings.push(agent(&config.fleet.socket)),
        (false, true) => findings.push(not_joined(has_agent)),
        (false, false) => {}
    }
    findings
}

/// A configured agent without a ladder is a mistake; a host without an agent is not.
fn not_joined(has_agent: bool) -> Finding {
    let message = "this host has not joined a fleet";
    let state = if has_agent { State::Warning } else { State::Fine };
    let finding = Finding::new(keys::FLEET_NOT_JOINED, CHECK, state, message);
    if has_agent { finding.fix("filterctl fleet join BUNDLE") } else { finding }
}

/// Without the agent, only this host's own ladders are used.
fn agent(socket: &Path) -> Finding {
    match fleet_agent::ask(socket, None) {
        Ok(_) => Finding::fine(CHECK, "this host has joined, and its agent replies"),
        Err(error) if is_unseen(&error) => {
            let message = format!("{}: {}", socket.display(), system_reason(&error));
            Finding::unjudged(&error, CHECK, message)
        }
        Err(error) => {
            let message = format!(
                "{}: no reply: {}; this host uses only its own ladders",
                socket.display(),
                system_reason(&error)
            );
            Finding::warning(keys::FLEET_UNREACHABLE, CHECK, message)
                .fix("systemctl start nearmiss-agent.socket")
        }
    }
}

/// Every count for the fleet goes to this host's own ladder first.
fn of_local(config: &Config, descriptor: &Path, kind: Kind) -> Option<Finding> {
    let (file, fix) = match kind {
        Kind::Guessed => (config.guesses.file.clone(), "filterctl ladder init --guessed"),
        Kind::Chosen => (config.ladder.file.clone(), "filterctl ladder init"),
    };
    let message = format!(
        "{}: does not exist; without a ladder of its own this host counts nothing for {}",
        file.display(),
        descriptor.display()
    );
    (!file.exists()).then(|| Finding::warning(keys::LADDER_MISSING, CHECK, message).fix(fix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;

    /// A new bundle is asked for where the old one is lost, not where its access is wrong.
    #[test]
    fn a_descriptor_has_the_command_for_its_reason() {
        use std::{fs, os::unix::fs::PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fleet.ladder");
        let mut config = sample::config("", &[]);
        config.fleet.guessed.clone_from(&file);
        config.fleet.socket = folder.path().join("none");
        let fix = || examine(&config, false).remove(0).fix.unwrap();
        fs::write(&file, "junk").unwrap();
        assert_eq!(fix(), "filterctl fleet join --replace BUNDLE");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(fix(), format!("chmod 0600 {}", file.display()));
    }

    #[test]
    fn a_further_descriptor_that_is_not_there_is_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let [there, gone, none] = ["there", "gone", "none"].map(|name| folder.path().join(name));
        std::fs::write(&there, "junk").unwrap();
        let mut config = sample::config("", &[]);
        config.fleet.also = vec![there, gone.clone()];
        config.fleet.socket = none;
        let mut findings = examine(&config, false);
        findings.retain(|finding| finding.message.contains("listed in also"));
        assert_eq!((findings.len(), findings[0].state), (1, State::Warning), "{findings:?}");
        let fix = format!("filterctl fleet join --file {} BUNDLE", gone.display());
        assert_eq!(findings[0].fix.as_deref(), Some(fix.as_str()));
    }
}
