//! The line of the log for each decision, with the machine's own `passwd` and `chpasswd`: every refused
//! change is one, and no password is two. Root only, in a private mount namespace.

use nearmiss_tests::{
    artifacts::PANICS,
    dialogue::{CURRENT, PASSWD, UNCHANGED, UPDATED},
    filters::GOOD,
    scenario::{
        Answer::{Type, Wait},
        Run, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
};

/// One refusal, of this part for this cause, and no other decision.
fn expect_refusal(run: &Run, reason: &str, cause: &str) {
    run.expect_shadow_changed(false).expect_one_log("decision=");
    let line = format!(
        "decision=refuse reason={reason} enforced=yes try=1 user=tester service=passwd rhost=- cause={cause}"
    );
    run.expect_one_log(&line);
}

#[test]
fn each_cause_is_one_refusal_before_anything_is_typed() {
    if skipped(no_namespace()) {
        return;
    }
    let (filter, own) = ("/etc/security/words.filter", "/etc/security/nearmiss.conf");
    // Another version: its number follows eight letters in the header.
    let version = format!("printf '\\377' | dd of={filter} bs=1 seek=8 conv=notrunc status=none");
    // A file that is not a ladder, configured to reject if the ladder cannot be used.
    let ladder = format!(
        "cd /etc/security; echo junk > k; cp k l; chmod 600 k l; \
         printf '[ladder]\\non_error = \"reject\"\\nfile = \"%s/l\"\\nkey = \"%s/k\"\\n' $PWD $PWD > {own}"
    );
    for (prepare, options, reason, cause) in [
        (format!("rm {filter}"), "", "filter", "missing"),
        (
            format!("printf '\\377' | dd of={filter} bs=1 seek=40 conv=notrunc status=none"),
            "",
            "filter",
            "damaged",
        ),
        (format!("truncate -s 2000 {filter}"), "", "filter", "damaged"),
        (version, "", "filter", "version"),
        (format!("chmod o+w {filter}"), "", "filter", "untrusted"),
        (format!("chown tester {filter}"), "", "filter", "untrusted"),
        ("chmod o+w /etc/security".to_owned(), "", "configuration", "untrusted"),
        (format!("echo 'min_lenght = 9' > {own}"), "", "configuration", "mistake"),
        (format!("rm -rf {own}"), "conf=/etc/security/other.conf", "configuration", "missing"),
        (ladder, "", "ladder", "damaged"),
    ] {
        let steps = [("administrator's password", Wait), UNCHANGED];
        let scenario = Scenario::new(&format!("retry=3 {options}")).prepare(&[&prepare]);
        let run = scenario.talk(Some(TESTER), PASSWD, &steps).play_one();
        run.expect_status(10).expect_nowhere("New password");
        expect_refusal(&run, reason, cause);
    }
}

#[test]
fn what_is_met_while_a_password_is_judged_is_one_refusal() {
    if skipped(no_namespace()) {
        return;
    }
    let steps = [CURRENT, ("New password: ", Type(GOOD)), UNCHANGED];
    let damaged = Scenario::with_damaged_pages("retry=3").talk(Some(TESTER), PASSWD, &steps).play_one();
    expect_refusal(&damaged, "filter", "damaged");
    let steps = [CURRENT, ("New password: ", Type(PANICS)), UNCHANGED];
    let panics = Scenario::new("retry=3").talk(Some(TESTER), PASSWD, &steps).play_one();
    expect_refusal(&panics, "fault", "panic");
    let alone = Scenario::new("use_authtok").talk(Some(TESTER), PASSWD, &[CURRENT, UNCHANGED]).play_one();
    expect_refusal(&alone, "stack", "no-password");
}

#[test]
fn a_mistyped_repetition_is_no_second_accept() {
    if skipped(no_namespace()) {
        return;
    }
    let new = |password| ("New password: ", Type(password));
    let again = |password| ("Retype new password: ", Type(password));
    let steps =
        [CURRENT, new(GOOD), again("different"), ("do not match", Wait), new(GOOD), again(GOOD), UPDATED];
    let run = Scenario::new("retry=3").talk(Some(TESTER), PASSWD, &steps).play_one();
    run.expect_status(0).expect_shadow_changed(true).expect_one_log("decision=");
    run.expect_one_log(
        "decision=accept reason=- enforced=yes try=1 user=tester service=passwd rhost=- cause=-",
    );
}

#[test]
fn what_chpasswd_hands_over_three_times_is_one_decision() {
    if skipped(no_namespace()) {
        return;
    }
    let options = "retry=3 enforce_for_root";
    let run = Scenario::new(options).pipe(None, &["/usr/sbin/chpasswd"], "tester:password\n").play_one();
    run.expect_status(1).expect_shadow_changed(false).expect_one_log("decision=");
    run.expect_one_log("decision=reject reason=dictionary enforced=yes try=1 user=tester service=chpasswd");
    assert_eq!(run.transcript.matches("BAD PASSWORD").count(), 1, "{run:#?}");
}

#[test]
fn a_stack_that_goes_on_after_a_refusal_logs_it_once() {
    if skipped(no_namespace()) {
        return;
    }
    let loosen = "sed -i 's/^password requisite/password optional/' /etc/pam.d/common-password && \
                  grep -q '^password optional .*pam_nearmiss.so' /etc/pam.d/common-password";
    let scenario = Scenario::without_filter("retry=3").prepare(&[loosen]);
    let run = scenario.talk(Some(TESTER), PASSWD, &[CURRENT]).play_one();
    expect_refusal(&run, "filter", "missing");
}
