//! The ways through the lines of a stack, as libpam goes them (`_pam_dispatch_aux` in Linux-PAM's
//! `pam_dispatch.c`): a control says for each result of a module whether the stack goes on, jumps or ends.
//!
//! What a module returns is not known. The caller says which results it may have; every way is followed.

use std::collections::BTreeSet;

mod control;

pub(super) use control::{Action, actions, is_read};

use crate::host::pam_stack::{Link, StackEntry};
use control::{action, results};

/// The results of a module that does not make the stack fail: those that its line names, and the usual ones.
/// A module whose result is always the same has that one.
pub(super) fn usual(line: &StackEntry) -> Vec<&str> {
    match line.name() {
        "pam_deny.so" => return vec!["auth_err"],
        "pam_permit.so" => return vec!["success"],
        // It returns this for a failure that it counted.
        "pam_faillock.so" if line.has("authfail") => return vec!["ignore", "auth_err"],
        _ if line.is_ours() && !line.is_checking() => return vec!["ignore"],
        _ => {}
    }
    let all = results(&line.control)
        .chain(["success", "ignore"])
        .filter(|result| !matches!(action(&line.control, result), Action::Bad | Action::Die));
    let found: BTreeSet<&str> = all.collect();
    if found.is_empty() { vec!["success"] } else { found.into_iter().collect() }
}

/// A place on a way: the number of a line, whether the stack fails in any case, what the caller remembers.
type Place = (usize, bool, u8);

/// The lines that are reached, each with what the caller remembers there. `results` has the results that a
/// line may have, given what was remembered before, each with what is remembered behind it.
pub(super) fn reached<'l>(
    links: &'l [Link],
    results: impl Fn(usize, &'l StackEntry, u8) -> Vec<(&'l str, u8)>,
) -> BTreeSet<(usize, u8)> {
    let (mut open, mut seen) = (vec![(0, false, 0)], BTreeSet::<Place>::new());
    while let Some(place @ (at, fails, memory)) = open.pop() {
        let Some(link) = links.get(at) else { continue };
        if !seen.insert(place) {
            continue;
        }
        let results = if link.is_head() { vec![("ignore", memory)] } else { results(at, &link.line, memory) };
        for (result, memory) in results {
            let (next, fails) = follow(links, at, fails, action(&link.line.control, result));
            open.push((next, fails, memory));
        }
    }
    seen.into_iter().map(|(at, _, memory)| (at, memory)).collect()
}

/// True if this result of a line leads to one of these lines; none if the line is not reached. The others
/// have the results that `others` gives them.
pub(super) fn leads<'l>(
    links: &'l [Link],
    (from, result): (usize, &'l str),
    to: &[usize],
    others: impl Fn(usize, &'l StackEntry) -> Vec<&'l str>,
) -> Option<bool> {
    let ways = reached(links, |at, line, memory| {
        if at == from {
            return vec![(result, 1)];
        }
        others(at, line).into_iter().map(|result| (result, memory)).collect()
    });
    let is_reached = ways.iter().any(|(at, _)| *at == from);
    is_reached.then(|| to.iter().any(|at| ways.contains(&(*at, 1))))
}

/// The next line, and whether the stack fails in any case.
fn follow(links: &[Link], at: usize, fails: bool, action: Action) -> (usize, bool) {
    let next = at.saturating_add(1);
    match action {
        Action::Next => (next, fails),
        Action::Bad => (next, true),
        Action::Reset => (next, false),
        Action::Die => (end(links, at), true),
        Action::Done if fails => (next, true),
        Action::Done => (end(links, at), false),
        Action::Over(count) => over(links, at, fails, count),
    }
}

fn level(links: &[Link], at: usize) -> Option<usize> {
    links.get(at).map(|link| link.level)
}

/// The line behind the substack that a line is in, or behind the stack.
fn end(links: &[Link], at: usize) -> usize {
    let own = level(links, at).unwrap_or(0);
    let mut next = at.saturating_add(1);
    while level(links, next).is_some_and(|other| other >= own) {
        next = next.saturating_add(1);
    }
    next
}

/// The line behind so many; a substack counts as one. A jump over more than there are fails.
fn over(links: &[Link], at: usize, fails: bool, count: usize) -> (usize, bool) {
    let own = level(links, at).unwrap_or(0);
    let (mut next, mut left) = (at.saturating_add(1), count);
    while left > 0 && level(links, next).is_some_and(|other| other >= own) {
        next = next.saturating_add(1);
        while level(links, next).is_some_and(|other| other > own) {
            next = next.saturating_add(1);
        }
        left = left.saturating_sub(1);
    }
    (next, fails || left > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines with the number of substacks around them, as in `> required pam_x.so`.
    fn links(texts: &[&str]) -> Vec<Link> {
        let link = |text: &&str| {
            let inner = text.trim_start_matches('>');
            let line = StackEntry::parse(&format!("auth {}", inner.trim())).unwrap();
            Link { line, level: text.len() - inner.len() }
        };
        texts.iter().map(link).collect()
    }

    /// The modules that are reached where `pam_x.so` has this result, and the others the usual ones.
    fn with(texts: &[&str], result: &'static str) -> Vec<String> {
        let links = links(texts);
        let reached = reached(&links, |_, line, memory| {
            let of = if line.name() == "pam_x.so" { vec![result] } else { usual(line) };
            of.into_iter().map(|result| (result, memory)).collect()
        });
        let mut names: Vec<String> = reached
            .into_iter()
            .map(|(at, _)| links[at].line.module.trim_start_matches("pam_").replace(".so", ""))
            .collect();
        names.dedup();
        names
    }

    #[test]
    fn the_usual_results_do_not_fail() {
        let results = |line: &str| usual(&StackEntry::parse(line).unwrap()).join(" ");
        assert_eq!(results("auth [default=1 success=ok] pam_localuser.so"), " ignore success");
        assert_eq!(results("auth [default=die] pam_faillock.so authfail"), "ignore auth_err");
        assert_eq!(results("auth requisite pam_deny.so"), "auth_err");
        assert_eq!(results("auth required pam_env.so"), "ignore success");
    }

    #[test]
    fn results_lead_on_over_lines_or_to_the_end() {
        let debian = ["[success=1 default=ignore] pam_x.so", "requisite pam_deny.so", "required pam_end.so"];
        assert_eq!(with(&debian, "success"), ["x", "end"]);
        assert_eq!(with(&debian, "auth_err"), ["x", "deny"]);
        let sufficient = ["sufficient pam_x.so", "required pam_deny.so", "required pam_end.so"];
        assert_eq!(with(&sufficient, "success"), ["x"]);
        assert_eq!(with(&sufficient, "auth_err"), ["x", "deny", "end"]);
        // A stack that fails already does not end in success.
        let failed = ["required pam_deny.so", "sufficient pam_x.so", "optional pam_end.so"];
        assert_eq!(with(&failed, "success"), ["deny", "x", "end"]);
        assert_eq!(with(&["[success=5 default=ok] pam_x.so", "required pam_end.so"], "success"), ["x"]);
    }

    /// A substack is one line to a jump, and what ends inside it ends it alone.
    #[test]
    fn a_substack_ends_alone_and_is_jumped_over_as_one() {
        let inside = ["substack s", ">sufficient pam_x.so", ">required pam_deny.so", "optional pam_end.so"];
        assert_eq!(with(&inside, "success"), ["s", "x", "end"]);
        assert_eq!(with(&inside, "auth_err"), ["s", "x", "deny", "end"]);
        let over = [
            "[success=1 default=ignore] pam_x.so",
            "substack s",
            ">required pam_in.so",
            ">required pam_in.so",
            "optional pam_end.so",
        ];
        assert_eq!(with(&over, "success"), ["x", "end"]);
        let within = [
            "substack s",
            ">[success=3 default=ignore] pam_x.so",
            ">required pam_in.so",
            "optional pam_end.so",
        ];
        assert_eq!(with(&within, "success"), ["s", "x", "end"]);
    }
}
