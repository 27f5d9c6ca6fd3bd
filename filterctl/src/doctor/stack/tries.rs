//! The edits that are tried for a fault of a stack, the mildest first: a function for each kind.

use std::path::Path;

use super::{
    edits::{Edits, text_of},
    faults::Fault,
    modules::can_set,
};
use crate::host::{
    pam_stack::{Stack, StackEntry},
    text_file::read_lossy,
};

/// The line that ends a stack in which nobody has set the password.
const DENY: &str = "password required pam_deny.so";

/// The most edits that are tried for one fault.
pub(super) const MAX_TRIES: usize = 16;

/// The kinds of edits of a stack with a check; a milder one is tried before the others.
const KINDS: [fn(&Cut<'_>) -> Vec<Edits>; 11] = [
    use_authtok_behind,
    denied,
    requisite,
    prompting_itself,
    check_first,
    check_added_first,
    check_first_for_all,
    prompting_before,
    shorter_jumps,
    without_second,
    without_others,
];

/// Edits that may take a fault of a stack away; `line` is put into a stack without a check.
pub(super) fn of(stack: &Stack, line: &str, fault: Fault) -> Vec<Edits> {
    let mut edits: Vec<Edits> = without_returns(&stack.lines).into_iter().collect();
    match Cut::of(stack, fault) {
        Some(cut) => edits.extend(KINDS.iter().flat_map(|kind| kind(&cut))),
        None => edits.extend(stack.lines.iter().map(|own| Edits::default().before(own, line))),
    }
    edits
}

/// A stack, cut at the line of the check.
struct Cut<'s> {
    stack: &'s Stack,
    before: &'s [StackEntry],
    check: &'s StackEntry,
    behind: &'s [StackEntry],
    fault: Fault,
}

impl<'s> Cut<'s> {
    fn of(stack: &'s Stack, fault: Fault) -> Option<Cut<'s>> {
        let (before, rest) = stack.lines.split_at_checked(stack.checking()?)?;
        let (check, behind) = rest.split_first()?;
        Some(Cut { stack, before, check, behind, fault })
    }

    /// The edits, and `use_authtok` on each line behind the check that prompts.
    fn quiet_behind(&self, edits: Edits) -> Edits {
        edits.and(&with_use_authtok(Edits::default(), &prompting(self.stack)))
    }

    /// The same on each line before it.
    fn quiet_before(&self, edits: Edits) -> Edits {
        with_use_authtok(edits, &self.before.iter().filter(|line| prompts(line)).collect::<Vec<_>>())
    }

    /// The first line before the check, and the line of a check in its place, which prompts by itself.
    fn first(&self) -> Option<(&'s StackEntry, String)> {
        let text = text_of(&asking(self.check).unwrap_or_else(|| self.check.clone()));
        Some((self.before.first()?, text.replacen(&self.check.control, "requisite", 1)))
    }

    /// The check before all other lines; none if it is there.
    fn moved(&self) -> Option<Edits> {
        self.first().map(|(first, text)| Edits::default().before(first, &text).delete(self.check))
    }
}

fn with_use_authtok(edits: Edits, lines: &[&StackEntry]) -> Edits {
    lines.iter().fold(edits, |edits, line| edits.append(line, "use_authtok"))
}

/// `use_authtok` on one of the lines behind the check that prompt, then on all of them.
fn use_authtok_behind(cut: &Cut<'_>) -> Vec<Edits> {
    let prompting = prompting(cut.stack);
    let each = prompting.iter().map(|line| Edits::default().append(line, "use_authtok"));
    let all = (prompting.len() > 1).then(|| cut.quiet_behind(Edits::default()));
    each.chain(all).collect()
}

/// A deny behind the last line whose success ends the stack: without it, no line says that nothing was set.
fn denied(cut: &Cut<'_>) -> Vec<Edits> {
    let is_ending =
        |line: &&StackEntry| line.control == "sufficient" || line.control.contains("success=done");
    let last = cut.stack.lines.iter().rfind(is_ending);
    last.map(|line| Edits::default().after(line, DENY)).into_iter().collect()
}

/// A verdict of the check that counts.
fn requisite(cut: &Cut<'_>) -> Vec<Edits> {
    let check = cut.check;
    let firm =
        (check.control != "requisite").then(|| Edits::default().word(check, &check.control, "requisite"));
    firm.into_iter().collect()
}

/// A check that prompts where it took the password of another module.
fn prompting_itself(cut: &Cut<'_>) -> Vec<Edits> {
    let asking = asking(cut.check).map(|_| Edits::default().word(cut.check, "use_authtok", "retry=3"));
    asking.into_iter().collect()
}

/// The check before all other lines, which no longer prompt behind it.
fn check_first(cut: &Cut<'_>) -> Vec<Edits> {
    cut.moved().map(|moved| cut.quiet_behind(moved)).into_iter().collect()
}

/// A second line of the check, where the file of the first one may be that of other services, too; or the
/// lines before it set nothing.
fn check_added_first(cut: &Cut<'_>) -> Vec<Edits> {
    let Some((first, text)) = cut.first().filter(|(first, _)| first.file != cut.check.file) else {
        return Vec::new();
    };
    let added = cut.quiet_before(Edits::default().before(first, &text));
    let setting = cut.before.iter().filter(|line| can_set(line));
    let without = setting.map(|line| Edits::default().comment(line));
    [added.clone(), cut.quiet_behind(added)].into_iter().chain(without).collect()
}

/// The check before all other lines, none of which prompts behind it; or the check alone moved; or without a
/// line that jumped over it, and would jump over another one then.
fn check_first_for_all(cut: &Cut<'_>) -> Vec<Edits> {
    let Some(moved) = cut.moved() else { return Vec::new() };
    let jump = cut.before.last().filter(|line| line.control.contains("success="));
    let unjumped = jump.map(|jump| cut.quiet_behind(moved.clone().comment(jump)));
    let quiet = cut.quiet_behind(cut.quiet_before(moved.clone()));
    [quiet, moved].into_iter().chain(unjumped).collect()
}

/// A line before the check that prompts for the password that the check takes.
fn prompting_before(cut: &Cut<'_>) -> Vec<Edits> {
    let silent = cut.before.iter().filter(|line| line.has("use_authtok"));
    silent.map(|line| Edits::default().word(line, "use_authtok", "")).collect()
}

/// The line that sets the password with each shorter jump behind its success.
fn shorter_jumps(cut: &Cut<'_>) -> Vec<Edits> {
    cut.stack.lines.iter().flat_map(shorter_jumps_of).collect()
}

fn shorter_jumps_of(line: &StackEntry) -> Vec<Edits> {
    let jump = line.control.split_once("success=").filter(|_| can_set(line));
    let jump = jump.and_then(|(_, rest)| rest.split([' ', ']']).next()?.parse::<usize>().ok());
    let shorter = |jump: usize, to: usize| {
        Edits::default().word(line, &format!("[success={jump}"), &format!("[success={to}"))
    };
    jump.into_iter().flat_map(|jump| (1..jump.min(MAX_TRIES)).map(move |to| shorter(jump, to))).collect()
}

/// The stack without a second line that sets passwords: it takes the one that the first has set for the
/// current one.
fn without_second(cut: &Cut<'_>) -> Vec<Edits> {
    let second = cut.behind.iter().filter(|line| is_second(line, &cut.stack.lines));
    second.map(|line| Edits::default().comment(line)).collect()
}

/// The stack without another module, where it is not known to let weak passwords through.
fn without_others(cut: &Cut<'_>) -> Vec<Edits> {
    if matches!(cut.fault, Fault::WeakSet(_) | Fault::Around(_)) {
        return Vec::new();
    }
    let others = cut.stack.lines.iter().filter(|line| !line.is_checking() && !can_set(line));
    others.chain(&cut.stack.missing).map(|line| Edits::default().comment(line)).collect()
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

/// The lines behind the check whose modules may prompt for a new password.
pub(super) fn prompting(stack: &Stack) -> Vec<&StackEntry> {
    let behind = stack.checking().and_then(|at| stack.lines.get(at..)).unwrap_or_default();
    behind.iter().skip(1).filter(|line| prompts(line)).collect()
}

/// True for a line that sets passwords, behind another one that does.
pub(super) fn is_second(line: &StackEntry, lines: &[StackEntry]) -> bool {
    let mut earlier = lines.iter().take_while(|other| other.place() != line.place());
    can_set(line) && earlier.any(can_set)
}

/// True for a module that prompts for a new password unless told not to.
pub(super) fn prompts(line: &StackEntry) -> bool {
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::doctor::stack::script::ScriptStep;

    /// A stack of these lines, of which the first `included` ones are of a file of their own.
    fn stack(lines: &[&str], included: usize) -> Stack {
        let numbered = |(at, text): (usize, &&str)| {
            let line = StackEntry::parse(text).unwrap();
            let file = if at < included { "/none/pam.d/common" } else { "/none/pam.d/x" };
            StackEntry { file: PathBuf::from(file), number: at + 1, ..line }
        };
        let lines = lines.iter().enumerate().map(numbered).collect();
        Stack { file: PathBuf::from("/none/pam.d/x"), lines, missing: Vec::new() }
    }

    /// Each kind, in the order in which they are tried.
    #[test]
    fn the_mildest_edits_come_first() {
        let lines = [
            "password [success=2 default=ignore] pam_unix.so",
            "password required pam_nearmiss.so use_authtok",
            "password required pam_pwquality.so",
            "password sufficient pam_unix.so",
        ];
        let stack = stack(&lines, 1);
        let all = &stack.lines;
        let edits = Edits::default;
        let text = "password requisite pam_nearmiss.so retry=3";
        let behind = |edits: Edits| edits.append(&all[2], "use_authtok").append(&all[3], "use_authtok");
        let moved = || edits().before(&all[0], text).delete(&all[1]);
        let added = || edits().before(&all[0], text).append(&all[0], "use_authtok");
        let expected = [
            edits().append(&all[2], "use_authtok"),
            edits().append(&all[3], "use_authtok"),
            behind(edits()),
            edits().after(&all[3], DENY),
            edits().word(&all[1], "required", "requisite"),
            edits().word(&all[1], "use_authtok", "retry=3"),
            behind(moved()),
            added(),
            behind(added()),
            edits().comment(&all[0]),
            behind(moved().append(&all[0], "use_authtok")),
            moved(),
            behind(moved().comment(&all[0])),
            edits().word(&all[0], "[success=2", "[success=1"),
            edits().comment(&all[3]),
        ];
        let weak = of(&stack, "", Fault::WeakSet(ScriptStep::Weak));
        assert_eq!(weak, expected);
        let nobody = of(&stack, "", Fault::NobodyCan);
        assert_eq!(nobody, [&expected[..], &[edits().comment(&all[2])]].concat());
    }

    #[test]
    fn a_stack_without_a_check_gets_its_line_before_each_other() {
        let stack = stack(&["password required pam_unix.so", "password required pam_permit.so"], 0);
        let line = "password requisite pam_nearmiss.so retry=3";
        let before = |at: usize| Edits::default().before(&stack.lines[at], line);
        assert_eq!(of(&stack, line, Fault::NobodyCan), [before(0), before(1)]);
    }
}
