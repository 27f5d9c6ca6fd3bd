//! Lines that check passwords with settings or a filter of their own: the examination has the settings and
//! filters of one line.

use std::path::{Path, PathBuf};

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_policy::config::at;

use super::{Subject, remedy};
use crate::host::pam_stack::{self, StackEntry};

const CHECK: &str = "settings";

/// What says so of each other configuration or filter that a line names, once.
pub(super) fn examine(subject: &Subject) -> Vec<Finding> {
    if subject.has_named_conf || subject.has_named_service {
        return Vec::new();
    }
    let mut known = vec![subject.line().map(own).unwrap_or_default()];
    let mut findings = Vec::new();
    for line in pam_stack::entries_of_module(&subject.root) {
        let named = own(&line);
        let is_new = named != (None, None) && !known.contains(&named);
        if line.kind == "password" && line.is_checking() && is_new {
            findings.extend(not_judged(subject, &line, &named));
            known.push(named);
        }
    }
    findings
}

/// The configuration and the filter that a line names.
fn own(line: &StackEntry) -> (Option<PathBuf>, Option<PathBuf>) {
    let options = line.options();
    (options.conf, options.filter)
}

fn not_judged(
    subject: &Subject,
    line: &StackEntry,
    named: &(Option<PathBuf>, Option<PathBuf>),
) -> Option<Finding> {
    let (what, fix) = match named {
        (Some(conf), _) => {
            let conf = remedy::quoted(&at(&subject.root, conf));
            let what = format!("the settings and filters of conf={conf}");
            let is_here = subject.root == Path::new("/");
            let root =
                if is_here { String::new() } else { format!(" --root {}", remedy::quoted(&subject.root)) };
            (what, format!("filterctl doctor --only stack,filters,ladder{root} --conf {conf}"))
        }
        (None, filter) => {
            let filter = remedy::quoted(&at(&subject.root, filter.as_deref()?));
            (format!("filter={filter}"), format!("filterctl verify {filter}"))
        }
    };
    let message = format!("{}: not judged: {what}", line.place());
    Some(Finding::unjudged(keys::PAM_NOT_JUDGED, CHECK, message).fix(fix))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::doctor::sample;

    #[test]
    fn settings_of_another_line_are_not_said_to_be_fine() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("etc/pam.d");
        fs::create_dir_all(&folder).unwrap();
        let check = "password requisite pam_nearmiss.so retry=3";
        for (name, options) in [
            ("login", " conf=/etc/login.conf"),
            ("passwd", ""),
            ("sshd", " conf=/etc/login.conf"),
            ("web", " filter=/f"),
        ] {
            fs::write(folder.join(name), format!("{check}{options}\n")).unwrap();
        }
        let found = examine(&sample::subject(root.path()));
        let fixes: Vec<&str> = found.iter().filter_map(|finding| finding.fix.as_deref()).collect();
        let below = root.path().display();
        let only = "filterctl doctor --only stack,filters,ladder";
        let doctor = format!("{only} --root {below} --conf {below}/etc/login.conf");
        assert_eq!(fixes, [doctor, format!("filterctl verify {below}/f")]);
        let named = Subject { has_named_conf: true, ..sample::subject(root.path()) };
        assert!(examine(&named).is_empty());
    }
}
