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
    auth sufficient /lib64/security/pam_unix.so nullok\n\
    auth [default=ignore] pam_nearmiss.so failed\n\
    auth required pam_faillock.so authfail\n\
    auth required pam_deny.so\n";

#[test]
fn the_helper_is_a_program_of_root() {
    use std::os::unix::fs::{PermissionsExt, chown};

    let root = tempfile::tempdir().unwrap();
    let helper = root.path().join(HELPER.trim_start_matches('/'));
    assert!(!has_helper(root.path()));
    fs::create_dir_all(&helper).unwrap();
    assert!(!has_helper(root.path()), "a folder");
    fs::remove_dir(&helper).unwrap();
    fs::write(&helper, "").unwrap();
    for (mode, runs) in [(0o644, false), (0o755, true), (0o100, true), (0o666, false)] {
        fs::set_permissions(&helper, fs::Permissions::from_mode(mode)).unwrap();
        let is_roots = fs::metadata(&helper).unwrap().uid() == 0;
        assert_eq!(has_helper(root.path()), runs && is_roots, "{mode:o}");
    }
    fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
    if chown(&helper, Some(4242), None).is_ok() {
        assert!(!has_helper(root.path()), "another user's");
    }
}

#[test]
fn a_missing_line_is_enabled_by_a_command_and_a_misplaced_one_is_edited() {
    let root = tempfile::tempdir().unwrap();
    let stack = root.path().join("etc/pam.d/common-auth");
    fs::create_dir_all(stack.parent().unwrap()).unwrap();
    let found = |text: &str| -> Vec<(State, Option<String>)> {
        fs::write(&stack, text).unwrap();
        examine(root.path()).into_iter().map(|finding| (finding.state, finding.fix)).collect()
    };
    assert_eq!(found(RHEL), [(State::Fine, None)]);
    let early = "auth optional pam_nearmiss.so failed\nauth required pam_unix.so\n";
    assert_eq!(found(early), [(State::Wrong, Some("vi /etc/pam.d/common-auth".to_owned()))]);
    let managed = pam_auth_update::tests::system("nearmiss-failed");
    let [finding] = examine(managed.path()).try_into().unwrap();
    let enable = "pam-auth-update --enable nearmiss-failed".to_owned();
    assert_eq!((finding.state, finding.fix), (State::Warning, Some(enable)));
}

fn problems(text: &str, has_helper: bool) -> Vec<(State, String)> {
    let found = examine_texts(&[("common-auth".to_owned(), text.to_owned())], has_helper);
    found.into_iter().filter(|finding| finding.state != State::Fine).map(|f| (f.state, f.message)).collect()
}

fn wrong(text: &str) -> String {
    let found = problems(text, true);
    assert_eq!((found.len(), found[0].0), (1, State::Wrong), "{found:?}");
    found[0].1.clone()
}

#[test]
fn the_lines_about_logins_that_succeed_are_found() {
    let of = |text: &str| LoginLines::of(&[("common".to_owned(), text.to_owned())], true);
    let seen = |lines: &LoginLines| [lines.passed, lines.notify, lines.force_change];
    assert_eq!(seen(&of(DEBIAN)), [true; 3]);
    assert_eq!(of(DEBIAN).misplaced(CHECK).count(), 0);
    assert_eq!(seen(&of(&DEBIAN.replace(" force-change", ""))), [true, true, false]);
    assert_eq!(seen(&of(RHEL)), [false; 3]);
    let early: String = DEBIAN.lines().rev().flat_map(|line| [line, "\n"]).collect();
    let found: Vec<String> = of(&early).misplaced(CHECK).map(|finding| finding.message).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].contains("passed is before pam_deny") && found[1].contains("notify force-change"),
        "{found:?}"
    );
}

#[test]
fn the_orders_of_the_manual_are_right() {
    assert_eq!(problems(DEBIAN, true), []);
    assert_eq!(problems(RHEL, false), []);
}

#[test]
fn a_line_in_the_wrong_place_is_named() {
    let moved = |line: &str, before: &str| {
        let (rest, line): (Vec<&str>, _) = (DEBIAN.lines().filter(|l| !l.contains(line)).collect(), line);
        let moved = DEBIAN.lines().find(|l| l.contains(line)).unwrap();
        let at = rest.iter().position(|l| l.contains(before)).unwrap();
        [&rest[..at], &[moved], &rest[at..]].concat().join("\n")
    };
    assert!(wrong(&moved("failed", "authsucc")).contains("never runs"));
    assert!(wrong(&moved("failed", "pam_sss")).contains("before pam_sss.so"));
    assert!(wrong(&DEBIAN.replace("success=4", "success=0")).contains("increase its jump"));
    assert!(wrong(&moved("passed", "pam_deny")).contains("before pam_deny"));
    assert!(wrong(&moved("account [success=1", "notify force-change")).contains("after pam_unix"));
    assert!(wrong(&moved("pam_exec", "auth required pam_permit")).contains("lock users out"));
    assert!(problems(DEBIAN, false)[0].1.contains("is missing"));
}

#[test]
fn a_ladder_that_nothing_feeds_is_a_warning() {
    let found = problems("# auth optional pam_nearmiss.so failed\nauth required pam_unix.so\n", true);
    assert_eq!((found.len(), found[0].0), (1, State::Warning));
    assert!(found[0].1.contains("failed logins are not counted"));
}
