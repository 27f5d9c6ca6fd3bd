//! The control of a line, as libpam reads it (`_pam_parse_control` in Linux-PAM's `pam_misc.c`; the words in
//! `pam_handlers.c`).

/// What a control does with a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::doctor) enum Action {
    /// Goes on.
    Next,
    /// Goes on, and the stack fails in the end.
    Bad,
    /// Fails at once.
    Die,
    /// Ends the stack, unless it fails already.
    Done,
    /// Continues as if the lines so far had no result.
    Reset,
    /// Jumps over this number of lines.
    Over(usize),
}

/// The results that a control may name: pam.d(5).
const RESULTS: [&str; 33] = [
    "success",
    "open_err",
    "symbol_err",
    "service_err",
    "system_err",
    "buf_err",
    "perm_denied",
    "auth_err",
    "cred_insufficient",
    "authinfo_unavail",
    "user_unknown",
    "maxtries",
    "new_authtok_reqd",
    "acct_expired",
    "session_err",
    "cred_unavail",
    "cred_expired",
    "cred_err",
    "no_module_data",
    "conv_err",
    "authtok_err",
    "authtok_recover_err",
    "authtok_lock_busy",
    "authtok_disable_aging",
    "try_again",
    "ignore",
    "abort",
    "authtok_expired",
    "module_unknown",
    "bad_item",
    "conv_again",
    "incomplete",
    "default",
];

/// The result that stands for those that a control does not name.
const DEFAULT: &str = "default";

/// The result for which only `default` stands in a control.
pub(in crate::doctor) const OTHER: &str = "";

/// The words of actions; a number of lines is another one.
const ACTIONS: [(&str, Action); 6] = [
    ("ignore", Action::Next),
    ("ok", Action::Next),
    ("done", Action::Done),
    ("bad", Action::Bad),
    ("die", Action::Die),
    ("reset", Action::Reset),
];

/// The action of a control for a result of a module. With a control that libpam cannot read, each fails.
pub(super) fn action(control: &str, result: &str) -> Action {
    let is_good = ["success", "new_authtok_reqd"].contains(&result);
    match control {
        "required" | "requisite" if is_good || result == "ignore" => return Action::Next,
        "required" => return Action::Bad,
        "requisite" => return Action::Die,
        "sufficient" => return if is_good { Action::Done } else { Action::Next },
        "optional" | "substack" => return Action::Next,
        _ => {}
    }
    let pairs = pairs(control).unwrap_or_default();
    // Of two actions for one result, the later one holds; the first `default` is for all that have none.
    let named = pairs.iter().rfind(|(name, _)| *name == result);
    named
        .or_else(|| pairs.iter().find(|(name, _)| *name == DEFAULT))
        .map_or(Action::Bad, |(_, action)| *action)
}

/// The actions that a control names.
pub(in crate::doctor) fn actions(control: &str) -> impl Iterator<Item = Action> {
    pairs(control).unwrap_or_default().into_iter().map(|(_, action)| action)
}

/// The results that a control names; [`OTHER`] for those that it does not.
pub(super) fn results(control: &str) -> impl Iterator<Item = &'static str> {
    let result = |name| if name == DEFAULT { OTHER } else { name };
    pairs(control).unwrap_or_default().into_iter().map(move |(name, _)| result(name))
}

/// True if libpam can read the control.
pub(in crate::doctor) fn is_read(control: &str) -> bool {
    ["required", "requisite", "sufficient", "optional", "substack"].contains(&control)
        || pairs(control).is_some()
}

/// The results that a control names, with their actions; none for a control with a mistake.
fn pairs(control: &str) -> Option<Vec<(&'static str, Action)>> {
    let mut rest = control.strip_prefix('[')?.strip_suffix(']')?.trim_ascii();
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let (name, value) = RESULTS.iter().find_map(|name| Some((*name, rest.strip_prefix(name)?)))?;
        let (action, more) = before(value.trim_ascii_start().strip_prefix('=')?.trim_ascii_start())?;
        pairs.push((name, action));
        rest = more.trim_ascii_start();
    }
    Some(pairs)
}

/// The action that a text begins with, and what is behind it.
fn before(text: &str) -> Option<(Action, &str)> {
    let word = ACTIONS.iter().find_map(|(word, action)| Some((*action, text.strip_prefix(word)?)));
    let number = || {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, rest) = text.split_at_checked(end)?;
        let lines: i32 = digits.parse().ok()?;
        Some((Action::Over(usize::try_from(lines).ok().filter(|lines| *lines > 0)?), rest))
    };
    word.or_else(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_is_its_actions() {
        for (control, of_success, of_failure) in [
            ("required", Action::Next, Action::Bad),
            ("requisite", Action::Next, Action::Die),
            ("sufficient", Action::Done, Action::Next),
            ("optional", Action::Next, Action::Next),
            ("[success=2 default=ignore]", Action::Over(2), Action::Next),
            ("[success=ok]", Action::Next, Action::Bad),
            ("[auth_err=die success=done default=bad]", Action::Done, Action::Die),
            ("[default=reset]", Action::Reset, Action::Reset),
            ("[success=1 success=2 auth_err=die auth_err=ignore]", Action::Over(2), Action::Next),
            ("[default=ignore success=done default=die]", Action::Done, Action::Next),
            ("[ success = 1 default = die ]", Action::Over(1), Action::Die),
            ("[success=okdefault=ignore]", Action::Next, Action::Next),
        ] {
            let of = |result| action(control, result);
            assert_eq!((of("success"), of("auth_err")), (of_success, of_failure), "{control}");
            assert!(is_read(control));
        }
    }

    /// A control with a mistake is no control without it: every result fails.
    #[test]
    fn a_control_with_a_mistake_fails() {
        for unread in [
            "sufficent",
            "[success=maybe default=ignore]",
            "[success=1 default=ignore",
            "[success=-1 default=ok]",
            "[success=+1 default=ok]",
            "[success=0 default=ignore]",
            "[success=2147483648 default=ignore]",
            "[sucess=1 default=ignore]",
            "[SUCCESS=1 default=ignore]",
            "[success=1 default]",
        ] {
            assert!(!is_read(unread), "{unread}");
            assert_eq!(actions(unread).count(), 0, "{unread}");
            for result in ["success", "auth_err", OTHER] {
                assert_eq!(action(unread, result), Action::Bad, "{unread}");
            }
        }
    }
}
