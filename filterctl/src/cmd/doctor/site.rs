//! The configuration, and what it does with a password.

use std::path::{Path, PathBuf};

use nearmiss_filters::{
    config::{self, Config, Enforce, LogRule},
    dictionary::sizing::MANY_NEAR_WORDS,
    policy::Context,
    site::{Cause, Site, Unusable},
};

use super::{Finding, State};
use crate::{
    configuration::{self, crowding},
    user,
};

/// A password that the packaged filter, and nearly every other, rejects.
const WEAK: &[u8] = b"password1";

/// One that no list has: of characters without a meaning.
const GOOD: &[u8] = b"Vq7#mzt0Lp2x-fjord-8842";

/// What the configuration enforces.
pub(super) fn settings(config: &Config, path: &Path) -> Finding {
    let check = "settings";
    let level = config.strictest();
    let main = main_file(path);
    let path = main.as_deref().unwrap_or(path).display();
    if level != Enforce::Reject {
        let name = level.name();
        let text = format!(
            "enforce = \"{name}\": weak passwords are accepted; filterctl config names what says so, \
             \"reject\" enforces"
        );
        return Finding::new(check, State::Warning, text);
    }
    if config.log == LogRule::None {
        let text = "log = \"none\": no decision is logged; filterctl config names what says so";
        return Finding::new(check, State::Warning, text);
    }
    if main.is_none() {
        return Finding::fine(check, format!("there is no {path}; the defaults reject weak passwords"));
    }
    Finding::fine(check, format!("{path} can be read; weak passwords are rejected"))
}

/// The main file that is read: this one, or the vendor's in its place.
fn main_file(path: &Path) -> Option<PathBuf> {
    let (first, _) = config::files(path).ok()?.into_iter().next()?;
    config::main_files(path).any(|main| main == first).then_some(first)
}

/// What keeps the filter from being built again.
pub(super) fn update(path: &Path) -> Option<Finding> {
    let mistake = configuration::update_rules(path).err()?;
    Some(Finding::wrong("settings", format!("{mistake}; filterctl update leaves the filter as it is")))
}

/// A part of the check that cannot be used: what that means, and what mends it.
fn unusable_part(unusable: &Unusable) -> Finding {
    let told = unusable.to_string();
    if unusable.cause == Cause::OutOfReach {
        return Finding::new("check", State::Warning, format!("{told}; run filterctl as root"));
    }
    let remedy = match unusable.cause {
        Cause::Filter => "; filterctl update builds the packaged filter, filterctl install replaces another",
        Cause::Ladder => "; filterctl ladder init --mend keeps ladder and key aside and makes new ones",
        _ => "",
    };
    let meaning = if unusable.is_allowed {
        "passwords are accepted without this part of the check"
    } else {
        "users cannot change passwords"
    };
    Finding::wrong("check", format!("{told}; {meaning}{remedy}"))
}

/// What would be decided now.
pub(super) fn verdicts(config: &Config) -> Vec<Finding> {
    let site = Site::new(config.clone());
    let host = user::host_name();
    let context = Context { host: &host, ..Context::default() };
    let mut findings: Vec<Finding> = site.unusable().iter().map(unusable_part).collect();
    if !findings.is_empty() {
        return findings;
    }
    let weak = site.decide(WEAK, &context).finding.is_some();
    let good = site.decide(GOOD, &context);
    findings.push(match (weak, good.finding.is_none() && good.failures.is_empty()) {
        (true, true) => Finding::fine("check", "a weak password is found weak, and a good one is accepted"),
        (false, _) => Finding::new(
            "check",
            State::Warning,
            "\"password1\" is accepted: no dictionary here has common passwords; see filterctl update",
        ),
        (true, false) => Finding::wrong("check", "a random password of 23 characters is rejected"),
    });
    let min_length = config.policy.min_length;
    findings.extend(site.crowded().map(|path| {
        let told = crowding(&format!("more than {MANY_NEAR_WORDS}"), min_length);
        Finding::new("check", State::Warning, format!("{}: {told}", path.display()))
    }));
    findings
}
