//! Leaked passwords: how fresh they are, and how the last run ended.

use std::path::Path;

use nearmiss_cli::clock::now;

use super::filter::{BreachState, Places};
use crate::report::family::Family;

/// The families of leaked passwords.
pub(crate) fn families(root: &Path) -> [Family; 4] {
    let places = Places::below(root);
    let on = Family::new("nearmiss_breaches_enabled", "Whether leaked passwords are switched on.");
    let mut age = Family::new(
        "nearmiss_breaches_age_seconds",
        "Time since a run of nearmiss-fetch ended well: how old the corpus is.",
    );
    let mut at = Family::new("nearmiss_breaches_run_timestamp_seconds", "When nearmiss-fetch last ended.");
    let mut failed = Family::new("nearmiss_breaches_run_failed", "Whether that run failed.");
    if let Ok(Some(state)) = BreachState::read(&places) {
        if let Some(fresh) = state.fresh {
            age.add(&[], now().saturating_sub(fresh));
        }
        at.add(&[], state.ended);
        failed.add(&[], state.failed.is_some());
    }
    [on.with(&[], places.is_on()), age, at, failed]
}
