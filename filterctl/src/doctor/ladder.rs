//! The ladders of chosen and of guessed passwords: whether they are usable, safe and balanced, and count.
//!
//! `files` examines permissions, paths and copies, `backups` copies in other folders, `disk` the file system,
//! `slow_hash` the cost of a guess and `login_hash` its cost with a stolen shadow file, `balance` the bits.
//! For the ladder of guessed passwords, `seen` examines the record of failed logins in `/run` and
//! `guess_lines` the PAM lines that feed the ladder.

mod backups;
mod balance;
mod disk;
mod files;
pub(super) mod guess_lines;
mod login_hash;
mod seen;
mod slow_hash;

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::{
    ladder::{ChosenLadder, GuessLadder, LadderError, LadderFiles},
    text::system_reason,
};
use nearmiss_policy::config::{Config, SEEN_FAILURES};

use super::{Subject, remedy};

/// Runs every check of both ladders; without its files, a ladder has no checks.
pub(super) fn examine(subject: &Subject, config: &Config) -> Vec<Finding> {
    let (chosen, guessed) = (&config.ladder, config.guess_files());
    let mut findings = Vec::new();
    let unseen = [&chosen.file, &chosen.key].into_iter().find_map(|file| unseen(file));
    if let Some(unseen) = unseen {
        findings.push(unseen);
    } else if chosen.file.exists() || chosen.key.exists() {
        findings.extend(examine_chosen(subject, config));
        findings.push(backups::examine(chosen, &subject.root));
    } else {
        findings.push(Finding::fine("ladder", "no ladder: passwords are not counted"));
    }
    if guessed.file.exists() {
        findings.extend(examine_guessed(subject, &guessed).into_iter().map(of_guessed));
    }
    findings
}

/// The finding on a file of which this process cannot know whether it exists.
fn unseen(file: &Path) -> Option<Finding> {
    let error = file.try_exists().err()?;
    Some(Finding::wrong(&error, "open", format!("{}: {}", file.display(), system_reason(&error))))
}

fn examine_chosen(subject: &Subject, config: &Config) -> Vec<Finding> {
    let files = &config.ladder;
    let fix = subject.command("ladder init --fix");
    let (ladder, mut findings) = opened(ChosenLadder::open(files), files, &fix);
    if let Some(ladder) = ladder {
        let anew = subject.command("ladder init --replace");
        findings.push(slow_hash::examine(ladder.header().cost, &anew));
        findings.extend(balance::examine(ladder.ladder().bits(), &anew));
        findings.push(balance::stamps(&ladder, &anew));
    }
    findings
}

/// The same for the ladder of guessed passwords and the lines that feed it.
fn examine_guessed(subject: &Subject, files: &LadderFiles) -> Vec<Finding> {
    let fix = subject.command("ladder init --guessed --fix");
    let (ladder, mut findings) = opened(GuessLadder::open(files), files, &fix);
    if let Some(ladder) = ladder {
        let anew = subject.command("ladder init --guessed --replace");
        findings.extend(balance::examine(ladder.opened().ladder().bits(), &anew));
        findings.extend(seen::examine(SEEN_FAILURES.as_ref()));
        findings.extend(guess_lines::examine(&subject.root));
    }
    findings
}

/// Two ladders have the same checks.
fn of_guessed(finding: Finding) -> Finding {
    Finding { check: format!("guesses: {}", finding.check), ..finding }
}

/// The ladder, if it can be used, and the finding on its files.
fn opened<L>(
    opened: Result<Option<L>, LadderError>,
    files: &LadderFiles,
    fix: &str,
) -> (Option<L>, Vec<Finding>) {
    let path = files.file.display();
    let (ladder, first) = match opened {
        Ok(Some(ladder)) => {
            (Some(ladder), Finding::fine("open", format!("{path}: the module can use ladder and key")))
        }
        Ok(None) => {
            let message =
                format!("{path}: missing, although its key exists: no password is compared or counted");
            return (None, vec![Finding::wrong(keys::LADDER_MISSING, "open", message).fix(fix)]);
        }
        Err(error) => {
            let own = remedy::of_ladder(&error, files, fix.to_owned());
            (None, Finding::wrong(&error, "open", error.to_string()).fix(own))
        }
    };
    let mut findings = vec![first];
    findings.extend(files::examine(files, fix));
    if ladder.is_some() {
        findings.extend(disk::examine(files));
    }
    (ladder, findings)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use nearmiss_filters::ladder::{NewLadder, Params, create};

    use super::*;
    use nearmiss_cli::finding::State;

    /// The fix for a usable ladder changes its mode; an unusable ladder is replaced.
    #[test]
    fn a_ladder_that_cannot_be_opened_has_the_command_for_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let files = LadderFiles { file: folder.path().join("s/l"), key: folder.path().join("k/l") };
        let params = Params::new(1 << 15, 16, 16, 2).unwrap();
        create(&files, &NewLadder { params, cost: None, stamps: 0 }, false).unwrap();
        let first = || opened(ChosenLadder::open(&files), &files, "make it").1.remove(0);
        assert_eq!((first().state, first().fix), (State::Fine, None));
        fs::set_permissions(&files.file, fs::Permissions::from_mode(0o640)).unwrap();
        let private = remedy::on_files("chmod 0600", [files.file.as_path()]);
        assert_eq!((first().state, first().fix), (State::Wrong, Some(private)));
        fs::set_permissions(&files.file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&files.file, "no ladder").unwrap();
        assert_eq!((first().state, first().fix.as_deref()), (State::Wrong, Some("make it")));
    }
}
