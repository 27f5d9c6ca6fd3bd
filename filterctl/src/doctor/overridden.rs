//! Configured dictionaries that are not looked up, since a line of the module names one filter instead.

use std::path::PathBuf;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_policy::config::{PACKAGED, at};

use super::{Subject, remedy};
use crate::host::{
    pam_stack::{self, StackEntry},
    settings_file::SettingsFile,
};

const CHECK: &str = "hidden";

/// A warning for each line that checks passwords with `filter=`, though its settings list other dictionaries
/// than the packaged ones.
pub(super) fn examine(subject: &Subject) -> Vec<Finding> {
    let lines = pam_stack::entries_of_module(&subject.root);
    lines.iter().filter(|line| line.is_checking()).filter_map(|line| of_line(subject, line)).collect()
}

fn of_line(subject: &Subject, line: &StackEntry) -> Option<Finding> {
    let options = line.options();
    let filter = at(&subject.conf_root, &options.filter?);
    let settings = match options.conf.filter(|_| !subject.has_named_conf) {
        Some(conf) => SettingsFile::below(&subject.root, &conf),
        None => subject.settings(),
    };
    let is_listed = |file: &PathBuf| {
        *file != filter && !PACKAGED.iter().any(|packaged| at(&settings.root, packaged.as_ref()) == *file)
    };
    // Settings that cannot be read have a finding of their own.
    let files = settings.read().ok()?.dictionaries.into_iter().map(|rule| rule.file).filter(is_listed);
    let hidden: Vec<String> = files.map(|file| file.display().to_string()).collect();
    if hidden.is_empty() {
        return None;
    }
    let (place, hidden) = (line.place(), hidden.join(", "));
    let message = format!(
        "{place}: filter={} takes the place of every configured dictionary: {hidden} is not looked up; list \
         that filter as a [[dictionary]] and remove the option",
        filter.display()
    );
    Some(Finding::warning(keys::SETTINGS_WEAK, CHECK, message).fix(remedy::edit(line)))
}
