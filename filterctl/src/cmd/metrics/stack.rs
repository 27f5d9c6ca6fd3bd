//! The PAM stack of the service, the module that its line names, and the doctor's findings.

use nearmiss_cli::finding::State;

use crate::report::family::Family;
use crate::{
    doctor::{self, StoreFlags, Subject},
    flags::system::System,
    host::pam_module,
};

/// The check of passwords in the stack, its module, and their faults.
pub(super) fn families(system: &System, subject: &Subject, is_whole: bool) -> [Family; 3] {
    let service = [("service", system.service())];
    let checks = Family::new(
        "nearmiss_stack_checks",
        "Whether a line of the service's password stack checks new passwords.",
    );
    let mut usable = Family::new(
        "nearmiss_module_usable",
        "Whether the module that this line names exists and is a complete shared object.",
    );
    if let Some(line) = subject.line() {
        usable.add(&service, pam_module::is_usable(&system.root, &line.module));
    }
    [checks.with(&service, subject.line().is_some()), usable, findings(subject, is_whole)]
}

/// The number of faults in the stack, or in everything that the doctor examines.
fn findings(subject: &Subject, is_whole: bool) -> Family {
    let found = if is_whole {
        doctor::examine(subject, &[], &StoreFlags::default())
    } else {
        doctor::stack::of_service(subject)
    };
    let mut family = Family::new(
        "nearmiss_findings",
        "Findings of filterctl doctor on the PAM stack, or on everything with --doctor, by state.",
    );
    let states = [("wrong", State::Wrong), ("warning", State::Warning), ("unjudged", State::Unjudged)];
    for (name, state) in states {
        family.add(&[("state", name)], found.iter().filter(|finding| finding.state == state).count());
    }
    family
}
