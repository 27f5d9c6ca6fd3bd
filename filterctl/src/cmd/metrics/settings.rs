//! The configuration's findings.

use nearmiss_cli::failure::Failure;
use nearmiss_policy::config::{Config, Enforce, LogRule};

use crate::{host::user::is_unseen, report::family::Family};

/// The families of the configuration; most have no sample if it cannot be read.
pub(super) fn families(config: Result<&Config, &Failure>) -> [Family; 3] {
    let mut readable =
        Family::new("nearmiss_configuration_readable", "Whether nearmiss.conf and its drop-ins can be read.");
    let mut level = Family::new(
        "nearmiss_enforcement",
        "1 for the mildest configured level of enforcement of any part: reject, warn or audit.",
    );
    let mut logged =
        Family::new("nearmiss_decisions_logged", "Whether rejected passwords and refusals are logged.");
    if !config.is_err_and(is_unseen) {
        readable.add(&[], config.is_ok());
    }
    if let Ok(config) = config {
        for own in Enforce::ALL {
            level.add(&[("level", own.name())], own == mildest(config));
        }
        logged.add(&[], config.log != LogRule::None);
    }
    [readable, level, logged]
}

/// The mildest level of the site, its dictionaries and its ladders.
fn mildest(config: &Config) -> Enforce {
    let dictionaries = config.dictionaries.iter().filter_map(|rule| rule.enforce);
    dictionaries.chain(config.ladder_enforce).chain([config.enforce]).max().unwrap_or_default()
}
