//! The owner of a guessed password has to change it.

use nearmiss_tests::{
    artifacts::artifacts,
    scenario::{
        Answer::{Type, Wait},
        OLD, TESTER,
    },
    sshd::{AUTH, scenario},
};

use super::{ATTACKER, SHOWN, artifacts_of_packaging, cannot_run};

const EXPIRE: [&str; 5] = [
    "account [default=1 new_authtok_reqd=ignore] /etc/security/pam_nearmiss.so guessed demand",
    "account optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire",
    "account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so",
    "account requisite pam_deny.so",
    "account required pam_permit.so",
];

/// The forced change with this machine's `pam_unix`: in a dialogue the owner changes the password and is in;
/// a command without terminal is refused; root and others are let in.
#[test]
fn the_owner_of_a_guessed_password_is_made_to_change_it() {
    if cannot_run() {
        return;
    }
    let helper = artifacts_of_packaging("expire/expire");
    let further = [
        "mount -t tmpfs none /usr/libexec; mkdir /usr/libexec/nearmiss".to_owned(),
        format!("install -m 755 {helper} /usr/libexec/nearmiss/expire"),
        format!("echo '{OLD}' | {} ladder step --guessed --steps 48 >&2", artifacts().filterctl.display()),
    ];
    let new = "Zb9-never-guessed-Pa55";
    let changed = |program: &'static str, first: &'static str| {
        [
            (first, Type(OLD)),
            (SHOWN, Wait),
            ("urrent password:", Type(OLD)),
            ("ew password:", Type(new)),
            ("etype new password:", Type(new)),
            (program, Wait),
        ]
    };
    let ssh = |method: &'static str, user: &'static str| {
        [
            "/usr/bin/ssh",
            "-tt",
            "-o",
            method,
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "UserKnownHostsFile=/dev/null",
            user,
        ]
    };
    let mut keyboard = ssh("PreferredAuthentications=keyboard-interactive", "u1@127.0.0.1").to_vec();
    keyboard.push("echo logged in");
    let su = ["/bin/su", "u2", "-c", "echo switched"];
    let runs = scenario(&AUTH, &EXPIRE, 4, &further)
        .log_in("u0", OLD, ATTACKER)
        .talk(
            None,
            &ssh("PreferredAuthentications=password", "u0@127.0.0.1"),
            &changed("updated successfully", "assword:"),
        )
        .talk(None, &keyboard, &changed("logged in", "assword:"))
        .talk(Some(TESTER), &su, &changed("switched", "assword:"))
        .shell("grep -c '^u3:[^:]*:0:' /etc/shadow; grep -E '^u[012]:[^:]*:0:' /etc/shadow | wc -l")
        .play();
    let refused = &runs[0];
    assert!(!refused.transcript.contains("logged in") && refused.transcript.contains(SHOWN), "{refused:#?}");
    for run in &runs[1..4] {
        assert_eq!(run.steps_done, 6, "{run:#?}");
        run.expect_shadow_changed(true);
    }
    assert_eq!(runs[4].transcript, "0\n0\n");
}
