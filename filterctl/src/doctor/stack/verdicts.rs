//! The verdicts on the services that can change a password, by what their changes did in a copy.

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_policy::config::Config;

use super::{
    change::{self, Trial},
    edits::Edits,
    faults::{Fault, Shown},
    leaving_out, lengths,
    modules::{self, can_set},
    outside,
    passwords::{Other, Passwords},
    repairs,
    script::ScriptStep,
    services::{self, ServiceGroup},
    tries,
};
use crate::{
    doctor::{Subject, copy::Actor, part_fixes, remedy},
    host::{pam_stack::MODULE, user},
};

const CHECK: &str = "change";

/// What changes in a copy of the machine show.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) findings: Vec<Finding>,
    /// The command that puts a line of the check into the stack of the examined service, which has none.
    pub(super) repair: Option<String>,
}

/// Changes passwords in a copy of the machine, through every service that can change one. Where the service
/// that is examined has no check, another finding says so.
///
/// # Errors
/// The finding that says why no copy can be made.
pub(super) fn examine(subject: &Subject, config: &Config) -> Result<Changes, Finding> {
    if let Some(reason) = change::not_made(subject) {
        let finding = not_judged(reason);
        return Err(if change::lacks_root() { finding.fix("sudo filterctl doctor") } else { finding });
    }
    let passwords = Passwords::of(config, &user::host_name())
        .ok_or_else(|| not_judged("the system has no random bytes yet"))?;
    let mut groups = services::groups(&subject.root, &subject.service);
    if subject.has_named_service {
        groups.truncate(1);
    }
    let (all, passwords, runs_all) = (&services::readers(&subject.root), &passwords, subject.runs_all);
    let mut changes = Changes::default();
    let is_told = |group: &ServiceGroup| subject.line().is_none() && group.names.contains(&subject.service);
    for group in &groups {
        let trial = Trial { group, all, subject, config, passwords, runs_all };
        if is_told(group) {
            of_unchecked(&trial, &mut changes).map_err(|reason| not_judged(&reason))?;
        } else {
            changes.findings.extend(of_group(&trial)?);
        }
    }
    Ok(changes)
}

/// The group of the examined service, if no line checks: that weak passwords are set is known of it, and not
/// whether others are.
fn of_unchecked(trial: &Trial<'_>, changes: &mut Changes) -> Result<(), String> {
    let found = trial.run(&Edits::default())?;
    let is_known = |shown: &&Shown| matches!(shown.fault, Fault::WeakSet(_));
    let others = found.iter().filter(|shown| !is_known(shown));
    changes.findings.extend(others.map(|shown| finding(trial, &found, shown)));
    // The tool of the distribution is better than an edit of its files.
    if remedy::tool(&trial.subject.root, "nearmiss").is_none() {
        changes.repair = found.iter().find(is_known).and_then(|shown| repairs::of(trial, &found, shown));
    }
    Ok(())
}

fn of_group(trial: &Trial<'_>) -> Result<Vec<Finding>, Finding> {
    let group = trial.group;
    let outside = outside::lines(&group.stack.lines);
    let mut findings = Vec::new();
    if !trial.runs_all && !outside.is_empty() {
        let names = outside::names(&outside);
        let message = format!("{}: not judged: {names}: it may act beyond this machine", group.shown());
        findings.push(
            Finding::unjudged(keys::PAM_NOT_JUDGED, CHECK, message)
                .fix("filterctl doctor --only stack --run-all"),
        );
    }
    // Otherwise only modules that are not run set passwords.
    if !trial.runs_all && !outside.is_empty() && !group.stack.lines.iter().any(can_set) {
        return Ok(findings);
    }
    let found = trial.run(&Edits::default()).map_err(|reason| not_judged(&reason))?;
    findings.extend(found.iter().map(|shown| finding(trial, &found, shown)));
    // What is set of everybody is not said once more of some.
    if !found.iter().any(|shown| matches!(shown.fault, Fault::WeakSet(_) | Fault::NobodyCan)) {
        findings.extend(leaving_out::examine(trial).map_err(|reason| not_judged(&reason))?);
    }
    if found.is_empty() && outside.is_empty() {
        findings.push(fine(trial));
    }
    Ok(findings)
}

/// A copy cannot be made, or not here.
fn not_judged(reason: &str) -> Finding {
    Finding::unjudged(keys::PAM_NOT_JUDGED, CHECK, format!("not judged: no password was changed: {reason}"))
}

fn fine(trial: &Trial<'_>) -> Finding {
    let weak = match &trial.passwords.weak {
        Some(weak) => format!("\"{weak}\" is rejected, "),
        None => String::new(),
    };
    let actors = trial.group.actors();
    let unbound: Vec<&str> =
        actors.iter().filter(|(actor, _)| !trial.is_bound(*actor)).map(|(actor, _)| words(*actor)).collect();
    let unbound = if unbound.is_empty() || weak.is_empty() {
        String::new()
    } else {
        format!(" ({} a weak one is set: enforce_for_root is off)", unbound.join(" and "))
    };
    let shown = trial.group.shown();
    let message = format!("{shown}: in a copy of this machine, {weak}a random password is set{unbound}");
    let accepted = trial.passwords.accepted();
    if accepted.is_empty() {
        return Finding::fine(CHECK, message);
    }
    let message = format!("{message}; this site accepts {}", accepted.join(" and "));
    let is_level_low = trial.passwords.is_level_low;
    let key = if is_level_low { keys::SETTINGS_LEVEL } else { keys::SETTINGS_WEAK };
    Finding::warning(key, CHECK, message).fix(trial.subject.changed_settings())
}

fn words(actor: Actor) -> &'static str {
    match actor {
        Actor::User => "as an ordinary user",
        Actor::Login => "at a login that demands a change",
        Actor::Root => "as root",
        Actor::Batch => "as a program of root",
    }
}

fn finding(trial: &Trial<'_>, all: &[Shown], shown: &Shown) -> Finding {
    let by = shown.by.iter().map(|(actor, service)| format!("{service} {}", words(*actor)));
    let message = format!("{}: {}", by.collect::<Vec<_>>().join(", "), sentence(trial, shown));
    if shown.fault == Fault::Shortest {
        let finding = Finding::warning(keys::PAM_CHANGE, CHECK, message);
        return finding.fix(lengths::fix(trial, shown).unwrap_or_else(|| by_hand(trial, shown)));
    }
    let fix = of_module(trial, shown).or_else(|| of_check(trial, shown));
    let fix = fix.or_else(|| repairs::of(trial, all, shown));
    let fix = fix.unwrap_or_else(|| by_hand(trial, shown));
    Finding::wrong(keys::PAM_CHANGE, CHECK, message).fix(fix)
}

/// The command that brings a module back, where nobody can change a password without it. An editor is none:
/// an edit that is tried is better.
fn of_module(trial: &Trial<'_>, shown: &Shown) -> Option<String> {
    let is_one = matches!(shown.fault, Fault::NobodyCan | Fault::Crash);
    is_one.then(|| modules::brought_back(&trial.subject.root, &trial.group.stack.lines)).flatten()
}

/// The command for the part of the check that refuses every password: no line of the stack is at fault.
fn of_check(trial: &Trial<'_>, shown: &Shown) -> Option<String> {
    let is_refusal = shown.fault == Fault::NobodyCan;
    is_refusal.then(|| part_fixes::of_refusal(trial.subject, trial.config)).flatten()
}

/// An editor at the line that is most likely to be at fault.
fn by_hand(trial: &Trial<'_>, shown: &Shown) -> String {
    let line = repairs::suspect(&trial.group.stack, shown.fault);
    line.map_or_else(|| "man pam_nearmiss".to_owned(), remedy::edit)
}

fn sentence(trial: &Trial<'_>, shown: &Shown) -> String {
    let end = &shown.end;
    let said = || match end.errors.last() {
        Some(said) => format!("{}: {}", end.words, said.replace('\n', " ")),
        None => end.words.clone(),
    };
    match shown.fault {
        Fault::Crash => format!("a module of the stack fails: the process {}", end.words),
        Fault::NobodyCan => {
            let when = if end.prompts.is_empty() { "before anything is typed" } else { "after it was typed" };
            format!("a random password is refused {when}: {}", said())
        }
        Fault::WeakSet(ScriptStep::Rejected(other)) => {
            format!("a weak password is set after {} was rejected{}", name(other), prompting(trial, " again"))
        }
        Fault::WeakSet(_) if trial.group.stack.checking().is_none() => {
            format!("a weak password is set: no line of the stack is {MODULE}")
        }
        Fault::WeakSet(_) => {
            format!("a weak password is set, though the check rejects it{}", prompting(trial, ""))
        }
        Fault::WrongCurrent => "a password is set though the current one was wrong".to_owned(),
        Fault::FalseSuccess(ScriptStep::WrongCurrent) => {
            "success is reported after a wrong current password".to_owned()
        }
        Fault::FalseSuccess(ScriptStep::UnknownUser) => {
            "success is reported for an account that does not exist".to_owned()
        }
        Fault::FalseSuccess(_) => "success is reported of a change that was given up".to_owned(),
        Fault::NotSet => "success is reported, and no password is set".to_owned(),
        Fault::SetInSecret => format!("a failure is reported, and the password is set: {}", said()),
        Fault::Around(other) => format!(
            "{} is set once the check has rejected another one: the next prompt bypasses a module before it",
            name(other)
        ),
        Fault::Shortest => format!(
            "a password of {} characters, which {MODULE} accepts, is rejected: {}",
            trial.passwords.min_length,
            said()
        ),
    }
}

/// The modules behind the check by whose prompt a password may have been set, as the end of a sentence.
fn prompting(trial: &Trial<'_>, again: &str) -> String {
    let lines = tries::prompting(&trial.group.stack);
    match lines.as_slice() {
        [] => String::new(),
        [one] => format!(": {} prompts{again}", outside::names(&[one])),
        several => format!(": one of these prompts{again}: {}", outside::names(several)),
    }
}

fn name(other: Other) -> &'static str {
    match other {
        Other::Used => "a password that was used before",
        Other::Current => "the current password",
        Other::Shortest => "a short random password",
        Other::Letters => "a password of small letters",
        Other::Digits => "a password of digits",
    }
}
