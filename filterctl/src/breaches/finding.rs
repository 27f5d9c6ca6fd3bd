//! The age of the corpus of leaked passwords, if they are switched on.

use std::path::Path;

use nearmiss_cli::{clock::now, finding::Finding, keys};
use nearmiss_filters::text::system_reason;

use crate::{
    breaches::filter::{BreachState, MAX_AGE_DAYS, Places},
    report::counted,
};

const CHECK: &str = "breaches";

/// Examines the age of the corpus; none if leaked passwords are switched off.
pub(crate) fn examine(root: &Path) -> Option<Finding> {
    let places = Places::below(root);
    match places.known_on() {
        Ok(true) => {}
        Ok(false) => return None,
        Err(error) => {
            let message = format!("leaked passwords were not examined: {}", system_reason(&error));
            return Some(Finding::unjudged(keys::NOT_ROOT, CHECK, message).fix("sudo filterctl doctor"));
        }
    }
    let fetch = places.fetch();
    let state = match BreachState::read(&places) {
        Ok(state) => state.unwrap_or_default(),
        Err(error) => return Some(Finding::warning(&error, CHECK, error.to_string()).fix(fetch)),
    };
    let failed =
        state.failed.as_ref().map_or_else(String::new, |reason| format!("; the last run failed: {reason}"));
    let Some(days) = state.age_days(now()) else {
        let message = format!("leaked passwords are switched on, but none have been fetched yet{failed}");
        return Some(Finding::warning(keys::BREACHES_STALE, CHECK, message).fix(fetch));
    };
    let message = format!("leaked passwords were last fetched {} ago{failed}", counted(days, "day"));
    Some(if days > MAX_AGE_DAYS || state.failed.is_some() {
        Finding::warning(keys::BREACHES_STALE, CHECK, message).fix(fetch)
    } else {
        Finding::fine(CHECK, message)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use nearmiss_cli::finding::State;

    #[test]
    fn a_corpus_that_is_old_or_missing_is_a_warning_where_it_is_switched_on() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places::below(folder.path());
        assert!(examine(folder.path()).is_none());
        for file in [&places.options, &places.state] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        fs::write(&places.options, "").unwrap();
        assert_eq!(examine(folder.path()).unwrap().state, State::Warning);
        // Without systemd, its command would not help.
        let fix = || examine(folder.path()).unwrap().fix.unwrap();
        assert_eq!(fix(), "systemctl start nearmiss-fetch.service");
        fs::create_dir_all(folder.path().join("etc/cron.weekly")).unwrap();
        fs::write(folder.path().join("etc/cron.weekly/nearmiss-fetch"), "").unwrap();
        assert_eq!(fix(), "/etc/cron.weekly/nearmiss-fetch");
        fs::create_dir_all(folder.path().join("run/systemd/system")).unwrap();
        assert_eq!(fix(), "systemctl start nearmiss-fetch.service");
        let of_days = |days: u64, failed: Option<&str>| {
            let (fresh, failed) = (Some(now() - days * 86_400), failed.map(str::to_owned));
            BreachState { failed, fresh, ..BreachState::default() }.write(&places).unwrap();
            examine(folder.path()).unwrap()
        };
        let states = [0, 45, 46].map(|days| of_days(days, None).state);
        assert_eq!(states, [State::Fine, State::Fine, State::Warning]);
        let failed = of_days(0, Some("no route"));
        assert_eq!(failed.state, State::Warning);
        assert!(failed.message.contains("fetched 0 days ago; the last run failed: no route"), "{failed:?}");
        fs::write(&places.state, "{}").unwrap();
        assert_eq!(examine(folder.path()).unwrap().state, State::Warning);
    }
}
