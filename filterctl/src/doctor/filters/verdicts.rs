//! The site's current verdicts: a weak password and random ones are checked as in a change; a part that
//! cannot be used is a finding.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::dictionary::sizing::MANY_NEAR_WORDS;
use nearmiss_policy::{
    config::{Config, DEFAULT_DICTIONARY, Enforce, at},
    policy::Context,
    site::{Cause, Decision, Site, Unusable},
};

use crate::{
    configuration::crowding,
    doctor::{Subject, part_fixes, probe},
    host::user::is_unseen,
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
    let random = probe::random(RANDOM, config.policy.min_length);
    let random: Vec<Decision> =
        random.iter().map(|password| site.decide(password.as_bytes(), &context)).collect();
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
        let message = format!("a long random password is rejected: {}", finding.reason);
        return Some(Finding::wrong(keys::FILTER_ACCIDENTS, CHECK, message).fix("filterctl check --explain"));
    }
    if !is_complete {
        return None;
    }
    if weak.finding.is_some() && weak.enforce != Enforce::Reject {
        let level = weak.enforce.name();
        let message = format!("\"{}\" is found weak, and accepted: enforce = \"{level}\"", probe::WEAK);
        let finding = Finding::warning(keys::SETTINGS_LEVEL, CHECK, message);
        return Some(finding.fix(subject.changed_settings()));
    }
    if weak.finding.is_some() {
        return Some(Finding::fine(CHECK, "a weak password is rejected, and random ones are accepted"));
    }
    let is_packaged = config
        .dictionaries
        .iter()
        .any(|rule| rule.file == at(&subject.conf_root, Path::new(DEFAULT_DICTIONARY)));
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
    let file = part_fixes::named(config, unusable, earlier).map(|file| file.display().to_string());
    let file = file.filter(|file| !unusable.detail.starts_with(file.as_str()));
    let place = file.map_or_else(String::new, |file| format!("{file}: "));
    let finding = Finding::wrong(unusable.key, check, format!("{place}{unusable}; {meaning}"));
    match part_fixes::fix(subject, config, unusable, earlier) {
        Some(line) => finding.fix(line),
        None => finding,
    }
}

fn crowded(subject: &Subject, path: &Path, min_length: usize) -> Finding {
    let message = crowding(&format!("more than {MANY_NEAR_WORDS}"), min_length);
    Finding::warning(keys::FILTER_CROWDED, CHECK, format!("{}: {message}", path.display()))
        .fix(subject.changed_settings())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;
    use nearmiss_cli::finding::State;
    use nearmiss_policy::site::Trouble;

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
        assert_eq!((weak.state, weak.key.as_deref()), (State::Warning, Some("settings-level")));
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
}
