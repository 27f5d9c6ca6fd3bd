//! The logins whose passwords were looked up.

use nearmiss_policy::{
    config::Config,
    site::{LoginCount, LoginCounts},
};

use crate::report::family::Family;

/// The logins with leaked passwords, and the others; no sample before the first login.
pub(super) fn family(config: Option<&Config>) -> Family {
    let mut logins = Family::new(
        "nearmiss_logins_total",
        "Logins since the host started, by the result of the password lookup: leaked, other, or unchecked.",
    );
    if let Some(counts) = config.and_then(|config| LoginCounts::beside(&config.guesses.seen)) {
        for (result, count) in [
            ("leaked", LoginCount::Leaked),
            ("other", LoginCount::Other),
            ("unchecked", LoginCount::Unchecked),
        ] {
            logins.add(&[("result", result)], counts.count(count));
        }
    }
    logins
}
