//! The site's current verdicts: a weak password and random ones are checked as in a change; a part that
//! cannot be used is a finding.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::{
    dictionary::{DictionaryFilter, Loading, Problem, sizing::MANY_NEAR_WORDS},
    ladder::{ChosenLadder, FleetLadder, GuessLadder, LadderError, LadderFiles, SeenFailures},
    storage::{Act, StorageError},
};
use nearmiss_policy::{
    config::{Config, DEFAULT_DICTIONARY, Enforce},
    policy::Context,
    site::{Cause, Decision, Site, Trouble, Unusable},
};

use crate::{
    breaches,
    configuration::crowding,
    doctor::{Subject, probe, remedy},
    host::{
        fleet_agent::{self, NoReport},
        user::is_unseen,
    },
};

const CHECK: &str = "check";

/// The number of random passwords. Pages are read one by one elsewhere; each of these passwords may wait for
/// the slow hash of a ladder.
const RANDOM: usize = 2;

/// Queries the site, on the host of this name.
pub(super) fn examine(subject: &Subject, config: &Config, host: &[u8]) -> Vec<Finding> {
    let site = Site::new(config.clone());
    let opened = site.unusable();
    if !opened.is_empty() {
        // A folder on the path of several filters is a part for each of them.
        let earlier = |at: usize, part: &Unusable| {
            opened.iter().take(at).filter(|other| other.detail == part.detail).count()
        };
        let finding = |(at, part)| unusable(subject, config, part, earlier(at, part));
        return opened.iter().enumerate().map(finding).collect();
    }
    let context = Context { host, ..Context::default() };
    let weak = site.decide(probe::WEAK.as_bytes(), &context);
    let random: Vec<Decision> =
        probe::random(RANDOM).iter().map(|password| site.decide(password.as_bytes(), &context)).collect();
    let mut failures: Vec<&Unusable> = Vec::new();
    for failure in [&weak].into_iter().chain(&random).flat_map(|decision| &decision.failures) {
        if !failures.contains(&failure) {
            failures.push(failure);
        }
    }
    let mut findings: Vec<Finding> =
        failures.iter().map(|failure| unusable(subject, config, failure, 0)).collect();
    findings.extend(judge(subject, config, &weak, &random, findings.is_empty()));
    findings.extend(site.crowded().map(|path| crowded(subject, path, config.policy.min_length)));
    findings
}

/// The fix for a part of the check without which no password is accepted.
pub(in crate::doctor) fn fix_of_unusable(subject: &Subject, config: &Config) -> Option<String> {
    let site = Site::new(config.clone());
    let mut refusing = site.unusable().into_iter().filter(|part| !part.is_allowed);
    refusing.find_map(|part| fix(subject, config, &part, 0))
}

/// Evaluates the verdicts. Without a page or a ladder, a password may be accepted that would be rejected with
/// it; then only the failures are reported.
fn judge(
    subject: &Subject,
    config: &Config,
    weak: &Decision,
    random: &[Decision],
    is_complete: bool,
) -> Option<Finding> {
    if let Some(finding) = random.iter().find_map(|decision| decision.finding.as_ref()) {
        let message =
            format!("a random password of {} characters is rejected: {}", probe::LENGTH, finding.reason);
        return Some(Finding::wrong(keys::FILTER_ACCIDENTS, CHECK, message).fix("filterctl check --explain"));
    }
    if !is_complete {
        return None;
    }
    if weak.finding.is_some() && weak.enforce != Enforce::Reject {
        let level = weak.enforce.name();
        let message = format!("\"{}\" is found weak, and accepted: enforce = \"{level}\"", probe::WEAK);
        let finding = Finding::warning(keys::SETTINGS_WEAK, CHECK, message);
        return Some(finding.fix(subject.changed_settings()));
    }
    if weak.finding.is_some() {
        return Some(Finding::fine(CHECK, "a weak password is rejected, and random ones are accepted"));
    }
    let is_packaged = config.dictionaries.iter().any(|rule| rule.file == Path::new(DEFAULT_DICTIONARY));
    let message = format!("\"{}\" is accepted: no dictionary of this host has common passwords", probe::WEAK);
    let fix = if is_packaged { subject.command("update --force") } else { subject.changed_settings() };
    Some(Finding::warning(keys::FILTER_LACKS_COMMON, CHECK, message).fix(fix))
}

/// The finding for a part of the check that cannot be used, of which so many `earlier` ones have the same
/// reason: the effect and the fix.
fn unusable(subject: &Subject, config: &Config, unusable: &Unusable, earlier: usize) -> Finding {
    if unusable.is_out_of_reach || is_unseen(unusable) {
        return Finding::warning(keys::NOT_ROOT, CHECK, format!("{unusable}; it was not examined"))
            .fix("sudo filterctl doctor");
    }
    let check = match unusable.cause {
        Cause::Filter => "filter",
        Cause::Ladder if unusable.is_of_fleet => "fleet",
        Cause::Ladder | Cause::Guesses => "ladder",
        Cause::Configuration | Cause::Fault => CHECK,
    };
    let meaning = if unusable.is_allowed {
        "passwords are accepted without this part of the check"
    } else {
        "users cannot change passwords"
    };
    let file = named(config, unusable, earlier).map(|file| file.display().to_string());
    let file = file.filter(|file| !unusable.detail.starts_with(file.as_str()));
    let place = file.map_or_else(String::new, |file| format!("{file}: "));
    let finding = Finding::wrong(unusable.key, check, format!("{place}{unusable}; {meaning}"));
    match fix(subject, config, unusable, earlier) {
        Some(line) => finding.fix(line),
        None => finding,
    }
}

/// The filter that cannot be used; the cause may be a folder on its path, and on that of `earlier` ones.
fn named<'c>(config: &'c Config, unusable: &Unusable, earlier: usize) -> Option<&'c Path> {
    let place = unusable.detail.split(": ").next().filter(|_| unusable.cause == Cause::Filter)?;
    let mut files = config.dictionaries.iter().map(|rule| rule.file.as_path());
    files.clone().filter(|file| file.starts_with(place)).nth(earlier).or_else(|| {
        // What a link leads to has another path.
        files.find(|file| of_storage(file).is_some_and(|error| error.path == Path::new(place)))
    })
}

fn fix(subject: &Subject, config: &Config, unusable: &Unusable, earlier: usize) -> Option<String> {
    if is_agent_hung(config, unusable) {
        return Some(remedy::RESTART_AGENT.to_owned());
    }
    match unusable.cause {
        Cause::Filter => {
            let file = named(config, unusable, earlier)?;
            breaches::remedy(&subject.root, file).or_else(|| Some(of_filter(file)))
        }
        Cause::Ladder if unusable.is_of_fleet => Some(of_fleet(subject, config, unusable)),
        Cause::Ladder => {
            let error = ChosenLadder::open(&config.ladder).err();
            Some(of_ladder(unusable, error.as_ref(), &config.ladder, subject.command("ladder init --fix")))
        }
        Cause::Guesses => {
            let files = config.guess_files();
            // The part is the ladder, or the record of the failures that feed it.
            let seen = || SeenFailures::open(&config.guesses.seen).err();
            let error = GuessLadder::open(&files).err().or_else(seen);
            Some(of_ladder(unusable, error.as_ref(), &files, subject.command("ladder init --guessed --fix")))
        }
        Cause::Configuration | Cause::Fault => None,
    }
}

/// The fix for a ladder, by the error that it has now. A failure of the system that is over needs none.
fn of_ladder(unusable: &Unusable, error: Option<&LadderError>, files: &LadderFiles, anew: String) -> String {
    match error {
        Some(error) => remedy::of_ladder(error, files, anew),
        None if unusable.trouble == Trouble::System => remedy::AGAIN.to_owned(),
        None => anew,
    }
}

/// The same for a ladder of a fleet: several descriptors may have faults, this part is about one.
fn of_fleet(subject: &Subject, config: &Config, unusable: &Unusable) -> String {
    let error_of = |file| FleetLadder::open(file).err().map(|error| (file, error));
    let mut failed = config.fleet.descriptors().filter_map(error_of);
    match failed.find(|(_, error)| error.to_string() == unusable.detail) {
        Some((file, error)) => {
            remedy::of_fleet(&error, file, remedy::join(subject, config, file, " --replace"))
        }
        None if unusable.trouble == Trouble::System => remedy::AGAIN.to_owned(),
        None => remedy::join(subject, config, Path::new(""), " --replace"),
    }
}

/// True if the part is the agent's socket, and nobody replies on it.
fn is_agent_hung(config: &Config, unusable: &Unusable) -> bool {
    let socket = &config.fleet.socket;
    unusable.detail.starts_with(&format!("{}:", socket.display()))
        && matches!(fleet_agent::ask(socket, None), Err(NoReport::Hung(_)))
}

/// The fix for a file with the wrong owner or mode, which keeps its content.
fn of_filter(file: &Path) -> String {
    let Some(error) = of_storage(file) else { return remedy::of_filter(file) };
    // No update replaces what is no file.
    if matches!(error.act, Act::NotRegular | Act::DanglingLink) && error.path == file {
        let aside = format!("{}.aside", file.display());
        return remedy::on_files("mv", [file, Path::new(&aside)]) + " && " + &remedy::of_filter(file);
    }
    remedy::of_storage(&error).unwrap_or_else(|| remedy::of_filter(file))
}

/// The reason why the walk to a filter ends.
fn of_storage(file: &Path) -> Option<StorageError> {
    match DictionaryFilter::open(file, Loading::Mapped).map_err(|error| error.problem) {
        Err(Problem::Storage(error)) => Some(error),
        _ => None,
    }
}

fn crowded(subject: &Subject, path: &Path, min_length: usize) -> Finding {
    let message = crowding(&format!("more than {MANY_NEAR_WORDS}"), min_length);
    Finding::warning(keys::FILTER_CROWDED, CHECK, format!("{}: {message}", path.display()))
        .fix(subject.changed_settings())
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, Permissions},
        os::unix::fs::PermissionsExt,
    };

    use super::*;
    use crate::doctor::sample;
    use nearmiss_cli::finding::State;

    fn subject() -> Subject {
        sample::subject(Path::new("/nonexistent"))
    }

    /// A site with these filters and no ladder.
    fn config(filters: &[&str]) -> Config {
        let filters: Vec<&Path> = filters.iter().map(Path::new).collect();
        sample::config("", &filters)
    }

    fn of_filter_with(detail: &str) -> Unusable {
        let (detail, key) = (detail.to_owned(), keys::FILTER_DAMAGED);
        Unusable { cause: Cause::Filter, trouble: Trouble::Damaged, detail, key, ..Unusable::fault() }
    }

    /// A change knows the name of the host, too.
    #[test]
    fn a_password_that_has_the_hosts_name_is_weak() {
        let state = |host: &[u8]| {
            let found = examine(&subject(), &config(&[]), host);
            assert_eq!(found.len(), 1, "{found:?}");
            found[0].state
        };
        assert_eq!((state(b"www"), state(b"password")), (State::Warning, State::Fine));
    }

    #[test]
    fn a_site_that_knows_no_common_password_updates_the_packaged_filter_or_looks_at_its_settings() {
        let accepted = Decision { finding: None, enforce: Enforce::Reject, failures: Vec::new() };
        for (filters, fix) in [
            (&[DEFAULT_DICTIONARY, "/srv/own.filter"][..], "update --force"),
            (&["/srv/own.filter"], "config --changed"),
            (&[], "config --changed"),
        ] {
            let found = judge(&subject(), &config(filters), &accepted, &[], true).unwrap();
            let fix = Some(subject().command(fix));
            assert_eq!((found.state, found.fix), (State::Warning, fix), "{filters:?}");
        }
    }

    /// What is found weak at a level that accepts it is not rejected.
    #[test]
    fn a_weak_password_that_is_only_logged_is_no_rejection() {
        let config = |settings: &str| sample::config(settings, &[]);
        let found = |settings: &str| examine(&subject(), &config(settings), b"password").remove(0);
        let fine = found("");
        assert_eq!((fine.state, fine.key), (State::Fine, None));
        let weak = found("enforce = \"audit\"");
        assert_eq!(weak.state, State::Warning, "{weak:?}");
        assert_eq!(weak.message, "\"password1\" is found weak, and accepted: enforce = \"audit\"");
    }

    #[test]
    fn a_filter_that_cannot_be_used_is_named_once() {
        let config = config(&["/srv/a.filter", "/srv/lists/b.filter"]);
        for (detail, says) in [
            ("/srv/a.filter: is damaged", "/srv/a.filter: is damaged; "),
            ("/srv/lists: can be written by others", "/srv/lists/b.filter: /srv/lists: can be written by "),
            ("a dictionary: page 7 is damaged", "a dictionary: page 7 is damaged; "),
        ] {
            let message = unusable(&subject(), &config, &of_filter_with(detail), 0).message;
            assert!(message.starts_with(says), "{message}");
        }
    }

    #[test]
    fn each_filter_in_a_folder_that_is_missing_is_named() {
        let config = config(&["/none/a.filter", "/none/b.filter"]);
        let found = examine(&subject(), &config, b"www");
        let [first, second] = found.as_slice() else { panic!("{found:?}") };
        for (finding, file) in [(first, "/none/a.filter"), (second, "/none/b.filter")] {
            assert!(finding.message.starts_with(&format!("{file}: ")), "{finding:?}");
            assert!(finding.fix.as_ref().is_some_and(|fix| fix.ends_with(file)), "{finding:?}");
        }
    }

    #[test]
    fn a_ladder_is_fixed_by_who_makes_it_and_one_of_root_is_looked_at_by_root() {
        let ladder = Unusable { cause: Cause::Ladder, ..of_filter_with("/l: is damaged") };
        let fleets = Unusable { is_of_fleet: true, ..ladder.clone() };
        let roots = Unusable { is_out_of_reach: true, is_allowed: true, ..ladder.clone() };
        for (part, state, check, fix) in [
            (ladder, State::Wrong, "ladder", subject().command("ladder init --fix")),
            (fleets, State::Wrong, "fleet", subject().command("fleet join --replace BUNDLE")),
            (roots, State::Warning, "check", "sudo filterctl doctor".to_owned()),
        ] {
            let found = unusable(&subject(), &config(&[]), &part, 0);
            assert_eq!((found.state, found.check.as_str(), found.fix), (state, check, Some(fix)));
        }
    }

    /// What keeps users from a change is fixed where it is, not at the line of the stack that refuses.
    #[test]
    fn the_part_that_refuses_every_password_has_its_fix() {
        let folder = tempfile::tempdir().unwrap();
        let filter = folder.path().join("own.filter");
        let path = filter.to_str().unwrap();
        fs::write(&filter, b"\x89NMF\r\n\x1a\n damaged").unwrap();
        let fix =
            |settings: &str| fix_of_unusable(&subject(), &sample::config(settings, &[filter.as_path()]));
        assert_eq!(fix(""), Some(format!("filterctl install NEW.filter {path}")));
        fs::set_permissions(&filter, Permissions::from_mode(0o666)).unwrap();
        assert_eq!(fix(""), Some(format!("chmod go-w {path}")));
        assert_eq!(fix("on_error = \"allow\""), None);
        assert_eq!(fix_of_unusable(&subject(), &config(&[])), None);
    }

    /// A file with only the wrong mode is not recreated, since that would lose its content.
    #[test]
    fn a_file_that_others_may_write_is_closed_to_them_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let [filter, ladder] = ["own.filter", "chosen.ladder"].map(|name| folder.path().join(name));
        for file in [&filter, &ladder] {
            fs::write(file, [0; 4096]).unwrap();
            fs::set_permissions(file, Permissions::from_mode(0o666)).unwrap();
        }
        let mut config = config(&[filter.to_str().unwrap()]);
        config.ladder.file.clone_from(&ladder);
        config.ladder.key.clone_from(&ladder);
        config.guesses.file.clone_from(&ladder);
        for (cause, file) in [(Cause::Filter, &filter), (Cause::Ladder, &ladder), (Cause::Guesses, &ladder)] {
            let path = file.display().to_string();
            let unusable = Unusable { cause, ..of_filter_with(&path) };
            let command = if cause == Cause::Filter { "chmod go-w" } else { "chmod 0600" };
            assert_eq!(fix(&subject(), &config, &unusable, 0), Some(format!("{command} {path}")));
        }
    }
}
