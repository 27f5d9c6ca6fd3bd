use std::fs;

use super::*;
use crate::doctor::pam_auth_update;

const DEBIAN: &str = "\
    auth [success=5 default=ignore] pam_unix.so nullok # a comment\n\
    auth [success=4 default=ignore] pam_sss.so use_first_pass\n\
    auth [default=ignore] pam_nearmiss.so failed\n\
    auth [default=die] pam_faillock.so authfail\n\
    auth sufficient pam_faillock.so authsucc\n\
    auth requisite pam_deny.so\n\
    auth required pam_permit.so\n\
    auth optional pam_nearmiss.so passed\n\
    account [default=1 new_authtok_reqd=ignore] pam_nearmiss.so notify force-change\n\
    account optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire\n\
    account [success=1 default=ignore] pam_unix.so\n";
const RHEL: &str = "\
    auth required pam_faillock.so preauth silent\n\
    auth sufficient pam_unix.so nullok\n\
    auth [default=ignore] pam_nearmiss.so failed\n\
    auth required pam_faillock.so authfail\n\
    auth required pam_deny.so\n";

/// A system with these files in its folder of services.
fn system(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("etc/pam.d")).unwrap();
    write(root.path(), files);
    root
}

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        fs::write(root.join("etc/pam.d").join(name), text).unwrap();
    }
}

/// The helper of the expiry lines, which belongs to root only where the tests do.
fn give_helper(root: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let helper = root.join(HELPER.trim_start_matches('/'));
    fs::create_dir_all(helper.parent().unwrap()).unwrap();
    fs::write(&helper, "").unwrap();
    fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_missing_line_is_enabled_by_a_command_and_a_misplaced_one_is_edited() {
    let root = system(&[]);
    let stack = root.path().join("etc/pam.d/common-auth");
    let found = |text: &str| -> Vec<(State, Option<String>)> {
        fs::write(&stack, text).unwrap();
        examine(root.path()).into_iter().map(|finding| (finding.state, finding.fix)).collect()
    };
    assert_eq!(found(RHEL), [(State::Fine, None)]);
    let early = "auth optional pam_nearmiss.so failed\nauth sufficient pam_unix.so\n";
    let edit = format!("vi +1 {}", stack.display());
    assert!(found(early).contains(&(State::Wrong, Some(edit))), "{:?}", found(early));
    let managed = pam_auth_update::tests::system("nearmiss-failed");
    let [finding] = examine(managed.path()).try_into().unwrap();
    let enable = "pam-auth-update --enable nearmiss-failed".to_owned();
    assert_eq!((finding.state, finding.fix), (State::Warning, Some(enable)));
}

/// The messages of what is not fine, with their states, of a system whose service sshd has this text.
fn problems(text: &str) -> Vec<(State, String)> {
    let root = system(&[("sshd", text)]);
    give_helper(root.path());
    let has_helper = has_helper(root.path());
    let found = examine(root.path()).into_iter().filter(|finding| finding.state != State::Fine);
    // Only root can give the helper to root.
    let is_of_helper = |message: &str| !has_helper && message.contains("does not belong to root");
    found.map(|f| (f.state, f.message)).filter(|(_, message)| !is_of_helper(message)).collect()
}

fn wrong(text: &str) -> String {
    let found = problems(text);
    assert_eq!((found.len(), found[0].0), (1, State::Wrong), "{found:?}");
    found[0].1.clone()
}

#[test]
fn the_orders_of_the_manual_are_right() {
    assert_eq!(problems(DEBIAN), []);
    assert_eq!(problems(RHEL), []);
}

#[test]
fn a_line_in_the_wrong_place_is_named() {
    let moved = |line: &str, before: &str| {
        let (rest, line): (Vec<&str>, _) = (DEBIAN.lines().filter(|l| !l.contains(line)).collect(), line);
        let moved = DEBIAN.lines().find(|l| l.contains(line)).unwrap();
        let at = rest.iter().position(|l| l.contains(before)).unwrap();
        [&rest[..at], &[moved], &rest[at..]].concat().join("\n")
    };
    assert!(wrong(&moved("failed", "authsucc")).contains("never counts"));
    let short = problems(&DEBIAN.replace("success=4", "success=ok"));
    assert!(short[0].0 == State::Wrong && short[0].1.contains("increase its jump"), "{short:?}");
    assert!(wrong(&moved("account [success=1", "notify force-change")).contains("after pam_unix"));
    assert!(wrong(&moved("pam_exec", "auth required pam_permit")).contains("lock users out"));
    let early = problems(&moved("failed", "pam_sss"));
    assert!(early.iter().any(|(_, message)| message.contains("before pam_sss.so")), "{early:?}");
    let over = problems(&moved("passed", "pam_deny"));
    assert!(over.iter().all(|(_, message)| message.contains("does not reach the line passed")), "{over:?}");
    assert_eq!(over.len(), 2, "both successes jump over it: {over:?}");
    let root = system(&[("sshd", DEBIAN)]);
    assert!(examine(root.path())[0].message.contains("is missing"), "the helper");
}

/// What counts is the stack of the service at which passwords are guessed, with what it includes.
#[test]
fn a_line_counts_where_the_service_has_it() {
    let unix = "auth [success=1 default=ignore] pam_unix.so\n";
    let failed = "auth [default=ignore] pam_nearmiss.so failed\n";
    let end = "auth requisite pam_deny.so\nauth required pam_permit.so\n";
    let right = format!("auth [success=2 default=ignore] pam_unix.so\n{failed}{end}");
    let plain = format!("{unix}{end}");
    let found = |files: &[(&str, &str)]| {
        let found = examine(system(files).path());
        found.into_iter().map(|finding| (finding.state, finding.message)).collect::<Vec<_>>()
    };
    let sshd = "@include common-auth\naccount required pam_unix.so\n";
    assert_eq!(found(&[("sshd", sshd), ("common-auth", &right)])[0].0, State::Fine);
    let (state, message) = found(&[("sshd", &(sshd.to_owned() + failed)), ("common-auth", &plain)]).remove(0);
    assert!(state == State::Wrong && message.contains("never counts"), "only successes reach it: {message}");
    for unused in ["base-auth", "system-auth", "login"] {
        let files = [("sshd", sshd), ("common-auth", &plain), (unused, &*right)];
        let (state, message) = found(&files).remove(0);
        assert!(state == State::Warning && message.starts_with("sshd: no auth line"), "{unused}: {message}");
    }
    // A part that cannot be read is not said to be well.
    for (first, why) in [
        ("auth include gone\n", "gone is not there"),
        ("auth [success=often] pam_x.so\n", "is no control that is known"),
        ("auth sufficent pam_x.so\n", "is no control that is known"),
    ] {
        let (state, message) = found(&[("sshd", &format!("{first}{right}"))]).remove(0);
        assert!(state == State::Unjudged && message.contains(why), "{message}");
    }
    let (state, message) = found(&[("sshd", &format!("auth required pam_own.so\n{failed}"))]).remove(0);
    assert!(state == State::Unjudged && message.contains("is known to verify"), "{message}");
}

#[test]
fn a_ladder_that_nothing_feeds_is_a_warning() {
    let found = problems("# auth optional pam_nearmiss.so failed\nauth required pam_unix.so\n");
    assert_eq!((found.len(), found[0].0), (1, State::Warning));
    assert!(found[0].1.contains("failed logins are not counted"));
}

#[test]
fn the_lines_about_logins_that_succeed_are_found() {
    let of = |text: &str| {
        let root = system(&[("sshd", text)]);
        give_helper(root.path());
        LoginLines::below(root.path())
    };
    let seen = |lines: &LoginLines| [lines.passed, lines.notify, lines.force_change];
    assert_eq!(seen(&of(DEBIAN)), [true; 3]);
    assert_eq!(seen(&of(&DEBIAN.replace(" force-change", ""))), [true, true, false]);
    assert_eq!(seen(&of(RHEL)), [false; 3]);
    let early: String = DEBIAN.lines().rev().flat_map(|line| [line, "\n"]).collect();
    let found: Vec<String> = of(&early).misplaced(CHECK).map(|finding| finding.message).collect();
    for part in ["passed is reached without", "notify force-change"] {
        assert!(found.iter().any(|message| message.contains(part)), "{part}: {found:?}");
    }
}

/// A line `submit` that failures reach counts what attackers type.
#[test]
fn a_line_submit_is_for_successes() {
    let unix = "auth [success=2 default=ignore] pam_unix.so\n";
    let submit = "auth optional pam_nearmiss.so submit\n";
    let end = "auth requisite pam_deny.so\nauth required pam_permit.so\n";
    let found = |text: &str| submitted(system(&[("sshd", text)]).path());
    assert_eq!(found(&format!("{}{end}{submit}", unix.replace('2', "1"))), []);
    let open = found(&format!("{unix}{submit}{end}"));
    assert_eq!((open.len(), open[0].state), (1, State::Wrong), "{open:?}");
    assert!(open[0].message.contains("passwords of attackers"), "{open:?}");
}
