use super::*;

/// The faults of these lines: each state and words.
fn faults(text: &str) -> Vec<(State, String)> {
    let typed = |line: &str| match line.strip_prefix('-') {
        Some(line) => format!("-auth {line}"),
        None => format!("auth {line}"),
    };
    let parsed = text.lines().map(|line| StackEntry::parse(&typed(line)).unwrap());
    let links: Vec<Link> = parsed.map(|line| Link { line, level: 0 }).collect();
    let is_absent = |line: &StackEntry| line.module.starts_with("/none/");
    let found = AuthStack::new(&links, &is_absent).faults();
    found.into_iter().map(|fault| (fault.state, fault.words)).collect()
}

fn only(text: &str) -> (State, String) {
    let mut found = faults(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0)
}

const FAILED: &str = "[default=ignore] pam_nearmiss.so failed\n";
const END: &str = "requisite pam_deny.so\nrequired pam_permit.so\n";

#[test]
fn a_failure_of_each_verifier_is_counted() {
    let unix = "[success=2 default=ignore] pam_unix.so\n";
    assert_eq!(faults(&format!("{unix}{FAILED}{END}")), []);
    for (first, state, says) in [
        // The line is not reached, by a control that ends the stack with the failure.
        ("requisite pam_unix.so\n", State::Wrong, "never counts"),
        ("[success=2 default=die] pam_unix.so\n", State::Wrong, "never counts"),
        ("[success=2 default=2] pam_unix.so\n", State::Wrong, "never counts"),
        (
            "[success=3 default=ignore] pam_unix.so\nrequisite pam_ldap.so\n",
            State::Wrong,
            "a success of pam_ldap.so reaches",
        ),
        (
            "[success=3 default=ignore] pam_unix.so\n\
             [success=2 user_unknown=ignore default=die] pam_sss.so\n",
            State::Warning,
            "a failure of pam_sss.so does not reach the line failed",
        ),
    ] {
        let found = faults(&format!("{first}{FAILED}{END}"));
        assert!(found.iter().any(|(own, words)| *own == state && words.contains(says)), "{first}{found:?}");
    }
    let (state, words) = only(&format!("{unix}requisite pam_deny.so\n{FAILED}"));
    assert!(state == State::Wrong && words.contains("never counts"), "{words}");
}

/// `pam_unix` alone leaves what it found for the module.
#[test]
fn no_success_of_a_verifier_is_counted() {
    for (control, is_wrong) in [
        ("required", true),
        ("[success=ok default=ignore]", true),
        ("[success=0 default=ignore]", true),
        ("sufficient", false),
        ("[success=done default=ignore]", false),
    ] {
        for module in ["pam_sss.so", "pam_krb5.so", "pam_unix.so"] {
            let found = faults(&format!("{control} {module}\n{FAILED}{END}"));
            let is_seen = module == "pam_unix.so";
            assert_eq!(found.is_empty(), !is_wrong || is_seen, "{control} {module}: {found:?}");
        }
    }
    let early = format!("{FAILED}required pam_unix.so\n");
    let found = faults(&early);
    assert!(found.iter().any(|(_, words)| words.contains("is before pam_unix.so")), "{found:?}");
}

#[test]
fn passed_and_submit_are_for_successes_alone() {
    for mode in ["passed", "submit"] {
        let ours = format!("optional pam_nearmiss.so {mode}\n");
        let jump = "[success=1 default=ignore] pam_unix.so\n";
        assert_eq!(faults(&format!("{jump}{END}{ours}")), []);
        let open = format!("[success=2 default=ignore] pam_unix.so\n{ours}{END}");
        let (state, words) = only(&open);
        assert!(state == State::Wrong && words.contains("without a successful login"), "{words}");
        let (_, words) = only(&format!("required pam_unix.so\n{ours}"));
        assert!(words.contains("without a successful login"), "a failure goes on: {words}");
        let (state, words) = only(&format!("sufficient pam_unix.so\nrequisite pam_deny.so\n{ours}"));
        assert!(state == State::Wrong && words.contains("does not reach"), "{words}");
        // Somebody else may admit users, with another kind of proof.
        assert_eq!(faults(&format!("[success=2 default=ignore] pam_key.so\n{jump}{END}{ours}")), []);
    }
}

/// The stack of Fedora as nearmiss-authselect writes it; and with the jump that it is never to have.
#[test]
fn a_jump_behind_a_module_that_is_taken_apart_is_found() {
    let fedora = |by: u32| {
        format!(
            "required pam_env.so\n\
             required pam_faillock.so preauth silent\n\
             [success=done ignore=ignore default=die] pam_sss.so try_cert_auth\n\
             [default=1 ignore=ignore success=ok] pam_usertype.so isregular\n\
             [default={by} ignore=ignore success=ok] pam_localuser.so\n\
             [success=ok new_authtok_reqd=ok default=2] pam_unix.so nullok\n\
             optional pam_nearmiss.so passed\n\
             sufficient pam_permit.so\n\
             [default={by} ignore=ignore success=ok] pam_usertype.so isregular\n\
             [success=ok new_authtok_reqd=ok default=2] pam_sss.so forward_pass\n\
             optional pam_nearmiss.so passed\n\
             sufficient pam_permit.so\n\
             {FAILED}required pam_faillock.so authfail\n\
             required pam_deny.so\n"
        )
    };
    assert_eq!(faults(&fedora(3)), []);
    let (state, words) = only(&fedora(1));
    assert!(state == State::Wrong && words.contains("without a successful login"), "{words}");
}

#[test]
fn a_module_that_is_not_there_does_nothing() {
    let unix = "[success=2 default=ignore] pam_unix.so\n";
    let (state, words) = only(&format!("{unix}{}{END}", FAILED.replace("pam_n", "/none/pam_n")));
    assert!(state == State::Wrong && words.contains("/none/pam_nearmiss.so is not there"), "{words}");
    // A verifier that is not there, and need not be, verifies nothing; another one is judged.
    let other = "sufficient /none/pam_sss.so\n";
    assert_eq!(faults(&format!("{unix}{FAILED}-{other}{END}")), []);
    assert!(faults(&format!("{unix}{FAILED}{other}{END}")).iter().any(|(_, words)| words.contains("before")));
}
