//! A change is run through libpam: the lines of the host's stack in a folder of its own, without what would
//! set or count a password, as root and as an ordinary user, with a weak password and a random one.

use std::{fs, path::Path};

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_policy::{
    config::{Config, Enforce},
    policy::Context,
    site::Site,
};
use rustix::process::geteuid;

use super::replica;
use crate::{
    doctor::{
        Subject,
        child::{self, Ended, Failed, Ran, TrialChange},
        probe, remedy,
    },
    host::{pam_stack::StackEntry, user},
};

const CHECK: &str = "change";

/// The service of the copy: decisions about it in a log are the doctor's own.
const SERVICE: &str = "nearmiss-doctor";

/// The user that runs a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Actor {
    Root,
    User,
}

impl Actor {
    fn words(self) -> &'static str {
        match self {
            Actor::Root => "as root",
            Actor::User => "as an ordinary user",
        }
    }
}

/// An account of `/etc/passwd`.
struct Account {
    name: String,
    uid: u32,
}

/// The expected end of a change by an actor.
struct ExpectedEnd {
    /// True if the weak password must be rejected.
    rejects_weak: bool,
}

/// Runs the changes and judges them.
pub(super) fn examine(subject: &Subject, config: &Config) -> Vec<Finding> {
    let Some(stack) = &subject.stack else { return Vec::new() };
    if let Some(finding) = not_run(&subject.root, geteuid().is_root()) {
        return vec![finding];
    }
    let copy = match replica::Replica::new(&stack.lines, subject.named_conf()) {
        Ok(copy) => copy,
        Err(reason) => return vec![not_tried(&reason)],
    };
    let random = probe::random(1).pop().unwrap_or_default();
    let passwords = format!("{}\n{random}\n", probe::WEAK);
    let host = user::host_name();
    let mut findings = Vec::new();
    for actor in [Actor::Root, Actor::User] {
        let account = account(actor);
        let change = TrialChange {
            folder: copy.folder().to_owned(),
            service: SERVICE.to_owned(),
            user: account.name.clone(),
            uid: (actor == Actor::User).then_some(account.uid),
        };
        let arguments = change.arguments();
        let arguments: Vec<_> = arguments.iter().map(std::ffi::OsString::as_os_str).collect();
        let expected = ExpectedEnd::of(actor, config, subject.line(), &account.name, &host);
        findings.push(match child::ask::<Ran>(&arguments, &passwords) {
            Ok(Ran { error: None, changes }) => judge(subject, actor, &expected, &changes),
            Ok(Ran { error: Some(reason), .. }) | Err(Failed::NotStarted(reason)) => {
                not_tried(&format!("{}: {reason}", actor.words()))
            }
            Err(Failed::Ended(ended)) => {
                let message = format!("{}, a change through libpam {ended}", actor.words());
                Finding::wrong(keys::PAM_CHANGE, CHECK, message).fix("filterctl doctor --only stack")
            }
        });
    }
    findings
}

/// Why no change is run for the system in this folder; none if one is.
fn not_run(root: &Path, is_root: bool) -> Option<Finding> {
    if root != Path::new("/") {
        return Some(Finding::fine(CHECK, "the stack of another system is not run"));
    }
    let message = "only root can run a change through libpam: it was not tried";
    (!is_root).then(|| Finding::warning(keys::NOT_ROOT, CHECK, message).fix("sudo filterctl doctor"))
}

/// In a container libpam may be missing, or a process may not become another user: the rest of the
/// examination holds without.
fn not_tried(reason: &str) -> Finding {
    Finding::fine(CHECK, format!("could not be run through libpam here: {reason}"))
}

/// An account that every rule about users takes for an ordinary one, or root's.
fn account(actor: Actor) -> Account {
    let accounts = fs::read("/etc/passwd").unwrap_or_default();
    account_in(&String::from_utf8_lossy(&accounts), actor)
}

/// The same in the text of such a file.
fn account_in(accounts: &str, actor: Actor) -> Account {
    let parse = |line: &str| {
        let mut fields = line.split(':');
        let (name, uid) = (fields.next()?, fields.nth(1)?);
        Some(Account { name: name.to_owned(), uid: uid.parse().ok()? })
    };
    let is_person = |account: &Account| (1000..60_000).contains(&account.uid);
    let mut others: Vec<Account> = accounts.lines().filter_map(parse).filter(|own| own.uid != 0).collect();
    let person = others.iter().position(is_person).unwrap_or(0);
    if actor == Actor::Root || others.is_empty() {
        return Account { name: "root".to_owned(), uid: if actor == Actor::Root { 0 } else { 65_534 } };
    }
    others.swap_remove(person)
}

impl ExpectedEnd {
    /// The configured site's verdict on the weak password, and its force for the actor.
    fn of(actor: Actor, config: &Config, line: Option<&StackEntry>, name: &str, host: &[u8]) -> ExpectedEnd {
        let is_enforced = actor == Actor::User
            || config.line.enforce_for_root
            || line.is_some_and(|line| line.has("enforce_for_root"));
        let context = Context { user: name.as_bytes(), host, ..Context::default() };
        let decision = Site::new(config.clone()).decide(probe::WEAK.as_bytes(), &context);
        let is_rejected = decision.finding.is_some() && decision.enforce == Enforce::Reject;
        ExpectedEnd { rejects_weak: is_enforced && is_rejected }
    }
}

fn judge(subject: &Subject, actor: Actor, expected: &ExpectedEnd, changes: &[Ended]) -> Finding {
    let who = actor.words();
    let [weak, random] = changes else {
        return not_tried("a change did not end");
    };
    let wrong = |message: String| Finding::wrong(keys::PAM_CHANGE, CHECK, message);
    if !random.is_accepted {
        let when = if random.prompts == 0 { "before anything is typed" } else { "after it was typed" };
        let shown = random.shown.last().map_or_else(String::new, |shown| format!(": {shown}"));
        let message = format!("{who}, a random password is refused {when}: {}{shown}", random.words);
        return wrong(message).fix("filterctl doctor --only filters,ladder");
    }
    if expected.rejects_weak && weak.is_accepted {
        let message =
            format!("{who}, \"{}\" is accepted by the stack, though the filters have it", probe::WEAK);
        let fix = subject.line().map_or_else(|| "man pam_nearmiss".to_owned(), remedy::edit);
        return wrong(message).fix(fix);
    }
    let weak = if weak.is_accepted { "accepted" } else { "rejected" };
    Finding::fine(
        CHECK,
        format!(
            "{who}, libpam was run with the lines of the stack: \"{}\" is {weak}, a random password accepted",
            probe::WEAK
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;
    use nearmiss_cli::finding::State;

    #[test]
    fn changes_are_run_for_root_and_for_a_person_where_there_is_one() {
        let root = "root:x:0:0:root:/root:/bin/bash\n";
        let daemon = "no account\ndaemon:x:1:1:daemon:/:/usr/sbin/nologin\n";
        let others = "nobody:x:65534:65534::/:/bin/false\nann:x:1000:1000:Ann:/home/ann:/bin/bash\n";
        for (accounts, actor, name, uid) in [
            (format!("{root}{daemon}{others}"), Actor::Root, "root", 0),
            (format!("{root}{daemon}{others}"), Actor::User, "ann", 1000),
            (format!("{root}{daemon}"), Actor::User, "daemon", 1),
            (root.to_owned(), Actor::User, "root", 65_534),
            (String::new(), Actor::Root, "root", 0),
        ] {
            let account = account_in(&accounts, actor);
            assert_eq!((account.name.as_str(), account.uid), (name, uid), "{accounts}");
        }
    }

    /// Without a dictionary the weak password is weak by the names around it alone.
    fn rejects_weak(actor: Actor, settings: &str, option: &str, [name, host]: [&str; 2]) -> bool {
        let config = sample::config(settings, &[]);
        let line = StackEntry::parse(&format!("password requisite pam_nearmiss.so retry=3 {option}"));
        ExpectedEnd::of(actor, &config, line.as_ref(), name, host.as_bytes()).rejects_weak
    }

    #[test]
    fn the_weak_password_must_be_rejected_where_the_site_finds_it_weak_and_enforces_that() {
        let (user, host, neither) = (["password", "www"], ["ann", "password"], ["ann", "www"]);
        let (audit, for_root) = ("enforce = \"audit\"", "enforce_for_root = true");
        for (actor, settings, option, names, is_rejected) in [
            (Actor::User, "", "", user, true),
            (Actor::User, "", "", host, true),
            (Actor::User, "", "", neither, false),
            (Actor::User, audit, "", user, false),
            (Actor::Root, "", "", user, false),
            (Actor::Root, for_root, "", user, true),
            (Actor::Root, "", "enforce_for_root", user, true),
            (Actor::Root, "", "enforce_for_root", neither, false),
        ] {
            let rejects = rejects_weak(actor, settings, option, names);
            assert_eq!(rejects, is_rejected, "{} {settings} {option} {names:?}", actor.words());
        }
    }

    #[test]
    fn a_change_is_run_by_root_and_for_this_system_alone() {
        let state = |root, is_root| not_run(Path::new(root), is_root).map(|finding| finding.state);
        assert_eq!([state("/", true), state("/", false)], [None, Some(State::Warning)]);
        assert_eq!([true, false].map(|is_root| state("/srv/image", is_root)), [Some(State::Fine); 2]);
    }

    /// The finding about an actor's changes to the weak password and to a random one.
    fn judged(actor: Actor, rejects_weak: bool, weak: bool, random: bool) -> (State, String) {
        let ended = |is_accepted| Ended {
            is_accepted,
            words: "Authentication token manipulation error".to_owned(),
            prompts: 0,
            shown: Vec::new(),
        };
        let subject = sample::subject(Path::new("/"));
        let changes = [ended(weak), ended(random)];
        let finding = judge(&subject, actor, &ExpectedEnd { rejects_weak }, &changes);
        (finding.state, finding.message)
    }

    #[test]
    fn what_is_wrong_is_a_random_password_refused_or_a_weak_one_accepted_that_the_filters_have() {
        let refused = "a random password is refused before anything is typed";
        let (accepted, fine) = ("is accepted by the stack", "libpam was run with the lines of the stack");
        for (rejects_weak, weak, random, state, words) in [
            (true, false, true, State::Fine, fine),
            (false, false, true, State::Fine, fine),
            (false, true, true, State::Fine, fine),
            (true, true, true, State::Wrong, accepted),
            (true, false, false, State::Wrong, refused),
            (false, true, false, State::Wrong, refused),
        ] {
            for (actor, who) in [(Actor::User, "as an ordinary user, "), (Actor::Root, "as root, ")] {
                let (found, message) = judged(actor, rejects_weak, weak, random);
                let is_said = message.starts_with(who) && message.contains(words);
                assert!(found == state && is_said, "{rejects_weak} {weak} {random}: {message}");
            }
        }
    }
}
