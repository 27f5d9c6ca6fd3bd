//! The configured filters, and what the site decides with them.

mod age;
mod breaches;
mod logins;
mod pages;
mod readers;
mod unit;
mod updates;
mod verdicts;

use std::path::Path;

use nearmiss_filters::config::{Config, DEFAULT_DICTIONARY};

use super::{Subject, settings};
use crate::finding::Finding;

/// Examines every filter, what is decided with them, and what builds the packaged one.
pub(super) fn examine(subject: &Subject, config: &Config) -> Vec<Finding> {
    let (update, mistake) = settings::update(&subject.conf);
    let mut findings: Vec<Finding> = mistake.into_iter().collect();
    for rule in &config.dictionaries {
        findings.extend(readers::examine(&rule.file, &update));
        if rule.file.exists() {
            findings.extend(pages::examine(&rule.file));
            findings.push(age::examine(&rule.file));
        }
        findings.extend(updates::examine(subject, &rule.file));
    }
    findings.extend(breaches::examine(&subject.root));
    findings.extend(verdicts::examine(subject, config));
    findings.extend(logins::examine(subject, config));
    if config.dictionaries.iter().any(|rule| rule.file == Path::new(DEFAULT_DICTIONARY)) {
        findings.extend(unit::examine(&subject.root));
    }
    findings
}
