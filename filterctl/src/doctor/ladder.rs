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
use nearmiss_policy::config::Config;

use self::guess_lines::LoginLines;
use super::{Subject, fleet, remedy};

/// Runs every check of both ladders; without its files, a ladder has no checks, but the lines that need it
/// have one.
pub(super) fn examine(subject: &Subject, config: &Config) -> Vec<Finding> {
    let (chosen, guessed) = (&config.ladder, config.guess_files());
    let mut findings = Vec::new();
    let unseen_chosen = [&chosen.file, &chosen.key].into_iter().find_map(|file| unseen(file));
    let has_guessed = guessed.file.try_exists();
    if let Some(unseen) = unseen_chosen {
        findings.push(unseen);
    } else if chosen.file.exists() || (chosen.key.exists() && matches!(has_guessed, Ok(false))) {
        findings.extend(examine_chosen(subject, config));
        findings.push(backups::examine(chosen, &subject.root));
    } else if chosen.key.exists() {
        // Both ladders have one key: it does not tell whether there was a ladder of chosen passwords.
        findings.push(Finding::fine("ladder", "no ladder of chosen passwords: they are not counted"));
    } else {
        findings.push(Finding::fine("ladder", "no ladder: passwords are not counted"));
    }
    let of_guesses = match has_guessed {
        Ok(true) => examine_guessed(subject, config, &guessed),
        Ok(false) => idle_lines(subject, config, &guessed.file).into_iter().collect(),
        Err(_) => unseen(&guessed.file).into_iter().collect(),
    };
    findings.extend(of_guesses.into_iter().map(of_guessed));
    findings
}

/// The finding on lines about guesses without their ladder, in this file. The line `passed` also looks
/// passwords up in filters and in a fleet's ladder; the line `record` compares passwords without a ladder.
fn idle_lines(subject: &Subject, config: &Config, file: &Path) -> Option<Finding> {
    let lines = LoginLines::below(&subject.root);
    let is_looked_up = config.dictionaries.iter().any(|rule| rule.logins) || fleet::has_descriptor(config);
    let (line, effect) = match (lines.failed, lines.passed && !is_looked_up) {
        (true, _) => ("failed", "failed logins are not counted"),
        (false, true) => ("passed", "passwords of logins are compared with nothing"),
        (false, false) => return None,
    };
    let message = format!("{}: missing, but \"pam_nearmiss.so {line}\" needs it: {effect}", file.display());
    let init = subject.command("ladder init --guessed");
    Some(Finding::warning(keys::LADDER_MISSING, "open", message).fix(init))
}

/// The finding on a file of which this process cannot know whether it exists.
fn unseen(file: &Path) -> Option<Finding> {
    let error = file.try_exists().err()?;
    Some(Finding::wrong(&error, "open", format!("{}: {}", file.display(), system_reason(&error))))
}

fn examine_chosen(subject: &Subject, config: &Config) -> Vec<Finding> {
    let files = &config.ladder;
    let fix = subject.command("ladder init --fix");
    let (ladder, mut findings) = opened(&subject.conf_root, ChosenLadder::open(files), files, &fix);
    if let Some(ladder) = ladder {
        let anew = subject.command("ladder init --replace");
        findings.push(slow_hash::examine(ladder.header().cost, &anew));
        findings.extend(balance::examine(ladder.ladder().bits(), &anew));
        findings.push(balance::stamps(&ladder, &anew));
        findings.extend(guess_lines::submitted(&subject.root));
    }
    findings
}

/// The same for the ladder of guessed passwords and the lines that feed it.
fn examine_guessed(subject: &Subject, config: &Config, files: &LadderFiles) -> Vec<Finding> {
    let fix = subject.command("ladder init --guessed --fix");
    let (ladder, mut findings) = opened(&subject.conf_root, GuessLadder::open(files), files, &fix);
    if let Some(ladder) = ladder {
        let anew = subject.command("ladder init --guessed --replace");
        findings.extend(balance::examine(ladder.opened().ladder().bits(), &anew));
        findings.extend(seen::examine(&config.guesses.seen));
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
    root: &Path,
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
            let own = remedy::of_ladder(root, &error, files, fix.to_owned());
            (None, Finding::wrong(&error, "open", error.to_string()).fix(own))
        }
    };
    let mut findings = vec![first];
    findings.extend(files::examine(root, files, fix));
    if ladder.is_some() {
        findings.extend(disk::examine(files));
    }
    (ladder, findings)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use nearmiss_filters::ladder::{NewLadder, Params, create};
    use nearmiss_policy::config::DictionaryRule;

    use super::*;
    use crate::doctor::sample;
    use nearmiss_cli::finding::State;

    /// A system with an `auth` stack of this text, and a site whose ladders are in its folder.
    fn site(root: &Path, auth: &str) -> (Subject, Config) {
        fs::create_dir_all(root.join("etc/pam.d")).unwrap();
        fs::write(root.join("etc/pam.d/common-auth"), auth).unwrap();
        let mut config = sample::config("", &[]);
        config.ladder.file = root.join("state/chosen");
        config.ladder.key = root.join("keys/ladder.key");
        config.guesses.file = root.join("state/guessed");
        (sample::subject(root), config)
    }

    fn make(files: &LadderFiles) {
        let params = Params::new(1 << 15, 16, 16, 2).unwrap();
        create(files, &NewLadder { params, cost: None, stamps: 0 }, false).unwrap();
    }

    /// State, check and fix of the findings on a ladder that is missing.
    fn missing(subject: &Subject, config: &Config) -> Vec<(State, String, Option<String>)> {
        let mut findings = examine(subject, config);
        let key = Some(keys::LADDER_MISSING.as_str());
        findings.retain(|finding| finding.key.as_deref() == key);
        findings.into_iter().map(|finding| (finding.state, finding.check, finding.fix)).collect()
    }

    /// Both ladders have one key: with one of them, the key tells nothing of the other.
    #[test]
    fn a_site_may_have_the_ladder_of_guesses_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (subject, config) = site(folder.path(), "");
        make(&config.guess_files());
        assert_eq!(missing(&subject, &config), []);
        let told = examine(&subject, &config).remove(0);
        assert_eq!((told.state, told.check.as_str()), (State::Fine, "ladder"));
        assert!(told.message.starts_with("no ladder of chosen passwords"), "{told:?}");
        fs::remove_file(&config.guesses.file).unwrap();
        let lost = missing(&subject, &config).remove(0);
        assert_eq!((lost.0, lost.1.as_str()), (State::Wrong, "open"), "a key and no ladder at all");
    }

    #[test]
    fn lines_about_guesses_need_their_ladder_or_another_use() {
        let folder = tempfile::tempdir().unwrap();
        let of = |auth: &str| {
            let (subject, config) = site(folder.path(), auth);
            missing(&subject, &config)
        };
        let init = "filterctl ladder init --guessed --conf /nonexistent/site.conf".to_owned();
        let lost = (State::Warning, "guesses: open".to_owned(), Some(init));
        let line = |word: &str| format!("auth optional pam_nearmiss.so {word}\n");
        assert_eq!(of("auth required pam_unix.so\n"), []);
        assert_eq!(of(&line("failed")), std::slice::from_ref(&lost));
        assert_eq!(of(&line("passed")), std::slice::from_ref(&lost));
        let (subject, mut config) = site(folder.path(), &line("passed"));
        config.dictionaries = vec![DictionaryRule { logins: true, ..DictionaryRule::new("/f".into()) }];
        assert_eq!(missing(&subject, &config), [], "the line looks passwords up in a filter");
        config.dictionaries.clear();
        config.fleet.guessed = folder.path().join("etc");
        assert_eq!(missing(&subject, &config), [], "the line looks passwords up in the fleet's ladder");
        fs::write(folder.path().join("etc/pam.d/common-auth"), line("failed")).unwrap();
        assert_eq!(missing(&subject, &config), [lost], "failed logins are counted here first");
    }

    /// A ladder that cannot be looked at is not one that is not there.
    #[test]
    fn a_ladder_of_guesses_that_cannot_be_looked_at_is_a_finding() {
        let folder = tempfile::tempdir().unwrap();
        let (subject, mut config) = site(folder.path(), "");
        std::os::unix::fs::symlink("circle", folder.path().join("circle")).unwrap();
        config.guesses.file = folder.path().join("circle/guessed");
        let found = examine(&subject, &config);
        let found: Vec<_> = found.iter().map(|finding| (finding.state, finding.check.as_str())).collect();
        assert_eq!(found, [(State::Fine, "ladder"), (State::Wrong, "guesses: open")]);
    }

    /// The fix for a usable ladder changes its mode; an unusable ladder is replaced.
    #[test]
    fn a_ladder_that_cannot_be_opened_has_the_command_for_its_reason() {
        let folder = tempfile::tempdir().unwrap();
        let files = LadderFiles { file: folder.path().join("s/l"), key: folder.path().join("k/l") };
        let params = Params::new(1 << 15, 16, 16, 2).unwrap();
        create(&files, &NewLadder { params, cost: None, stamps: 0 }, false).unwrap();
        let first = || opened(Path::new("/"), ChosenLadder::open(&files), &files, "make it").1.remove(0);
        assert_eq!((first().state, first().fix), (State::Fine, None));
        fs::set_permissions(&files.file, fs::Permissions::from_mode(0o640)).unwrap();
        let private = remedy::on_files("chmod 0600", [files.file.as_path()]);
        assert_eq!((first().state, first().fix), (State::Wrong, Some(private)));
        fs::set_permissions(&files.file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&files.file, "no ladder").unwrap();
        let look = remedy::on_files("ls -l", [files.file.as_path()]);
        assert_eq!(
            (first().state, first().fix),
            (State::Wrong, Some(look)),
            "another file is never replaced"
        );
        fs::write(&files.file, "NMLADDER and no more").unwrap();
        assert_eq!((first().state, first().fix.as_deref()), (State::Wrong, Some("make it")));
    }
}
