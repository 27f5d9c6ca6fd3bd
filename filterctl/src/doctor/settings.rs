//! The configuration: whether it can be read, and enforces.

mod readers;
mod weak;

use std::path::PathBuf;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::storage::Act;
use nearmiss_policy::config::{self, Config, ConfigError, LogRule, UpdateRules};

use super::{Subject, remedy};
use crate::host::{settings_file::SettingsFile, user::is_unseen};

const CHECK: &str = "settings";

/// Reads the configuration.
///
/// # Errors
/// A finding with the reason why it cannot be used.
pub(super) fn load(settings: &SettingsFile) -> Result<Config, Finding> {
    settings.read().map_err(|error| unusable(&error, "users cannot change passwords"))
}

fn unusable(error: &ConfigError, meaning: &str) -> Finding {
    if matches!(error, ConfigError::Storage(error) if error.act == Act::LeadsOut) {
        return Finding::unjudged(
            error,
            CHECK,
            format!("{error}; examine that system by a root with its files"),
        );
    }
    // What root reads is not known to be at fault.
    let meaning = if is_unseen(error) { String::new() } else { format!("; {meaning}") };
    let finding = Finding::wrong(error, CHECK, format!("{error}{meaning}"));
    match remedy::of_configuration(error) {
        Some(line) => finding.fix(line),
        None => finding,
    }
}

/// The rules for building the filter; a mistake in them prevents a rebuild.
pub(super) fn update(settings: &SettingsFile) -> (UpdateRules, Option<Finding>) {
    match UpdateRules::load_below(&settings.root, &settings.path) {
        Ok(rules) => (rules, None),
        Err(mistake) => {
            let finding = unusable(&mistake, "filterctl update does not rebuild the filter");
            (UpdateRules::default(), Some(finding))
        }
    }
}

/// The configured enforcement, and what is logged.
pub(super) fn examine(subject: &Subject, config: &Config) -> Vec<Finding> {
    let settings = subject.settings();
    let mut findings = weak::examine(subject, config);
    findings.extend(readers::examine(subject));
    if config.log == LogRule::None {
        let message = "log = \"none\": decisions are not logged";
        findings.push(Finding::warning(keys::SETTINGS_WEAK, CHECK, message).fix(subject.changed_settings()));
    }
    if !findings.is_empty() {
        return findings;
    }
    let main = main_file(&settings);
    let path = main.as_deref().unwrap_or(&settings.path).display();
    let message = match main {
        None => format!("{path} does not exist; the defaults reject weak passwords"),
        Some(_) => format!("{path} can be read; weak passwords are rejected"),
    };
    vec![Finding::fine(CHECK, message)]
}

/// The main file that is read: this one, or the vendor's instead.
fn main_file(settings: &SettingsFile) -> Option<PathBuf> {
    let SettingsFile { root, path } = settings;
    let (first, _) = config::files_below(root, path).ok()?.into_iter().next()?;
    config::main_files(root, path).any(|main| main == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use nearmiss_cli::finding::State;

    use super::*;
    use crate::doctor::sample;

    #[test]
    fn a_configuration_that_is_there_is_named_and_one_that_is_not_is_missed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.conf");
        let path = file.display();
        let subject = Subject { conf: file.clone(), ..sample::subject(Path::new("/")) };
        let says = || examine(&subject, &Config::default());
        let missed = format!("{path} does not exist; the defaults reject weak passwords");
        assert_eq!(says(), [Finding::fine(CHECK, missed)]);
        fs::write(&file, "min_length = 9\n").unwrap();
        let read = format!("{path} can be read; weak passwords are rejected");
        assert_eq!(says(), [Finding::fine(CHECK, read)]);
    }

    #[test]
    fn the_rules_of_the_filter_are_the_configured_ones_or_their_mistake_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.conf");
        fs::write(&file, "[update]\ncommon = false\ngroup = \"auth\"\n").unwrap();
        let settings = SettingsFile::of_host(&file);
        let (rules, mistake) = update(&settings);
        assert_eq!((rules.common, rules.group.as_str(), mistake), (false, "auth", None));
        fs::write(&file, "[update]\ncomon = false\n").unwrap();
        let (rules, mistake) = update(&settings);
        let mistake = mistake.unwrap();
        assert!(rules.common && mistake.message.ends_with("filterctl update does not rebuild the filter"));
        assert_eq!(mistake.fix, Some(format!("vi +2 {}", file.display())));
        assert_eq!(mistake.state, State::Wrong);
    }
}
