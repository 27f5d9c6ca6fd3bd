//! The PAM stack in force: the lines of a service's password stack, with what they include, in order.

mod modules;
mod order;

use super::{Subject, remedy};
use crate::{finding::Finding, pam_stack::MODULE};

const CHECK: &str = "PAM stack";

/// Examines the password stack of the service.
pub(super) fn examine(subject: &Subject) -> Vec<Finding> {
    let service = &subject.service;
    let Some(stack) = &subject.stack else {
        return vec![
            Finding::wrong(CHECK, format!("there is no PAM service '{service}'"))
                .fix("filterctl doctor --service NAME"),
        ];
    };
    let place = stack.file.display();
    let Some(at) = stack.checking() else {
        let told = format!("{place}: no line of its password stack is {MODULE}, so nothing is checked");
        return vec![Finding::wrong(CHECK, told).fix(remedy::enable(&subject.root, "nearmiss"))];
    };
    let mut findings = order::examine(&place.to_string(), &stack.lines, at);
    findings.extend(modules::examine(&subject.root, &stack.lines));
    if findings.is_empty() {
        findings.push(Finding::fine(CHECK, format!("{place}: {MODULE} checks before a password is set")));
    }
    findings
}
