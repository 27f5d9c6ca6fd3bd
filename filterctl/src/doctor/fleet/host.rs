//! This host's membership in its fleet: descriptors, its own ladders, and the agent.

use std::path::Path;

use nearmiss_cli::{
    finding::{Finding, State},
    keys,
};
use nearmiss_filters::{
    ladder::{FleetLadder, fleet::Kind},
    storage::StorageError,
};
use nearmiss_policy::config::{Config, FleetRules};
use serde_json::Value;

use crate::{
    doctor::{Subject, remedy},
    host::{
        fleet_agent::{self, NoReport, name, nodes, serves, trouble},
        user::is_unseen,
    },
};

const CHECK: &str = "fleet";

/// Examines the files that the configuration names.
pub(super) fn examine(subject: &Subject, config: &Config, has_agent: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut has_joined, mut is_known, mut header) = (false, true, None);
    for file in config.fleet.descriptors() {
        match FleetLadder::open(file) {
            Ok(None) => {
                let lost = missing(subject, config, file);
                has_joined |= lost.as_ref().is_some_and(|lost| lost.state == State::Wrong);
                findings.extend(lost);
            }
            Ok(Some(ladder)) => {
                has_joined = true;
                header = header.or_else(|| Some(ladder.header().clone()));
                findings.extend(of_local(config, file, ladder.kind()));
            }
            Err(error) if is_unseen(&error) => {
                is_known = false;
                findings.push(Finding::unjudged(&error, CHECK, error.to_string()));
            }
            Err(error) => {
                has_joined = true;
                let message = format!("{error}: this host uses only its own ladders");
                let join = remedy::join(subject, config, file, " --replace");
                let fix = remedy::of_fleet(&subject.conf_root, &error, file, join);
                findings.push(Finding::wrong(&error, CHECK, message).fix(fix));
            }
        }
    }
    match (has_joined, is_known) {
        (true, _) => {
            let socket = &config.fleet.socket;
            let told = fleet_agent::ask(socket, header.as_ref());
            findings.extend(told.iter().flat_map(of_store));
            findings.push(agent(subject, socket, told.map(drop)));
        }
        (false, true) => findings.push(not_joined(subject, has_agent)),
        (false, false) => {}
    }
    findings
}

/// A descriptor that is not there. Its key is written with it, and stays where the descriptor is lost.
fn missing(subject: &Subject, config: &Config, file: &Path) -> Option<Finding> {
    let path = file.display();
    let finding = if FleetLadder::key_of(file).symlink_metadata().is_ok() {
        let message =
            format!("{path}: missing, although its key exists: nothing is looked up or counted there");
        Finding::wrong(keys::FLEET_NOT_JOINED, CHECK, message)
    } else if config.fleet.also.iter().any(|further| further == file) {
        let message = format!("{path}: listed in also, but does not exist");
        Finding::warning(keys::FLEET_NOT_JOINED, CHECK, message)
    } else {
        return None;
    };
    Some(finding.fix(remedy::join(subject, config, file, "")))
}

/// A configured agent without a ladder is a mistake; a host without an agent is not.
fn not_joined(subject: &Subject, has_agent: bool) -> Finding {
    let message = "this host has not joined a fleet";
    let state = if has_agent { State::Warning } else { State::Fine };
    let finding = Finding::new(keys::FLEET_NOT_JOINED, CHECK, state, message);
    if has_agent { finding.fix(subject.command("fleet join BUNDLE")) } else { finding }
}

/// What the module does with this agent when a password is changed.
fn agent(subject: &Subject, socket: &Path, told: Result<(), NoReport>) -> Finding {
    let Err(none) = told else {
        return Finding::fine(CHECK, "this host has joined, and its agent replies");
    };
    let message = format!("{}: {none}", socket.display());
    if is_unseen(&none) {
        return Finding::unjudged(&none, CHECK, message);
    }
    let alone = "this host uses only its own ladders";
    match &none {
        NoReport::Hung(_) => {
            let message = format!("{message}; users cannot change passwords");
            Finding::wrong(keys::FLEET_UNREACHABLE, CHECK, message).fix(remedy::RESTART_AGENT)
        }
        NoReport::Untrusted(rule) => Finding::wrong(&none, CHECK, format!("{message}; {alone}"))
            .fix(of_untrusted(subject, socket, rule)),
        NoReport::Absent(_) => {
            Finding::warning(keys::FLEET_UNREACHABLE, CHECK, format!("{message}; {alone}"))
                .fix("systemctl start nearmiss-agent.socket")
        }
    }
}

/// The parts of the store that do nothing for this host, by what the agent finds now.
fn of_store(report: &Value) -> Vec<Finding> {
    let alone = "this host uses only its own ladders for that part";
    let look = "filterctl doctor --only fleet --store-user USER --store-password-file FILE";
    let warning = |message| Finding::warning(keys::STORE_UNREACHABLE, CHECK, message).fix(look);
    let idle = nodes(report).filter(|(_, node)| serves(node) == Some(false)).map(|(site, node)| {
        warning(format!("{site} {} does not serve this host: {}; {alone}", name(node), trouble(node)))
    });
    let lost = ["slots_without_node", "far_slots_without_node"];
    let lost = lost.iter().filter_map(|name| report.get(name)?.as_u64()).filter(|count| *count > 0);
    let lost = lost.map(|count| warning(format!("no node has {count} of the store's 16384 slots; {alone}")));
    idle.chain(lost).collect()
}

/// The command for a socket that the module does not use. If another user's socket were given to root, the
/// module would trust that user: systemd makes another one. Another folder than the usual one is of the
/// settings.
fn of_untrusted(subject: &Subject, socket: &Path, rule: &StorageError) -> String {
    let is_usual = socket == FleetRules::default().socket;
    match is_usual {
        true if rule.path == socket => {
            "systemctl stop nearmiss-agent.service && systemctl restart nearmiss-agent.socket".to_owned()
        }
        true => remedy::of_storage(rule).unwrap_or_else(|| remedy::on_files("ls -ld", [rule.path.as_path()])),
        false => subject.changed_settings(),
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
    use std::{
        fs,
        io::{Error, ErrorKind},
        os::unix::fs::PermissionsExt,
        path::PathBuf,
    };

    use nearmiss_filters::storage::Act;

    use super::*;
    use crate::doctor::sample;

    fn subject() -> Subject {
        sample::subject(Path::new("/nonexistent"))
    }

    /// The findings of a site without an agent on the socket `none` in this folder.
    fn found(folder: &Path, change: impl FnOnce(&mut Config)) -> Vec<Finding> {
        let mut config = sample::config("", &[]);
        config.fleet.socket = folder.join("none");
        change(&mut config);
        examine(&subject(), &config, false)
    }

    /// A new bundle is asked for where the old one is lost, not where its access is wrong.
    #[test]
    fn a_descriptor_has_the_command_for_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fleet.ladder");
        let fix = || {
            let guessed = |config: &mut Config| config.fleet.guessed.clone_from(&file);
            found(folder.path(), guessed).remove(0).fix.unwrap()
        };
        fs::write(&file, "junk").unwrap();
        assert_eq!(fix(), subject().command("fleet join --replace BUNDLE"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(fix(), format!("chmod 0600 {}", file.display()));
    }

    /// Without its name the command would write over the ladder that is in use.
    #[test]
    fn a_further_descriptor_is_named_in_its_command() {
        let folder = tempfile::tempdir().unwrap();
        let [damaged, gone] = ["damaged", "gone"].map(|name| folder.path().join(name));
        fs::write(&damaged, "junk").unwrap();
        fs::set_permissions(&damaged, fs::Permissions::from_mode(0o600)).unwrap();
        let further = vec![damaged.clone(), gone.clone()];
        let findings = found(folder.path(), |config| config.fleet.also = further);
        let join = |options: &str, file: &PathBuf| {
            Some(subject().command(&format!("fleet join{options} --file {} BUNDLE", file.display())))
        };
        assert_eq!((findings[0].state, &findings[0].fix), (State::Wrong, &join(" --replace", &damaged)));
        assert_eq!((findings[1].state, &findings[1].fix), (State::Warning, &join("", &gone)));
        assert!(findings[1].message.contains("listed in also"), "{findings:?}");
    }

    /// A host that lost a descriptor has joined: it is not said to be one without a fleet.
    #[test]
    fn a_key_without_its_descriptor_is_a_ladder_that_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let descriptor = folder.path().join("fleet.ladder");
        fs::write(FleetLadder::key_of(&descriptor), "key").unwrap();
        let findings = found(folder.path(), |config| config.fleet.guessed.clone_from(&descriptor));
        assert_eq!(findings[0].state, State::Wrong, "{findings:?}");
        assert_eq!(findings[0].fix, Some(subject().command("fleet join BUNDLE")));
        assert!(findings[1].message.contains("no reply"), "the agent is asked: {findings:?}");
    }

    /// A node that refuses every request is alive, and of no use.
    #[test]
    fn a_part_of_the_store_that_does_nothing_is_a_warning() {
        let report = serde_json::json!({
            "slots_without_node": 7,
            "far_slots_without_node": null,
            "nodes": [{"node": "a:1", "serves": true}, {"node": "b:1", "serves": false, "trouble": "OOM no"}],
            "far_nodes": [{"node": "c:1", "serves": null}],
        });
        let found = of_store(&report);
        assert!(
            found.iter().all(|finding| finding.state == State::Warning && finding.fix.is_some()),
            "{found:?}"
        );
        let told: Vec<&str> = found.iter().filter_map(|finding| finding.message.split(';').next()).collect();
        assert_eq!(
            told,
            ["node b:1 does not serve this host: OOM no", "no node has 7 of the store's 16384 slots"]
        );
    }

    /// As the module does: it refuses a change only where somebody takes its requests and does not reply.
    #[test]
    fn an_agent_is_judged_by_what_the_module_does_with_it() {
        let usual = FleetRules::default().socket;
        let rule = |path: &Path, act| NoReport::Untrusted(StorageError::rule(path, act));
        let restart = "systemctl stop nearmiss-agent.service && systemctl restart nearmiss-agent.socket";
        let own = Path::new("/srv/agent.sock");
        let settings = subject().changed_settings();
        for (socket, none, state, effect, fix) in [
            (
                &*usual,
                NoReport::Hung(ErrorKind::TimedOut.into()),
                State::Wrong,
                "users cannot change passwords",
                "systemctl restart nearmiss-agent",
            ),
            (
                &usual,
                NoReport::Absent(Error::from(ErrorKind::ConnectionRefused)),
                State::Warning,
                "only its own ladders",
                "systemctl start nearmiss-agent.socket",
            ),
            (&usual, rule(&usual, Act::ForeignOwner), State::Wrong, "only its own ladders", restart),
            (
                &usual,
                rule(Path::new("/run/nearmiss"), Act::OthersMayWrite),
                State::Wrong,
                "can be written by others",
                "chmod go-w /run/nearmiss",
            ),
            (own, rule(Path::new("/srv"), Act::OthersMayWrite), State::Wrong, "not trusted", &settings),
        ] {
            let found = agent(&subject(), socket, Err::<(), _>(none));
            assert_eq!((found.state, found.fix.as_deref()), (state, Some(fix)), "{found:?}");
            assert!(found.message.contains(effect), "{found:?}");
        }
    }
}
