//! The configuration: can it be read, and does it enforce?

use std::path::{Path, PathBuf};

use nearmiss_filters::config::{self, Config, ConfigError, Enforce, LogRule, UpdateRules};

use super::remedy;
use crate::finding::Finding;

const CHECK: &str = "settings";

/// Reads the configuration.
///
/// # Errors
/// The finding that says why it cannot be used.
pub(super) fn load(path: &Path) -> Result<Config, Finding> {
    Config::load(path).map_err(|error| unusable(&error, "users cannot change passwords"))
}

fn unusable(error: &ConfigError, meaning: &str) -> Finding {
    let finding = Finding::wrong(CHECK, format!("{error}; {meaning}"));
    match remedy::of_configuration(error) {
        Some(line) => finding.fix(line),
        None => finding,
    }
}

/// The rules that the filter is built by, and what keeps it from being built again.
pub(super) fn update(path: &Path) -> (UpdateRules, Option<Finding>) {
    match UpdateRules::load(path) {
        Ok(rules) => (rules, None),
        Err(mistake) => {
            let finding = unusable(&mistake, "filterctl update leaves the filter as it is");
            (UpdateRules::default(), Some(finding))
        }
    }
}

/// The configured enforcement.
pub(super) fn examine(config: &Config, path: &Path) -> Finding {
    let level = config.strictest();
    let main = main_file(path);
    let path = main.as_deref().unwrap_or(path).display();
    if level != Enforce::Reject {
        let name = level.name();
        return Finding::warning(CHECK, format!("enforce = \"{name}\": weak passwords are accepted"))
            .fix("filterctl config --changed");
    }
    if config.log == LogRule::None {
        return Finding::warning(CHECK, "log = \"none\": no decision is logged")
            .fix("filterctl config --changed");
    }
    if main.is_none() {
        return Finding::fine(CHECK, format!("there is no {path}; the defaults reject weak passwords"));
    }
    Finding::fine(CHECK, format!("{path} can be read; weak passwords are rejected"))
}

/// The main file that is read: this one, or the vendor's in its place.
fn main_file(path: &Path) -> Option<PathBuf> {
    let (first, _) = config::files(path).ok()?.into_iter().next()?;
    config::main_files(path).any(|main| main == first).then_some(first)
}
