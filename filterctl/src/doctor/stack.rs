//! The PAM stack in force: the lines of a service's password stack, with what they include, in order.

mod change;
mod edits;
mod expiry;
mod faults;
mod lengths;
mod modules;
mod options;
mod order;
mod outside;
mod repairs;
mod script;
mod services;
mod verdicts;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_policy::config::Config;

use super::{Subject, remedy};
use crate::host::pam_stack::MODULE;

const CHECK: &str = "PAM stack";

/// Examines the password stacks, the options of every line of the module, and changes in a copy.
pub(super) fn examine(subject: &Subject, config: Option<&Config>) -> Vec<Finding> {
    let changes =
        config.filter(|_| subject.line().is_some()).map(|config| verdicts::examine(subject, config));
    let mut findings = match (&subject.stack, &changes) {
        // The lines are not judged by a reader where changes were made.
        (Some(stack), Some(Ok(_))) => modules::examine(&subject.root, &stack.lines),
        _ => of_service(subject),
    };
    findings.extend(options::examine(&subject.root));
    findings.extend(expiry::examine(&subject.root));
    match changes {
        Some(Ok(changes)) => findings.extend(changes),
        Some(Err(not_judged)) => findings.push(not_judged),
        None => {}
    }
    findings
}

/// Reads the lines of the service and loads their modules: what it takes milliseconds to know.
pub(crate) fn of_service(subject: &Subject) -> Vec<Finding> {
    let service = &subject.service;
    let Some(stack) = &subject.stack else {
        return vec![
            Finding::wrong(keys::PAM_NOT_IN_STACK, CHECK, format!("there is no PAM service '{service}'"))
                .fix("filterctl doctor --service NAME"),
        ];
    };
    let place = stack.file.display();
    let Some(at) = stack.checking() else {
        let message = format!("{place}: no line of its password stack is {MODULE}, so nothing is checked");
        return vec![
            Finding::wrong(keys::PAM_NOT_IN_STACK, CHECK, message)
                .fix(remedy::enable(&subject.root, "nearmiss")),
        ];
    };
    let mut findings = order::examine(&place.to_string(), &stack.lines, at);
    findings.extend(modules::examine(&subject.root, &stack.lines));
    if findings.is_empty() {
        findings.push(Finding::fine(CHECK, format!("{place}: {MODULE} checks before a password is set")));
    }
    findings
}
