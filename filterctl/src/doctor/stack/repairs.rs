//! The edit of the PAM files that takes a fault away: it is tried in a copy before it is printed.

use super::{
    change::{Part, Run, Trial},
    edits::{Edits, text_of},
    elsewhere::Elsewhere,
    faults::{Fault, Shown},
    leaving_out,
    tries::{self, MAX_TRIES, is_second, prompts},
};
use crate::host::pam_stack::{Stack, StackEntry};

/// The line of the check, where a stack and the one that is examined have none.
const LINE: &str = "password requisite pam_nearmiss.so retry=3";

/// The command that takes a fault away and brings no other, to no service whose stack reads an edited file;
/// none if no edit of those tried does.
pub(super) fn of(trial: &Trial<'_>, all: &[Shown], fault: &Shown) -> Option<String> {
    let is_there = |found: &[Shown], one: &Shown| found.iter().any(|shown| shown.fault == one.fault);
    let is_new = |shown: &Shown| shown.fault != Fault::Shortest && !is_there(all, shown);
    let is_better = |left: &[Shown]| !is_there(left, fault) && !left.iter().any(is_new);
    let (actor, service) = fault.by.first()?;
    let first = [Run { actor: *actor, service, part: Part::Judging(fault.step) }];
    let elsewhere = Elsewhere::of(trial);
    let repairs = |edits: &Edits| {
        // Most edits take nothing away: one step shows that.
        let is_one = is_better(&trial.run_some(&first, edits).ok()?) && is_better(&trial.run(edits).ok()?);
        let is_good = is_one && !leaving_out::are_more(trial, edits).ok()? && elsewhere.bears(edits);
        is_good.then(|| edits.command())
    };
    let line = trial.subject.line().map_or_else(|| LINE.to_owned(), text_of);
    let mut candidates = tries::of(&trial.group.stack, &line, fault.fault);
    // Those that touch no other service come first.
    candidates.sort_by_key(|edits| elsewhere.reads(edits));
    candidates.iter().take(MAX_TRIES).find_map(repairs)
}

/// The line to edit by hand: the one that is most likely to be at fault.
pub(super) fn suspect(stack: &Stack, fault: Fault) -> Option<&StackEntry> {
    let lines = &stack.lines;
    let behind = stack.checking().and_then(|at| lines.get(at..)).and_then(<[_]>::split_first);
    let mut behind = behind.map_or_else(|| [].iter(), |(_, behind)| behind.iter());
    let suspect = match fault {
        Fault::WeakSet(_) => behind.find(|line| prompts(line)),
        Fault::SetInSecret => behind.rfind(|line| is_second(line, lines)),
        _ => None,
    };
    suspect.or(stack.checking_entry()).or(lines.first())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::doctor::stack::script::ScriptStep;

    fn stack(lines: &[&str]) -> Stack {
        let numbered = |(at, text): (usize, &&str)| {
            let line = StackEntry::parse(text).unwrap();
            StackEntry { file: PathBuf::from("/etc/pam.d/x"), number: at + 1, ..line }
        };
        let lines = lines.iter().enumerate().map(numbered).collect();
        Stack { file: PathBuf::from("/etc/pam.d/x"), lines, missing: Vec::new() }
    }

    /// Two lines of `pam_unix`, the second one with a typo: the line of the check is not at fault.
    #[test]
    fn the_editor_opens_the_line_at_fault() {
        let twice = stack(&[
            "password requisite pam_nearmiss.so retry=3",
            "password required pam_unix.so use_authtok yescrypt",
            "password required pam_unix.so use_authtokk yescrypt",
            "password required pam_permit.so",
        ]);
        let line = |stack: &Stack, fault| suspect(stack, fault).map(|line| line.number);
        for fault in [Fault::SetInSecret, Fault::WeakSet(ScriptStep::Weak)] {
            assert_eq!(line(&twice, fault), Some(3), "{fault:?}");
        }
        assert_eq!(line(&twice, Fault::NobodyCan), Some(1));
        let without = stack(&["password required pam_unix.so", "password required pam_permit.so"]);
        assert_eq!(line(&without, Fault::WeakSet(ScriptStep::Weak)), Some(1));
        assert_eq!(line(&stack(&[]), Fault::SetInSecret), None);
    }
}
