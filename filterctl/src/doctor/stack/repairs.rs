//! The edit of the PAM files that takes a fault away: it is tried in a copy before it is printed.

use std::path::Path;

use super::{
    change::{Part, Run, Trial},
    edits::{Edits, text_of},
    elsewhere::Elsewhere,
    faults::{Fault, Shown},
    leaving_out,
    modules::can_set,
};
use crate::host::{
    pam_stack::{Stack, StackEntry},
    text_file::read_lossy,
};

/// The line of the check, where a stack has none.
const LINE: &str = "password requisite pam_nearmiss.so retry=3";

/// The line that ends a stack in which nobody has set the password.
const DENY: &str = "password required pam_deny.so";

/// The most edits that are tried for one fault.
const MAX_TRIES: usize = 16;

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
    let mut candidates = candidates(trial, fault.fault);
    // Those that touch no other service come first.
    candidates.sort_by_key(|edits| elsewhere.reads(edits));
    candidates.iter().take(MAX_TRIES).find_map(repairs)
}

/// Edits that may take a fault away, the mildest first.
fn candidates(trial: &Trial<'_>, fault: Fault) -> Vec<Edits> {
    let lines = &trial.group.stack.lines;
    let mut edits = Vec::new();
    edits.extend(without_returns(lines));
    let Some(at) = trial.group.stack.checking() else {
        let text = trial.subject.line().map_or_else(|| LINE.to_owned(), text_of);
        edits.extend(lines.iter().map(|line| Edits::default().before(line, &text)));
        return edits;
    };
    let (before, rest) = lines.split_at(at);
    let Some((check, behind)) = rest.split_first() else { return edits };
    let prompting = prompting(&trial.group.stack);
    let all = prompting.iter().fold(Edits::default(), |edits, line| edits.append(line, "use_authtok"));
    edits.extend(prompting.iter().map(|line| Edits::default().append(line, "use_authtok")));
    if prompting.len() > 1 {
        edits.push(all.clone());
    }
    edits.extend(denied(lines));
    let firm = Edits::default().word(check, &check.control, "requisite");
    if check.control != "requisite" {
        edits.push(firm);
    }
    let asks = asking(check);
    if asks.is_some() {
        edits.push(Edits::default().word(check, "use_authtok", "retry=3"));
    }
    if let Some(first) = before.first() {
        let text = text_of(&asks.unwrap_or_else(|| check.clone()));
        let text = text.replacen(&check.control, "requisite", 1);
        let moved = Edits::default().before(first, &text).delete(check);
        edits.push(moved.clone().and(&all));
        let earlier: Vec<&StackEntry> = before.iter().filter(|line| prompts(line)).collect();
        let use_it =
            |edits: Edits| earlier.iter().fold(edits, |edits, line| edits.append(line, "use_authtok"));
        if first.file != check.file {
            // The file of the check may be that of other services, too.
            let added = Edits::default().before(first, &text);
            edits.push(use_it(added.clone()));
            edits.push(use_it(added).and(&all));
            edits.extend(
                before.iter().filter(|line| can_set(line)).map(|line| Edits::default().comment(line)),
            );
        }
        edits.push(use_it(moved.clone()).and(&all));
        edits.push(moved.clone());
        // A line that jumps over the check would jump over another line then.
        if let Some(jump) = before.last().filter(|line| line.control.contains("success=")) {
            edits.push(moved.comment(jump).and(&all));
        }
    }
    edits.extend(
        before
            .iter()
            .filter(|line| line.has("use_authtok"))
            .map(|line| Edits::default().word(line, "use_authtok", "")),
    );
    edits.extend(lines.iter().flat_map(shorter_jumps));
    // The second one takes the password that the first one set for the current one.
    edits.extend(
        behind.iter().filter(|line| is_second(line, lines)).map(|line| Edits::default().comment(line)),
    );
    if !matches!(fault, Fault::WeakSet(_) | Fault::Around(_)) {
        edits.extend(
            lines
                .iter()
                .filter(|line| !line.is_checking() && !can_set(line))
                .chain(&trial.group.stack.missing)
                .map(|line| Edits::default().comment(line)),
        );
    }
    edits
}

/// The lines behind the check whose modules may prompt for a new password.
pub(super) fn prompting(stack: &Stack) -> Vec<&StackEntry> {
    let behind = stack.checking().and_then(|at| stack.lines.get(at..)).unwrap_or_default();
    behind.iter().skip(1).filter(|line| prompts(line)).collect()
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

/// True for a line that sets passwords, behind another one that does.
fn is_second(line: &StackEntry, lines: &[StackEntry]) -> bool {
    let mut earlier = lines.iter().take_while(|other| other.place() != line.place());
    can_set(line) && earlier.any(can_set)
}

/// The line that sets the password with each shorter jump behind its success.
fn shorter_jumps(line: &StackEntry) -> Vec<Edits> {
    let jump = line.control.split_once("success=").filter(|_| can_set(line));
    let jump = jump.and_then(|(_, rest)| rest.split([' ', ']']).next()?.parse::<usize>().ok());
    let shorter = |jump: usize, to: usize| {
        Edits::default().word(line, &format!("[success={jump}"), &format!("[success={to}"))
    };
    jump.into_iter().flat_map(|jump| (1..jump.min(MAX_TRIES)).map(move |to| shorter(jump, to))).collect()
}

/// True for a module that prompts for a new password unless told not to.
fn prompts(line: &StackEntry) -> bool {
    const PROMPTING: [&str; 4] =
        ["pam_pwhistory.so", "pam_pwquality.so", "pam_cracklib.so", "pam_passwdqc.so"];
    (can_set(line) || PROMPTING.contains(&line.name())) && !line.has("use_authtok")
}

/// The line of a check that uses the password of another module, as one that prompts by itself.
fn asking(check: &StackEntry) -> Option<StackEntry> {
    let is_existing = |argument: &String| argument == "use_authtok" || argument == "use_first_pass";
    check.arguments.iter().any(is_existing).then(|| {
        let mut line = check.clone();
        line.arguments.retain(|argument| !is_existing(argument));
        line.arguments.push("retry=3".to_owned());
        line
    })
}

/// A deny behind the last line whose success ends the stack: without it, no line says that nothing was set.
fn denied(lines: &[StackEntry]) -> Vec<Edits> {
    let is_ending =
        |line: &&StackEntry| line.control == "sufficient" || line.control.contains("success=done");
    let last = lines.iter().rfind(is_ending);
    last.map(|line| Edits::default().after(line, DENY)).into_iter().collect()
}

/// Lines that end in a carriage return, which libpam gives to the module as a part of its last option.
fn without_returns(lines: &[StackEntry]) -> Option<Edits> {
    let has_return = |line: &&StackEntry| {
        let text = read_lossy(Path::new("/"), &line.file).unwrap_or_default();
        text.split('\n').nth(line.number.saturating_sub(1)).is_some_and(|text| text.ends_with('\r'))
    };
    let mut with = lines.iter().filter(has_return).peekable();
    with.peek()?;
    Some(with.fold(Edits::default(), Edits::no_return))
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
