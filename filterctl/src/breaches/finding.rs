//! Leaked passwords: whether what the switch says is what happens, and the age of the corpus.

use std::path::Path;

use nearmiss_cli::{
    clock::{ago, now},
    finding::Finding,
    keys,
};
use nearmiss_policy::config::Config;

use crate::{
    breaches::{
        TIMER, TIMER_TARGET,
        filter::{BreachState, MAX_AGE_DAYS, Places},
    },
    host::{shell::in_root, systemd},
};

const CHECK: &str = "breaches";

/// Examines leaked passwords: the switch, the settings that use their filter, what fetches it, and its age.
/// Nothing is found where they are off and unused.
pub(crate) fn examine(root: &Path, config: &Config) -> Vec<Finding> {
    let places = Places::below(root);
    if let Err(error) = places.see_that_they_stay() {
        let message = format!("leaked passwords are not examined: {error}");
        return vec![Finding::unjudged(&error, CHECK, message)];
    }
    let is_used = places.are_checked_by(config);
    match places.is_on() {
        Ok(false) if is_used && places.drop_in.exists() => {
            let message = "leaked passwords are switched off, but the settings name their filter, which \
                           nothing keeps up to date";
            let fix = in_root(root, "filterctl breaches disable");
            vec![Finding::warning(keys::BREACHES_UNUSED, CHECK, message).fix(fix)]
        }
        Ok(false) => Vec::new(),
        Ok(true) => {
            let parts = [unused(&places, is_used), unscheduled(root, &places), Some(age(&places))];
            parts.into_iter().flatten().collect()
        }
        Err(error) => {
            let message = format!("not known whether leaked passwords are switched on: {error}");
            vec![Finding::unjudged(keys::NOT_ROOT, CHECK, message).fix("sudo filterctl doctor")]
        }
    }
}

/// The switch says that passwords are compared, and they are not.
fn unused(places: &Places, is_used: bool) -> Option<Finding> {
    if is_used || !places.filter.exists() {
        return None;
    }
    let message = format!(
        "leaked passwords are switched on, but no setting names {}: no password is compared with them",
        places.filter.display()
    );
    Some(Finding::wrong(keys::BREACHES_UNUSED, CHECK, message).fix(places.restore()))
}

/// Nothing fetches. Where systemd does not run, cron's script needs no switch.
fn unscheduled(root: &Path, places: &Places) -> Option<Finding> {
    let is_systemd = systemd::runs(root) || places.script().is_none();
    if !is_systemd || systemd::is_enabled(root, TIMER_TARGET, TIMER) || !places.timer.exists() {
        return None;
    }
    let message =
        format!("leaked passwords are switched on, but {TIMER} is not enabled: nothing fetches them");
    let now = if root == Path::new("/") { "--now " } else { "" };
    let fix = systemd::enabling(root, TIMER, now);
    Some(Finding::warning(keys::UNIT_DISABLED, CHECK, message).fix(fix))
}

fn age(places: &Places) -> Finding {
    let fetch = places.fetch();
    let state = match BreachState::read(places) {
        Ok(state) => state.unwrap_or_default(),
        Err(error) => return Finding::warning(&error, CHECK, error.to_string()).fix(fetch),
    };
    let failed =
        state.failed.as_ref().map_or_else(String::new, |reason| format!("; the last run failed: {reason}"));
    let Some(days) = state.age_days(now()) else {
        let is_installed =
            if places.is_fetched() { "are not installed" } else { "have not been fetched yet" };
        let message = format!("leaked passwords are switched on, but {is_installed}{failed}");
        return Finding::warning(keys::BREACHES_STALE, CHECK, message).fix(places.restore());
    };
    let message = format!("leaked passwords were last fetched {}{failed}", ago(days));
    if days < 0 {
        return Finding::clock_ahead(CHECK, &message);
    }
    if days > MAX_AGE_DAYS || state.failed.is_some() {
        Finding::warning(keys::BREACHES_STALE, CHECK, message).fix(fetch)
    } else {
        Finding::fine(CHECK, message)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::breaches::filter::FETCHED;
    use nearmiss_cli::{finding::State, keys::MessageKey};
    use nearmiss_policy::config::DictionaryRule;

    fn of_age(root: &Path) -> Finding {
        examine(root, &Config::default()).pop().unwrap()
    }

    #[test]
    fn a_corpus_that_is_old_or_missing_is_a_warning_where_it_is_switched_on() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::below(folder.path());
        assert!(examine(folder.path(), &Config::default()).is_empty());
        for file in [&places.options, &places.state] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        fs::write(&places.options, "").unwrap();
        assert_eq!(of_age(folder.path()).state, State::Warning);
        // Without systemd, its command would not help.
        let fix = || of_age(folder.path()).fix.unwrap();
        let there = |command: &str| in_root(folder.path(), command);
        assert_eq!(fix(), there("systemctl start nearmiss-fetch.service"));
        fs::create_dir_all(folder.path().join("etc/cron.weekly")).unwrap();
        fs::write(folder.path().join("etc/cron.weekly/nearmiss-fetch"), "").unwrap();
        assert_eq!(fix(), there("/etc/cron.weekly/nearmiss-fetch"));
        fs::create_dir_all(folder.path().join("run/systemd/system")).unwrap();
        assert_eq!(fix(), there("systemctl start nearmiss-fetch.service"));
        let of_days = |days: u64, failed: Option<&str>| {
            let (fresh, failed) = (Some(now() - days * 86_400), failed.map(str::to_owned));
            BreachState { failed, fresh, ..BreachState::default() }.write(&places).unwrap();
            of_age(folder.path())
        };
        let states = [0, 45, 46].map(|days| of_days(days, None).state);
        assert_eq!(states, [State::Fine, State::Fine, State::Warning]);
        let fresh = Some(now() + 3 * 86_400 + 60);
        BreachState { fresh, ..BreachState::default() }.write(&places).unwrap();
        let ahead = of_age(folder.path());
        assert_eq!((ahead.state, ahead.key.as_deref()), (State::Warning, Some("clock-ahead")));
        assert!(ahead.message.contains("fetched 3 days in the future; this host's clock is"), "{ahead:?}");
        let failed = of_days(0, Some("no route"));
        assert_eq!(failed.state, State::Warning);
        assert!(failed.message.contains("fetched 0 days ago; the last run failed: no route"), "{failed:?}");
        fs::write(&places.state, "{}").unwrap();
        assert_eq!(of_age(folder.path()).state, State::Warning);
    }

    /// What is judged is what happens: the settings and the timer, not the switch alone.
    #[test]
    fn a_switch_that_nothing_follows_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let (root, places) = (folder.path(), Places::below(folder.path()));
        for file in [&places.options, &places.filter, &places.timer, &places.drop_in] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        let found = |config: &Config| {
            let findings = examine(root, config).into_iter();
            findings.map(|finding| (finding.key.unwrap(), finding.state)).collect::<Vec<_>>()
        };
        let unused = Config::default();
        let dictionaries = vec![DictionaryRule::new(places.filter.clone())];
        let used = Config { dictionaries, ..Config::default() };
        let key = |key: MessageKey| key.as_str().to_owned();
        let stale = (key(keys::BREACHES_STALE), State::Warning);
        let disabled = (key(keys::UNIT_DISABLED), State::Warning);
        fs::write(&places.options, "").unwrap();
        assert_eq!(found(&unused), vec![stale.clone()], "nothing is fetched, and there is no timer");
        fs::write(&places.filter, "").unwrap();
        assert_eq!(found(&unused), [(key(keys::BREACHES_UNUSED), State::Wrong), stale.clone()]);
        assert_eq!(found(&used), vec![stale.clone()]);
        fs::write(&places.timer, "").unwrap();
        assert_eq!(found(&used), [disabled, stale.clone()]);
        systemd::enable(root, TIMER_TARGET, TIMER).unwrap();
        assert_eq!(found(&used), [stale]);
        fs::remove_file(&places.options).unwrap();
        assert_eq!(found(&used), [], "a filter that the administrator hands out");
        fs::write(&places.drop_in, "").unwrap();
        assert_eq!(found(&used), [(key(keys::BREACHES_UNUSED), State::Warning)]);
    }

    #[test]
    fn what_was_fetched_and_is_not_installed_is_named_with_the_command_that_installs_it() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::below(folder.path());
        for file in [&places.options, &places.fetched.join(FETCHED)] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
        let finding = of_age(folder.path());
        assert!(finding.message.ends_with("are not installed"), "{finding:?}");
        assert_eq!(finding.fix, Some(in_root(folder.path(), "filterctl breaches install")));
    }
}
