//! The one line of the system log for each decision, made to be parsed: docs/monitor.md lists its words.

use std::fmt::Write;

use nearmiss_policy::{
    policy::Reason,
    site::{Cause, Trouble, Unusable},
};

/// The decision about a password, or about a change before anything was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No rule rejected it; with the word of the first part of the check that was skipped.
    Accept { unchecked: Option<&'static str> },
    /// It is weak, with the enforcement of that verdict.
    Weak(Reason, Bound),
    /// It is weak but was set, because the check did not see it; with the enforcement that the check would
    /// have applied.
    Bypassed(Reason, Bound),
    /// It was set without the check, and cannot be judged, for which the check would have refused the change.
    Unjudged(Refusal),
    /// The change is refused for a reason other than the password.
    Refuse(Refusal),
    /// A login was with a leaked password.
    Listed,
}

/// The enforcement of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The password is rejected.
    Yes,
    /// The user was warned: the level of enforcement.
    Warn,
    /// It was only counted: the level of enforcement.
    Audit,
    /// Root was warned, since the check does not bind root.
    Root,
}

/// The reason why a change is refused, other than the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// A part of the check cannot be used: the part, and the code of its error.
    Part(Cause, &'static str),
    /// The stack or the program does not provide data that a check needs.
    Stack(Lack),
}

/// Data that neither the stack nor the program provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// `use_authtok`, but no earlier module set a password.
    Password,
    /// libpam does not know whose password it is.
    User,
    /// The call is neither of the two of a password change.
    Call,
}

impl Refusal {
    /// The refusal for a part that cannot be used.
    pub(crate) fn of(unusable: &Unusable) -> Refusal {
        Refusal::Part(unusable.cause, unusable.trouble.code())
    }

    /// The refusal for a caught panic.
    pub(crate) fn fault() -> Refusal {
        Refusal::of(&Unusable::fault())
    }

    /// True for a failure of the system, which a user can cause: a limit of the process.
    pub(crate) fn may_be_provoked(self) -> bool {
        matches!(self, Refusal::Part(_, trouble) if trouble == Trouble::System.code())
    }

    /// The part, for `reason=`.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Refusal::Part(Cause::Filter, _) => "filter",
            Refusal::Part(Cause::Configuration, _) => "configuration",
            Refusal::Part(Cause::Fault, _) => "fault",
            Refusal::Part(Cause::Ladder | Cause::Guesses, _) => "ladder",
            Refusal::Stack(_) => "stack",
        }
    }

    /// The part's fault, for `cause=`.
    pub(crate) fn cause(self) -> &'static str {
        match self {
            Refusal::Part(_, trouble) => trouble,
            Refusal::Stack(Lack::Password) => "no-password",
            Refusal::Stack(Lack::User) => "no-user",
            Refusal::Stack(Lack::Call) => "no-call",
        }
    }
}

/// The actor, the user and the program of a change.
pub(crate) struct Scene<'s> {
    /// The number of the decision in this change, from 1.
    pub(crate) number: u32,
    pub(crate) user: &'s [u8],
    pub(crate) service: Option<&'s [u8]>,
    pub(crate) remote_host: Option<&'s [u8]>,
}

/// `key=value` pairs in this order, separated by one space; no value contains a space. New pairs are added at
/// the end.
pub(crate) fn decision(verdict: Verdict, scene: &Scene<'_>) -> String {
    let (decision, reason, enforced, cause) = match verdict {
        Verdict::Accept { unchecked: None } => ("accept", "-", "yes", "-"),
        Verdict::Accept { unchecked: Some(cause) } => ("accept", "unchecked", "yes", cause),
        Verdict::Weak(reason, bound) => ("reject", reason.code(), bound.code(), "-"),
        Verdict::Bypassed(reason, bound) => ("bypassed", reason.code(), bound.code(), "-"),
        Verdict::Unjudged(refusal) => ("bypassed", refusal.reason(), "yes", refusal.cause()),
        Verdict::Refuse(refusal) => ("refuse", refusal.reason(), "yes", refusal.cause()),
        Verdict::Listed => ("listed", Reason::Breached.code(), "warn", "-"),
    };
    let user = Some(scene.user).filter(|user| !user.is_empty());
    let [user, service, host] =
        [user, scene.service, scene.remote_host].map(|name| name.map_or("-".into(), value));
    let attempt = scene.number;
    format!(
        "decision={decision} reason={reason} enforced={enforced} try={attempt} user={user} service={service} \
         rhost={host} cause={cause}"
    )
}

impl Bound {
    const fn code(self) -> &'static str {
        match self {
            Bound::Yes => "yes",
            Bound::Warn => "warn",
            Bound::Audit => "audit",
            Bound::Root => "root",
        }
    }
}

/// Longest value, in bytes.
const LONGEST_VALUE: usize = 128;

/// A name without spaces, quotes, `=` and non-printable bytes, which are written as `%XX`.
pub(super) fn value(name: &[u8]) -> String {
    let mut text = String::new();
    for &byte in name.iter().take(LONGEST_VALUE) {
        if byte.is_ascii_graphic() && !b"\"'=%\\".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use super::*;

    const LACKS: [Lack; 3] = [Lack::Password, Lack::User, Lack::Call];

    #[test]
    fn a_decision_is_one_line_of_pairs() {
        let scene = Scene { number: 2, user: b"ann o=\"\xe9\n", service: Some(b"passwd"), remote_host: None };
        let weak = |bound| decision(Verdict::Weak(Reason::NearDictionary, bound), &scene);
        let rest = "try=2 user=ann%20o%3D%22%E9%0A service=passwd rhost=-";
        let rejected = format!("decision=reject reason=near-dictionary enforced=yes {rest} cause=-");
        assert_eq!(weak(Bound::Yes), rejected);
        for (bound, enforced) in [(Bound::Warn, "warn"), (Bound::Audit, "audit"), (Bound::Root, "root")] {
            assert!(weak(bound).contains(&format!(" enforced={enforced} ")));
        }
        let accepted = decision(Verdict::Accept { unchecked: None }, &scene);
        assert_eq!(accepted, format!("decision=accept reason=- enforced=yes {rest} cause=-"));
        let unchecked = decision(Verdict::Accept { unchecked: Some("damaged") }, &scene);
        assert_eq!(unchecked, format!("decision=accept reason=unchecked enforced=yes {rest} cause=damaged"));
        let refused = decision(Verdict::Refuse(Refusal::Part(Cause::Filter, "missing")), &scene);
        assert_eq!(refused, format!("decision=refuse reason=filter enforced=yes {rest} cause=missing"));
        let bypassed = decision(Verdict::Bypassed(Reason::Dictionary, Bound::Yes), &scene);
        assert_eq!(bypassed, format!("decision=bypassed reason=dictionary enforced=yes {rest} cause=-"));
        let unjudged = decision(Verdict::Unjudged(Refusal::Part(Cause::Filter, "missing")), &scene);
        assert_eq!(unjudged, format!("decision=bypassed reason=filter enforced=yes {rest} cause=missing"));
        let listed = decision(Verdict::Listed, &scene);
        assert_eq!(listed, format!("decision=listed reason=breached enforced=warn {rest} cause=-"));
        let nobody = Scene { user: b"", ..scene };
        let lack = decision(Verdict::Refuse(Refusal::Stack(Lack::User)), &nobody);
        assert!(lack.contains(" reason=stack ") && lack.contains(" user=- ") && lack.ends_with("=no-user"));
    }

    /// The words in code of the first column of the table that follows this mark in docs/monitor.md.
    fn listed(mark: &str) -> BTreeSet<String> {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/monitor.md");
        let page = fs::read_to_string(page).unwrap();
        let (_, table) = page.split_once(mark).unwrap();
        let rows = table.lines().skip_while(|line| !line.starts_with("| `"));
        let cells = rows.take_while(|line| line.starts_with("| `")).filter_map(|row| row.split('|').nth(1));
        cells.map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
    }

    #[test]
    fn the_page_lists_every_reason_of_a_refusal_and_no_other() {
        let parts = Cause::ALL.into_iter().map(|cause| Refusal::Part(cause, "-"));
        let reasons = parts.chain(LACKS.map(Refusal::Stack)).map(|refusal| refusal.reason().to_owned());
        assert_eq!(listed("<!-- reasons -->"), reasons.collect());
    }

    #[test]
    fn the_page_lists_every_cause_of_a_refusal_and_no_other() {
        let lacks = LACKS.map(|lack| Refusal::Stack(lack).cause());
        let causes = Trouble::CODES.into_iter().chain(lacks).map(str::to_owned);
        assert_eq!(listed("<!-- causes -->"), causes.collect());
    }
}
