//! The age of the leaked passwords, and the result of the last run.

use std::path::Path;

use nearmiss_cli::clock::{now, seconds_since};

use super::filter::{BreachState, Places};
use crate::report::family::Family;

/// The families of leaked passwords.
pub(crate) fn families(root: &Path) -> [Family; 4] {
    let places = Places::below(root);
    let mut on = Family::new("nearmiss_breaches_enabled", "Whether leaked passwords are switched on.");
    let mut age = Family::new(
        "nearmiss_breaches_age_seconds",
        "Age of the corpus: time since nearmiss-fetch last succeeded; negative for a time in the future.",
    );
    let mut at = Family::new("nearmiss_breaches_run_timestamp_seconds", "When nearmiss-fetch last ended.");
    let mut failed =
        Family::new("nearmiss_breaches_run_failed", "Whether the last run of nearmiss-fetch failed.");
    if places.see_that_they_stay().is_err() {
        return [on, age, at, failed];
    }
    if let Ok(is_on) = places.is_on() {
        on.add(&[], is_on);
    }
    if let Ok(Some(state)) = BreachState::read(&places) {
        if let Some(fresh) = state.fresh {
            age.add(&[], seconds_since(fresh, now()));
        }
        at.add(&[], state.ended);
        failed.add(&[], state.failed.is_some());
    }
    [on, age, at, failed]
}
