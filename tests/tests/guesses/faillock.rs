//! Beside `pam_faillock`: what it keeps out is not counted.

use nearmiss_tests::{
    scenario::OLD,
    sshd::{FAILED, scenario},
};

use super::{ATTACKER, COUNTED, cannot_run, hash, is_logged};

/// Debian's order, where a failure jumps over what a success runs, and RHEL's, where `pam_unix` is
/// sufficient.
const FAILLOCK_DEBIAN: [&str; 7] = [
    "auth required pam_faillock.so preauth silent deny=3 unlock_time=600",
    "auth [success=3 default=ignore] pam_unix.so nullok nodelay",
    FAILED,
    "auth [default=die] pam_faillock.so authfail deny=3 unlock_time=600",
    "auth sufficient pam_faillock.so authsucc deny=3 unlock_time=600",
    "auth requisite pam_deny.so",
    "auth required pam_permit.so",
];
const FAILLOCK_RHEL: [&str; 5] = [
    "auth required pam_faillock.so preauth silent deny=3 unlock_time=600",
    "auth sufficient pam_unix.so nullok nodelay",
    FAILED,
    "auth required pam_faillock.so authfail deny=3 unlock_time=600",
    "auth required pam_deny.so",
];

#[test]
fn the_right_password_of_a_locked_account_is_not_a_guess() {
    if cannot_run() {
        return;
    }
    for auth in [&FAILLOCK_DEBIAN[..], &FAILLOCK_RHEL] {
        let account = ["account required pam_faillock.so", "account required pam_unix.so"];
        let further = ["mkdir -p /run/faillock".to_owned()];
        let locked = ["wrong-1-Pa55", "wrong-2-Pa55", "wrong-3-Pa55"]
            .iter()
            .fold(scenario(auth, &account, 1, &further), |scenario, wrong| {
                scenario.log_in("u0", wrong, ATTACKER)
            });
        let runs = locked.guessed_digest().log_in("u0", OLD, ATTACKER).guessed_digest().play();
        assert!(runs[..3].iter().all(|run| is_logged(run, COUNTED)), "{:#?}", &runs[..3]);
        assert!(!runs[4].transcript.contains("logged in"), "the account is locked: {:#?}", runs[4]);
        assert_eq!(hash(&runs[3]), hash(&runs[5]), "the right password took a step: {:#?}", runs[4]);
        assert!(!is_logged(&runs[4], COUNTED), "{:#?}", runs[4]);
    }
}
