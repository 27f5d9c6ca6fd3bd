//! Lines that let users skip the check: those for whom a module succeeds, or fails, by their uid, group,
//! terminal or the time. The account of a copy is one person, so each such line is made to lead there, and a
//! weak password is typed.

use nearmiss_cli::{finding::Finding, keys};

use super::{
    CHECK,
    change::{Part, Trial},
    edits::{self, Edits},
    faults::{Fault, Shown},
    module_files,
    modules::can_set,
    outside,
    script::ScriptStep,
};
use crate::{
    doctor::{
        remedy,
        walk::{self, Action},
    },
    host::pam_stack::StackEntry,
};

/// Modules whose result is the same for everybody, or that of the program: the changes of each actor show it.
const SAME_FOR_ALL: [&str; 5] =
    ["pam_debug.so", "pam_deny.so", "pam_permit.so", "pam_rootok.so", "pam_warn.so"];

/// Modules that let nobody pass, or root alone, who may set a weak password.
const NEVER_SUCCEED: [&str; 3] = ["pam_deny.so", "pam_rootok.so", "pam_warn.so"];

/// The module that sets passwords of accounts which are in no file of the machine (`homed`).
const HOMED: &str = "pam_systemd_home.so";

/// Where a line may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Over this number of lines.
    Over(usize),
    /// To the end of the stack, or of the part that a line includes.
    ToTheEnd,
    /// To the next line: behind the check, a module that prompts once more may be there.
    On,
}

/// A warning for each line that lets a user skip the check.
///
/// # Errors
/// Why no copy can be made.
pub(super) fn examine(trial: &Trial<'_>) -> Result<Vec<Finding>, String> {
    let services = format!("{}: ", trial.group.shown());
    let found = left_out(trial, &Edits::default())?;
    Ok(found.into_iter().map(|(line, fault)| warning(&services, line, fault)).collect())
}

/// True if with the edits a line lets a user skip the check, and lets nobody skip it now.
///
/// # Errors
/// Why no copy can be made.
pub(super) fn are_more(trial: &Trial<'_>, edits: &Edits) -> Result<bool, String> {
    let (before, after) = (left_out(trial, &Edits::default())?, left_out(trial, edits)?);
    let is_known = |line: &StackEntry| before.iter().any(|(own, _)| own.place() == line.place());
    Ok(after.iter().any(|(line, _)| !is_known(line)))
}

/// The lines that let a user skip the check with these further edits, and what is then set.
fn left_out<'t>(trial: &Trial<'t>, more: &Edits) -> Result<Vec<(&'t StackEntry, Fault)>, String> {
    let stack = &trial.group.stack;
    let conditional = stack.lines.iter().enumerate().filter(|(_, line)| is_conditional(line));
    let (places, lines): (Vec<usize>, Vec<&StackEntry>) = conditional.unzip();
    let is_behind = |place: usize| stack.checking().is_some_and(|check| place > check);
    let mut found = Vec::new();
    for (at, (line, place)) in lines.iter().copied().zip(places).enumerate() {
        let earlier = lines.get(..at).unwrap_or_default();
        let on = is_behind(place).then_some(Way::On);
        for way in ways(&line.control).into_iter().chain(on) {
            if let Some(fault) = led(trial, line, way, earlier, more)? {
                found.push((line, fault));
                break;
            }
        }
    }
    Ok(found)
}

/// The same by the lines alone, where nothing is run: those that jump over the check at this place to a
/// module that prompts by itself. For a module that always succeeds, these are all people.
pub(super) fn of_lines(lines: &[StackEntry], check: usize) -> Vec<Finding> {
    let is_open = |at: usize, jump: usize| {
        let to = at.saturating_add(jump).saturating_add(1);
        let behind = lines.get(to..).unwrap_or_default().iter().take_while(|line| !line.is_checking());
        to > check && behind.filter(|line| can_set(line)).any(|line| !line.has("use_authtok"))
    };
    let before = lines.iter().enumerate().take(check);
    let leads = before.filter(|(at, line)| {
        let is_known = can_set(line) || line.is_ours() || NEVER_SUCCEED.contains(&line.name());
        !is_known
            && ways(&line.control).iter().any(|way| matches!(way, Way::Over(jump) if is_open(*at, *jump)))
    });
    leads.map(|(_, line)| warning("", line, Fault::WeakSet(ScriptStep::Weak))).collect()
}

/// True for a line whose result may differ from one person to the next, and may lead past other lines.
fn is_conditional(line: &StackEntry) -> bool {
    let is_same = can_set(line) || line.is_ours() || SAME_FOR_ALL.contains(&line.name());
    !is_same && !ways(&line.control).is_empty() && module_files::is_installed(line)
}

/// The ways of a control (pam.d(5)).
fn ways(control: &str) -> Vec<Way> {
    if control == "sufficient" {
        return vec![Way::ToTheEnd];
    }
    let mut ways = Vec::new();
    for action in walk::actions(control) {
        let way = match action {
            Action::Done => Way::ToTheEnd,
            Action::Over(lines) => Way::Over(lines),
            _ => continue,
        };
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}

/// The fault that shows where the line leads this way; also if each line before it leads nowhere.
fn led(
    trial: &Trial<'_>,
    line: &StackEntry,
    way: Way,
    earlier: &[&StackEntry],
    more: &Edits,
) -> Result<Option<Fault>, String> {
    let edits = led_by(trial, line, way);
    let passed = earlier.iter().fold(edits.clone(), |edits, earlier| {
        edits.replace(earlier, &text(trial, earlier, "[default=ignore]"))
    });
    let is_fault = |shown: &Shown| match shown.fault {
        Fault::WeakSet(_) => true,
        // What other modules set is in no file that could show it.
        Fault::NotSet => way != Way::On && !outside::is_outside(line) && line.name() != HOMED,
        _ => false,
    };
    for edits in if earlier.is_empty() { vec![edits] } else { vec![edits, passed] } {
        let part = if way == Way::On { Part::Rejections } else { Part::WeakAlone };
        let shown = trial.run_bound(part, &edits.and(more))?;
        if let Some(shown) = shown.iter().find(|shown| is_fault(shown)) {
            return Ok(Some(shown.fault));
        }
    }
    Ok(None)
}

/// The edit that makes the line lead this way, whatever the result of its module.
fn led_by(trial: &Trial<'_>, line: &StackEntry, way: Way) -> Edits {
    match way {
        Way::Over(lines) => Edits::default().replace(line, &text(trial, line, &format!("[default={lines}]"))),
        Way::On => Edits::default().replace(line, &text(trial, line, "[default=ignore]")),
        // Only a successful result ends the stack with success.
        Way::ToTheEnd => outside::stand_ins(&[line], "success"),
    }
}

/// The line with another control; a module that is not run is replaced by one that does nothing.
fn text(trial: &Trial<'_>, line: &StackEntry, control: &str) -> String {
    if outside::is_outside(line) && !trial.runs_all {
        return format!("password {control} pam_permit.so");
    }
    edits::text_of(&StackEntry { control: control.to_owned(), ..line.clone() })
}

fn warning(services: &str, line: &StackEntry, fault: Fault) -> Finding {
    let set = match fault {
        Fault::NotSet => "success is reported, and no password is set",
        _ => "a weak password is set",
    };
    // Behind the check, a weak password is typed where a module prompts once more.
    let how = match fault {
        Fault::WeakSet(ScriptStep::Rejected(_)) => "leads to a module behind it that prompts again",
        _ => "jumps over it",
    };
    let message = format!(
        "{services}some users skip the check: {} {how}, depending on the result of {}; for these users {set}",
        line.place(),
        line.name()
    );
    Finding::warning(keys::PAM_LEAVES_OUT, CHECK, message).fix(remedy::edit(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ways_of_a_control_are_its_jumps_and_its_end() {
        for (control, expected) in [
            ("required", &[][..]),
            ("optional", &[]),
            ("sufficient", &[Way::ToTheEnd]),
            ("[success=1 default=ignore]", &[Way::Over(1)]),
            ("[success=2 new_authtok_reqd=2 default=die]", &[Way::Over(2)]),
            ("[default=1 success=ok]", &[Way::Over(1)]),
            ("[success=done user_unknown=3 default=bad]", &[Way::ToTheEnd, Way::Over(3)]),
            ("[success=0 default=reset]", &[]),
        ] {
            assert_eq!(ways(control), expected, "{control}");
        }
    }

    /// What reading shows, as metrics and another root have it.
    #[test]
    fn a_jump_over_the_check_to_a_module_that_prompts_is_told_by_the_lines_alone() {
        let check = "password requisite pam_nearmiss.so retry=3";
        let jump = "password [success=1 default=ignore]";
        let found = |lines: &[&str]| {
            let lines: Vec<StackEntry> = lines.iter().map(|line| StackEntry::parse(line).unwrap()).collect();
            let at = lines.iter().position(StackEntry::is_checking).unwrap();
            of_lines(&lines, at).len()
        };
        let (asks, takes) =
            ("password required pam_unix.so try_first_pass", "password required pam_unix.so use_authtok");
        for (condition, unix, expected) in [
            ("pam_succeed_if.so quiet uid >= 1000", asks, 1),
            ("pam_localuser.so", asks, 1),
            ("pam_permit.so", asks, 1),
            ("pam_rootok.so", asks, 0),
            ("pam_succeed_if.so quiet uid >= 1000", takes, 0),
        ] {
            assert_eq!(found(&[&format!("{jump} {condition}"), check, unix]), expected, "{condition}");
        }
        let quality = "password requisite pam_pwquality.so";
        assert_eq!(
            found(&[&format!("{jump} pam_localuser.so"), quality, check, asks]),
            0,
            "it ends before it"
        );
        assert_eq!(
            found(&[&format!("{jump} pam_localuser.so"), check, check, asks]),
            0,
            "another check is behind"
        );
        assert_eq!(found(&[quality, check, asks]), 0);
    }

    #[test]
    fn lines_whose_result_is_the_same_for_all_are_no_condition() {
        let is_one = |text: &str| is_conditional(&StackEntry::parse(text).unwrap());
        let jump = "password [success=1 default=ignore]";
        for module in SAME_FOR_ALL.iter().chain(&["pam_unix.so", "pam_nearmiss.so record"]) {
            assert!(!is_one(&format!("{jump} {module}")), "{module}");
        }
        assert!(!is_one("password required pam_succeed_if.so uid = 0"));
        assert!(!is_one(&format!("{jump} pam_that_is_nowhere.so")));
    }
}
