//! The machine's own `passwd`, `chpasswd` and `su` refuse and set passwords with the built module; root only,
//! in a private mount namespace.

use nearmiss_tests::{
    artifacts::PANICS,
    dialogue::{CURRENT, PASSWD, UNCHANGED, UPDATED, new, retype},
    filters::GOOD,
    scenario::{
        Answer::{self, EndOfFile, Shell, Type, Wait},
        OLD, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
    snapshot::snapshot,
};

const PASSWD_TESTER: &[&str] = &["/usr/bin/passwd", "tester"];
const SU: &[&str] = &["/bin/su", "tester", "-c", "id"];
const BAD: (&str, Answer) = ("BAD PASSWORD: ", Wait);
const SET: [(&str, Answer); 3] =
    [("New password: ", Type(GOOD)), ("Retype new password: ", Type(GOOD)), UPDATED];
const ADMINISTRATOR: (&str, Answer) = ("administrator's password filter", Wait);

#[test]
fn a_user_is_refused_three_times_and_nothing_changes() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [CURRENT, new("butterfly"), BAD, new("elephqnt"), BAD, new("P4ssw0rd2026!"), BAD, UNCHANGED];
    let run = Scenario::new("retry=3").talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false);
    run.expect_shown("Have exhausted maximum number of retries for service");
    for typed in ["butterfly", "elephqnt", "P4ssw0rd2026!", OLD] {
        run.expect_nowhere(typed);
    }
}

#[test]
fn a_user_sets_a_good_password_after_a_refusal_and_a_mismatch() {
    if skipped(no_namespace()) {
        return;
    }
    let mut steps =
        vec![CURRENT, new("password1"), BAD, new(GOOD), retype("different"), ("do not match", Wait)];
    steps.extend(SET);
    let run = Scenario::new("retry=3").talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(0).expect_shadow_changed(true).expect_nowhere(GOOD);
}

#[test]
fn a_line_for_debugging_names_the_user() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [("Current password: ", Type(OLD)), ("New password: ", Type("butterfly"))];
    let run = Scenario::new("retry=1 debug").talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_one_log("passwd:chauthtok): the password was not accepted; user=tester");
}

#[test]
fn a_user_who_ends_the_input_keeps_the_old_password() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [CURRENT, ("New password: ", EndOfFile), ("aborted", Wait), UNCHANGED];
    let run = Scenario::new("retry=3").talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false).expect_log("user aborted password change");
}

#[test]
fn a_password_near_the_old_one_or_the_users_names_is_refused() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [CURRENT, new("Orig-0ld-pw1"), BAD, new("tester99"), BAD, new("Quimby!!"), BAD, UNCHANGED];
    let run = Scenario::new("retry=3 codes").talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false);
    run.expect_shown("[near-old-password]").expect_shown("[near-user-name]").expect_shown("[near-real-name]");
}

#[test]
fn a_spoiled_filter_refuses_before_anything_is_typed() {
    if skipped(no_namespace()) {
        return;
    }
    let file = "/etc/security/words.filter";
    let spoil = [
        format!("rm {file}"),
        format!("printf '\\377' | dd of={file} bs=1 seek=40 conv=notrunc status=none"),
        format!("truncate -s 2000 {file}"),
        format!("truncate -s 1T {file}"),
        format!("chown 4343 {file}"),
        format!("chown tester {file}"),
        format!("chmod o+w {file}"),
        format!("chmod g+w {file}"),
        format!("mv {file} {file}.real; ln -s {file}.real {file}; chown -h tester {file}"),
    ];
    for command in spoil {
        let steps = [ADMINISTRATOR, UNCHANGED];
        let run = Scenario::new("retry=3").prepare(&[&command]).talk(Some(TESTER), PASSWD, &steps).play_one();
        run.expect_status(10).expect_shadow_changed(false);
        run.expect_log("a filter cannot be used").expect_log("/etc/security");
        run.expect_nowhere("New password").expect_nowhere("BAD PASSWORD");
    }
}

#[test]
fn a_folder_that_others_may_write_is_not_trusted() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [("administrator's password policy", Wait), UNCHANGED];
    let loosen = "chmod o+w /etc/security";
    let run = Scenario::new("retry=3").prepare(&[loosen]).talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false);
    run.expect_log("/etc/security: can be written by others");
}

#[test]
fn damage_inside_the_filter_refuses_when_it_is_met() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [CURRENT, new(GOOD), ADMINISTRATOR, UNCHANGED];
    let run = Scenario::with_damaged_pages("retry=3").talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false).expect_log("words.filter");
}

#[test]
fn a_filter_that_vanishes_during_the_dialogue_is_asked_all_the_same() {
    if skipped(no_namespace()) {
        return;
    }
    let vanish = Shell("rm /etc/security/words.filter");
    let weak = [("Current password: ", vanish), ("", Type(OLD)), new("password1"), BAD, UNCHANGED];
    let run = Scenario::new("retry=1").talk(Some(TESTER), PASSWD, &weak).play_one();
    run.expect_status(10).expect_shadow_changed(false);
}

#[test]
fn root_is_warned_and_let_through() {
    if skipped(no_namespace()) {
        return;
    }
    let weak = [new("password1"), BAD, retype("password1"), UPDATED];
    Scenario::new("retry=3")
        .talk(None, PASSWD_TESTER, &weak)
        .play_one()
        .expect_status(0)
        .expect_shadow_changed(true);
    let unchecked =
        [("was not checked", Wait), new("password1"), retype("password1"), ("updated successfully", Wait)];
    let run = Scenario::without_filter("retry=3").talk(None, PASSWD_TESTER, &unchecked).play_one();
    run.expect_status(0).expect_shadow_changed(true).expect_log("set by root is not checked");
}

#[test]
fn root_is_refused_when_the_line_says_so() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [new("password"), BAD, new("monkey77"), BAD, UNCHANGED];
    let run = Scenario::new("retry=2 enforce_for_root").talk(None, PASSWD_TESTER, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false);
    let steps = [ADMINISTRATOR, UNCHANGED];
    let run =
        Scenario::without_filter("retry=2 enforce_for_root").talk(None, PASSWD_TESTER, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false);
}

#[test]
fn chpasswd_warns_and_sets_or_refuses_as_the_line_says() {
    if skipped(no_namespace()) {
        return;
    }
    let set = |options: &str| {
        Scenario::new(options).pipe(None, &["/usr/sbin/chpasswd"], "tester:password\n").play_one()
    };
    let weak = set("retry=3");
    weak.expect_status(0).expect_shadow_changed(true).expect_shown("BAD PASSWORD");
    weak.expect_shown("It is accepted for tester anyway: root is exempt.");
    weak.expect_log(
        "decision=reject reason=dictionary enforced=root try=1 user=tester service=chpasswd rhost=-",
    );
    set("retry=3 enforce_for_root").expect_status(1).expect_shadow_changed(false);
    let input = format!("tester:{GOOD}\n");
    let good =
        Scenario::new("retry=3 enforce_for_root").pipe(None, &["/usr/sbin/chpasswd"], &input).play_one();
    good.expect_status(0).expect_shadow_changed(true);
    assert!(!good.transcript.contains("BAD PASSWORD"), "{good:#?}");
}

#[test]
fn an_expired_password_is_changed_at_su() {
    if skipped(no_namespace()) {
        return;
    }
    let expire = "sed -i 's/^\\(tester:[^:]*\\):19000:/\\1:0:/' /etc/shadow";
    let mut steps = vec![("Password: ", Type(OLD)), CURRENT, new("password1"), BAD];
    steps.extend([new(GOOD), retype(GOOD), ("uid=4242", Wait)]);
    let run = Scenario::new("retry=3").prepare(&[expire]).talk(Some(TESTER), SU, &steps).play_one();
    run.expect_status(0).expect_shadow_changed(true);
}

#[test]
fn the_new_password_is_the_one_that_opens_the_account() {
    if skipped(no_namespace()) {
        return;
    }
    let mut change = vec![CURRENT];
    change.extend(SET);
    let old = [("Password: ", Type(OLD)), ("Authentication failure", Wait)];
    let new = [("Password: ", Type(GOOD)), ("uid=4242", Wait)];
    let runs = Scenario::new("retry=3")
        .talk(Some(TESTER), PASSWD, &change)
        .talk(Some(TESTER), SU, &old)
        .talk(Some(TESTER), SU, &new)
        .play();
    runs.iter().zip([0, 1, 0]).for_each(|(run, status)| {
        run.expect_status(status);
    });
}

#[test]
fn a_broken_configuration_refuses_and_the_log_names_the_line() {
    if skipped(no_namespace()) {
        return;
    }
    let configuration = "min_length = 8\nmin_lenght = 9\n";
    let steps = [("administrator's password policy", Wait), UNCHANGED];
    let run =
        Scenario::new("retry=3").configuration(configuration).talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false);
    run.expect_log("/etc/security/nearmiss.conf").expect_log("line 2").expect_log("min_lenght");
}

#[test]
fn on_error_allow_lets_users_through_with_a_line_in_the_log() {
    if skipped(no_namespace()) {
        return;
    }
    let configuration = "on_error = \"allow\"\n";
    let mut steps = vec![CURRENT];
    steps.extend(SET);
    let run = Scenario::without_filter("retry=3")
        .configuration(configuration)
        .talk(Some(TESTER), PASSWD, &steps)
        .play_one();
    run.expect_status(0).expect_shadow_changed(true).expect_log("the password is not checked");
}

#[test]
fn limits_of_the_caller_never_let_a_weak_password_through() {
    if skipped(no_namespace()) {
        return;
    }
    for limit in ["-n 4", "-n 6", "-v 9000", "-v 12000", "-f 0", "-s 64"] {
        let shell = format!("ulimit {limit}; exec /usr/bin/passwd");
        let steps = [("Current password: ", Type(OLD)), new("password1")];
        let run = Scenario::new("retry=1").talk(Some(TESTER), &["/bin/sh", "-c", &shell], &steps).play_one();
        run.expect_shadow_changed(false);
        assert_ne!(run.status, 0, "{limit}: {run:#?}");
    }
}

#[test]
fn a_panic_refuses_prints_nothing_of_it_and_passwd_goes_on() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [CURRENT, new(PANICS), UNCHANGED];
    let run = Scenario::new("retry=3").talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false);
    run.expect_nowhere("panicked").expect_nowhere(PANICS).expect_nowhere("RUST_BACKTRACE");
    run.expect_log("internal error at ").expect_log("password change refused");
    assert!(!run.transcript.contains("internal error"), "{run:#?}");
}

#[test]
fn the_machine_is_as_it_was() {
    if skipped(no_namespace()) {
        return;
    }
    let before = snapshot();
    let mut change = vec![CURRENT];
    change.extend(SET);
    let login = [("Password: ", Type(GOOD)), ("$", Type("exit"))];
    let runs = Scenario::new("retry=3")
        .talk(Some(TESTER), PASSWD, &change)
        .pipe(None, &["/usr/sbin/chpasswd"], &format!("tester:{GOOD}\n"))
        .talk(None, &["/bin/login", "tester"], &login)
        .play();
    assert!(runs[0].shadow_changed && runs[1].shadow_changed, "{runs:#?}");
    assert_eq!(runs[2].steps_done, 2, "{:#?}", runs[2]);
    assert_eq!(before, snapshot());
}

/// As on NixOS, with a `ConfigMap`, and with the cache on another disk.
#[test]
fn links_of_root_lead_to_the_files_and_links_of_others_are_named_in_the_log() {
    if skipped(no_namespace()) {
        return;
    }
    let moved = "mkdir /etc/security/..1 && mv /etc/security/words.filter /etc/security/nearmiss.conf \
                 /etc/security/..1/ && ln -s ..1 /etc/security/..data && \
                 ln -s ..data/nearmiss.conf /etc/security/nearmiss.conf && \
                 ln -s /etc/security/..data/words.filter /etc/security/words.filter";
    let site = || Scenario::new("retry=1").configuration("min_length = 12\n");
    let steps = [CURRENT, new("butterfly"), BAD];
    let run = site().prepare(&[moved]).talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(10).expect_shadow_changed(false);
    let mut steps = vec![CURRENT];
    steps.extend(SET);
    let run = site().prepare(&[moved]).talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(0).expect_shadow_changed(true);
    let foreign = "chown -h tester /etc/security/..data";
    let run = site().prepare(&[moved, foreign]).talk(Some(TESTER), PASSWD, &[UNCHANGED]).play_one();
    run.expect_status(10).expect_shadow_changed(false);
    run.expect_log("/etc/security/..data: is another user's symbolic link");
}
