//! The configured filters, and the site's decisions with them.

mod age;
mod empty;
mod languages;
mod logins;
mod pages;
mod readers;
mod unit;
mod updates;
mod verdicts;

use std::path::Path;

use nearmiss_cli::finding::Finding;
use nearmiss_policy::config::{Config, DEFAULT_DICTIONARY, at};

use super::{Subject, remedy::acting_on, settings};
use crate::{breaches, host::user};

/// Examines every filter, the decisions with them, and the unit that builds the packaged one.
pub(super) fn examine(subject: &Subject, config: &Config) -> Vec<Finding> {
    let (update, mistake) = settings::update(&subject.settings());
    let mut findings: Vec<Finding> = mistake.into_iter().collect();
    for rule in &config.dictionaries {
        findings.extend(readers::examine(subject, &rule.file, &update));
        if rule.file.exists() {
            findings.extend(pages::examine(subject, &rule.file));
            findings.push(age::examine(&subject.conf_root, &rule.file));
            findings.extend(empty::examine(&subject.conf_root, &rule.file));
        }
        findings.extend(updates::examine(subject, &rule.file, &update));
    }
    findings.extend(breaches::finding::examine(&subject.root, config));
    findings.extend(verdicts::examine(subject, config, &user::host_name()));
    findings.extend(logins::examine(subject, config));
    let packaged = at(&subject.conf_root, Path::new(DEFAULT_DICTIONARY));
    if config.dictionaries.iter().any(|rule| rule.file == packaged) {
        findings.extend(acting_on(&subject.root, languages::examine(&subject.root, &update.folders)));
        findings.extend(unit::examine(&subject.root));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;

    /// The unit builds the packaged filter alone: a site without that filter misses nothing.
    #[test]
    fn the_unit_is_looked_at_where_the_packaged_filter_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("run/systemd/system")).unwrap();
        let own = folder.path().join("own.filter");
        for (file, has_unit) in [(Path::new(DEFAULT_DICTIONARY), true), (&own, false)] {
            let findings = examine(&sample::subject(folder.path()), &sample::config("", &[file]));
            assert_eq!(findings.iter().any(|finding| finding.check == "unit"), has_unit, "{findings:?}");
        }
    }
}
