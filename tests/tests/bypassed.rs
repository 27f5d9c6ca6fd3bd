//! A stack in which a password gets past the check, with the machine's own `passwd` and `chpasswd`: what is
//! logged and expired, and that a module that prompted before the check cannot be bypassed. Root only, in a
//! private mount namespace.

use nearmiss_tests::{
    dialogue::{CURRENT, PASSWD, UPDATED, new, retype},
    filters::GOOD,
    scenario::{Answer::Wait, Run, Scenario, TESTER, install_expire},
    skip::{no_namespace, skipped},
};
use serde_json::json;

const RECORD: &str =
    "password optional /etc/security/pam_nearmiss.so record filter=/etc/security/words.filter";
/// The line that lets the next one expire the password.
const EXPIRING: &str = "password [default=1 new_authtok_reqd=ignore] /etc/security/pam_nearmiss.so record \
                        force-change filter=/etc/security/words.filter";
const EXPIRE: &str = "password optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire";
/// Rejected by the check and long enough for `pam_unix`.
const WEAK: &str = "P4ssw0rd2026!";
/// Let through by the check and too short for `pam_unix`.
const SHORT: &str = "Zx7-qpLw";
const STRONG: &str = "Zz9-uncommon-phrase";

/// `pam_unix` may prompt again: it has no `use_authtok`.
const PROMPTING: &str =
    "sed -i '/pam_unix.so/s/use_authtok try_first_pass/minlen=12/' /etc/pam.d/common-password";
/// A line that jumps over the check of local users.
const JUMPING: &str = "sed -i -e '1i password [success=1 default=ignore] pam_localuser.so' \
                       -e '/pam_unix.so/s/use_authtok try_first_pass//' /etc/pam.d/common-password";

/// The check lets a short password through, `pam_unix` rejects it and prompts for this one.
fn behind_the_check(extra: &[&str], password: &'static str) -> Run {
    let steps = [
        CURRENT,
        new(SHORT),
        retype(SHORT),
        ("longer password", Wait),
        new(password),
        retype(password),
        UPDATED,
    ];
    let mut runs = Scenario::new("retry=3")
        .extra(extra)
        .prepare(&[PROMPTING, &install_expire()])
        .talk(Some(TESTER), PASSWD, &steps)
        .pipe(None, &["/bin/sh", "-c", "grep -c '^tester:[^:]*:0:' /etc/shadow || true"], "")
        .play();
    let expired = runs.remove(1);
    let run = runs.remove(0);
    run.expect_status(0).expect_shadow_changed(true);
    let is_to_expire = extra.contains(&EXPIRING) && password == WEAK;
    assert_eq!(expired.transcript.trim(), if is_to_expire { "1" } else { "0" }, "{run:#?}");
    run.expect_nowhere(SHORT).expect_nowhere(password);
    run
}

fn decision(decision: &str, number: u32) -> String {
    format!("decision={decision} try={number} user=tester service=passwd rhost=- cause=-")
}

#[test]
fn what_pam_unix_prompts_for_behind_the_check_is_judged() {
    if skipped(no_namespace()) {
        return;
    }
    let run = behind_the_check(&[RECORD], WEAK);
    run.expect_one_log(&decision("accept reason=- enforced=yes", 1));
    run.expect_one_log(&decision("bypassed reason=dictionary enforced=yes", 2));
    let run = behind_the_check(&[RECORD], STRONG);
    run.expect_one_log(&decision("accept reason=- enforced=yes", 2));
    assert!(!run.log.iter().any(|line| line.contains("bypassed")), "{run:#?}");
}

#[test]
fn a_weak_one_expires_if_the_line_says_so() {
    if skipped(no_namespace()) {
        return;
    }
    for password in [WEAK, STRONG] {
        behind_the_check(&[EXPIRING, EXPIRE], password);
    }
}

/// Who takes descriptors away from `passwd` does not keep a weak password: where it is set, it expires.
#[test]
fn no_limit_of_the_user_keeps_a_weak_one() {
    if skipped(no_namespace()) {
        return;
    }
    let mut set = Vec::new();
    // The helper is a script, for which dash needs eleven descriptors.
    for limit in 11..=14 {
        let runs = Scenario::new("retry=3")
            .extra(&[EXPIRING, EXPIRE])
            .prepare(&[JUMPING, &install_expire()])
            .talk(Some(TESTER), PASSWD, &[CURRENT, new(WEAK), retype(WEAK)])
            .with("limits", &json!({"NOFILE": [limit, limit]}))
            .pipe(None, &["/bin/sh", "-c", "grep -c '^tester:[^:]*:0:' /etc/shadow || true"], "")
            .play();
        let is_set = runs[0].shadow_changed;
        assert_eq!(runs[1].transcript.trim(), if is_set { "1" } else { "0" }, "{limit}: {:#?}", runs[0]);
        set.extend(is_set.then_some(limit));
    }
    assert_eq!(set, [11, 12, 13, 14]);
}

#[test]
fn what_no_line_checked_is_judged() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [CURRENT, new(WEAK), retype(WEAK), UPDATED];
    let scenario = Scenario::new("retry=3").extra(&[RECORD]).prepare(&[JUMPING]);
    let run = scenario.talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(0).expect_shadow_changed(true).expect_one_log("decision=");
    run.expect_one_log(&decision("bypassed reason=dictionary enforced=yes", 1));
}

/// What the check let through is no bypass, not even a weak one that root sets; and what was not set is none.
#[test]
fn what_was_checked_is_no_bypass() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [CURRENT, new(GOOD), retype(GOOD), UPDATED];
    let site = || Scenario::new("retry=3").extra(&[RECORD]);
    let run = site().talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(0).expect_one_log("decision=");
    let run = site().pipe(None, &["/usr/sbin/chpasswd"], "tester:password\n").play_one();
    run.expect_status(0).expect_shadow_changed(true).expect_one_log("decision=");
    run.expect_log("enforced=root");
    // A record line behind a change that failed.
    let fails = "sed -i '/pam_unix.so/i password required pam_deny.so' /etc/pam.d/common-password";
    let run = site().prepare(&[fails]).talk(Some(TESTER), PASSWD, &[CURRENT]).play_one();
    run.expect_shadow_changed(false);
    assert!(!run.log.iter().any(|line| line.contains("bypassed")), "{run:#?}");
}

/// A module in front of the check has prompted: a second prompt would get a password past that module.
#[test]
fn a_rejection_ends_the_change_where_an_earlier_module_has_prompted() {
    if skipped(no_namespace()) {
        return;
    }
    let before = "sed -i '1i password requisite pam_pwhistory.so remember=5' /etc/pam.d/common-password";
    let steps = [CURRENT, new(WEAK), retype(WEAK), ("BAD PASSWORD: ", Wait), ("password unchanged", Wait)];
    let scenario = Scenario::new("retry=3").extra(&[RECORD]).prepare(&[before]);
    let run = scenario.talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false).expect_one_log("decision=");
    run.expect_one_log(&decision("reject reason=dictionary enforced=yes", 1));
    let steps = [CURRENT, new(STRONG), retype(STRONG), UPDATED];
    let scenario = Scenario::new("retry=3").extra(&[RECORD]).prepare(&[before]);
    scenario.talk(Some(TESTER), PASSWD, &steps).play_one().expect_status(0).expect_one_log("decision=");
}
