//! The PAM stack of the service, the module that its line names, and the doctor's findings.

use crate::{
    doctor::{self, StoreFlags, Subject, record::DoctorRun, stack::modules},
    flags::system::System,
    host::state_file::DEFAULT_EXAMINED,
    report::family::Family,
};

/// The check of passwords in the stack, its module, and the doctor's findings.
pub(super) fn families(system: &System, subject: &Subject, runs_doctor: bool) -> Vec<Family> {
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
    let checks = checks.with(&service, subject.line().is_some());
    [checks, usable].into_iter().chain(findings(system, subject, runs_doctor)).collect()
}

/// What the doctor found, now or in its last run that was recorded: nothing is known without a run.
fn findings(system: &System, subject: &Subject, runs_doctor: bool) -> [Family; 2] {
    let run = if runs_doctor {
        Some(DoctorRun::new(subject, &doctor::examine(subject, &[], &StoreFlags::default())))
    } else {
        DoctorRun::read(&system.below_root(DEFAULT_EXAMINED)).ok().flatten().filter(|run| run.is_of(subject))
    };
    let mut found = Family::new(
        "nearmiss_findings",
        "Findings of the last run of filterctl doctor, by state: wrong, warning or unjudged.",
    );
    let mut at = Family::new(
        "nearmiss_doctor_run_timestamp_seconds",
        "Time of that run: of filterctl doctor --record, or with --doctor now.",
    );
    if let Some(run) = run {
        for (state, count) in run.counts() {
            found.add(&[("state", state)], count);
        }
        at.add(&[], run.at);
    }
    [found, at]
}
