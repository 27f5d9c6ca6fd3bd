//! The PAM stack of the service, the module that its line names, and the doctor's findings.

use nearmiss_cli::finding::State;

use crate::{
    doctor::{Subject, stack::modules},
    flags::system::System,
    report::family::Family,
};

/// The check of passwords in the stack, its module, and the doctor's findings.
pub(super) fn families(system: &System, subject: &Subject, is_whole: bool) -> [Family; 3] {
    let service = [("service", system.service())];
    let checks = Family::new(
        "nearmiss_stack_checks",
        "Whether a line of the service's password stack checks new passwords.",
    );
    let mut usable = Family::new(
        "nearmiss_module_usable",
        "Whether the module that this line names can be loaded, as filterctl doctor loads it.",
    );
    if let Some(line) = subject.line() {
        usable.add(&service, modules::is_usable(&system.root, line));
    }
    [checks.with(&service, subject.line().is_some()), usable, findings(system, is_whole)]
}

/// The number of faults that the doctor finds.
fn findings(system: &System, is_whole: bool) -> Family {
    let found = Subject::of(system).findings(is_whole);
    let mut family = Family::new(
        "nearmiss_findings",
        "Findings of filterctl doctor on the PAM stack, the settings and the servers, without changes; on \
         everything with --doctor; by state.",
    );
    let states = [("wrong", State::Wrong), ("warning", State::Warning), ("unjudged", State::Unjudged)];
    for (name, state) in states {
        family.add(&[("state", name)], found.iter().filter(|finding| finding.state == state).count());
    }
    family
}
