//! A login with a guessed password: the message, a bare demand for a change, and the
//! forced change that the packaged profile makes, by each way in.

use std::path::PathBuf;

use nearmiss_tests::{
    artifacts::artifacts,
    scenario::{
        Answer::{self, Type, Wait},
        OLD, Run, TESTER, install_expire,
    },
    skip::skipped,
    sshd::{ACCOUNT, AUTH, packaged, scenario},
};

use super::{ATTACKER, SHOWN, cannot_run};

const NEW: &str = "Zb9-never-guessed-Pa55";

/// The packaged profile: our line lets the helper expire the password, and `pam_unix` does the rest.
const EXPIRE: [&str; 5] = [
    "account [default=1 new_authtok_reqd=ignore] /etc/security/pam_nearmiss.so notify force-change",
    "account optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire",
    "account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so",
    "account requisite pam_deny.so",
    "account required pam_permit.so",
];

/// A wrong configuration: only the demand, for a password that has not expired.
const DEMAND: [&str; 2] =
    ["account required pam_unix.so", "account required /etc/security/pam_nearmiss.so notify force-change"];

/// The result of a login.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// The message, and in.
    In,
    /// In after a change.
    Changed,
    /// Not in.
    Refused,
    /// Not in, since the password "is not expired".
    LockedOut,
}
use Outcome::{Changed, In, LockedOut, Refused};

impl Outcome {
    fn steps(self, prompt: &'static str, end: [&'static str; 2]) -> Vec<(&'static str, Answer)> {
        let begin = [(prompt, Type(OLD)), (SHOWN, Wait)];
        let rest = match self {
            Changed => vec![
                ("urrent password:", Type(OLD)),
                ("ew password:", Type(NEW)),
                ("etype new password:", Type(NEW)),
                (end[1], Wait),
            ],
            In => vec![(end[0], Wait)],
            LockedOut => vec![("urrent password:", Type(OLD)), ("not expired", Wait)],
            Refused => Vec::new(),
        };
        begin.into_iter().chain(rest).collect()
    }

    fn check(self, way: usize, run: &Run) {
        assert_eq!(run.steps_done, run.steps, "way {way}, {self:?}: {run:#?}");
        run.expect_shown(SHOWN);
        // Before a refusal the helper may have expired the password.
        if self != Refused {
            run.expect_shadow_changed(self == Changed);
        }
        let is_in = run.transcript.contains("logged in") || run.transcript.contains("switched");
        // If the server runs `passwd`, the connection ends with it.
        assert_eq!(is_in, self == In || (self == Changed && way != 1), "way {way}, {self:?}: {run:#?}");
    }
}

/// The ways in: a command without terminal, a terminal, the dialogue of keyboard-interactive, and `su`.
fn logins(account: &[&str], unix: Option<&PathBuf>, outcomes: [Outcome; 4]) {
    let mut further = vec![
        install_expire(),
        format!("echo '{OLD}' | {} ladder step --guessed --steps 48 >&2", artifacts().filterctl.display()),
    ];
    further.extend(unix.map(|module| {
        let put = format!("install -m 644 {} /etc/security/pam_unix.so", module.display());
        format!("{put}; sed -i 's, pam_unix.so, /etc/security/pam_unix.so,' /etc/pam.d/*")
    }));
    let ssh = |method: &'static str, user: &'static str| {
        let options = [method, "NumberOfPasswordPrompts=1", "StrictHostKeyChecking=no"];
        let options = options.into_iter().flat_map(|option| ["-o", option]);
        let command = ["/usr/bin/ssh", "-tt", "-o", "UserKnownHostsFile=/dev/null"].into_iter();
        command.chain(options).chain([user, "echo logged in"]).collect::<Vec<_>>()
    };
    let by_password = ssh("PreferredAuthentications=password", "u1@127.0.0.1");
    let by_keyboard = ssh("PreferredAuthentications=keyboard-interactive", "u2@127.0.0.1");
    let su = ["/bin/su", "u3", "-c", "echo switched"];
    let [_, terminal, keyboard, switch] = outcomes;
    let changed = ["logged in", "updated successfully"];
    let runs = scenario(&AUTH, account, 5, &further)
        .log_in("u0", OLD, ATTACKER)
        .talk(None, &by_password, &terminal.steps("assword:", changed))
        .talk(None, &by_keyboard, &keyboard.steps("assword:", ["logged in"; 2]))
        .talk(Some(TESTER), &su, &switch.steps("assword:", ["switched"; 2]))
        .shell("grep -c '^u4:[^:]*:0:' /etc/shadow; grep -E '^u[0123]:[^:]*:0:' /etc/shadow | wc -l")
        .play();
    outcomes.iter().zip(&runs).enumerate().for_each(|(way, (outcome, run))| outcome.check(way, run));
    // A refused user has an expired password, if the helper expired it: the change was refused, not lost.
    let expired = if account == EXPIRE { outcomes.iter().filter(|it| **it == Refused).count() } else { 0 };
    assert_eq!(runs[4].transcript, format!("0\n{expired}\n"));
}

/// In a dialogue the owner changes the password and is in; a command without terminal is refused.
#[test]
fn the_owner_of_a_guessed_password_is_made_to_change_it() {
    if !cannot_run() {
        logins(&EXPIRE, None, [Refused, Changed, Changed, Changed]);
    }
}

#[test]
fn the_message_alone_keeps_nobody_out() {
    if !cannot_run() {
        logins(&ACCOUNT, None, [In; 4]);
    }
}

/// The cases in which a bare demand keeps people out: from Linux-PAM 1.7.2 on, `pam_unix` must itself see
/// that the password expired.
#[test]
#[ignore = "make torture"]
fn every_way_with_another_pam_unix() {
    if cannot_run() {
        return;
    }
    logins(&DEMAND, None, [Refused, Changed, Changed, Changed]);
    let Some(module) = std::env::var_os("NEARMISS_PAM_UNIX").map(PathBuf::from) else {
        skipped(Some("needs NEARMISS_PAM_UNIX, a pam_unix.so of Linux-PAM 1.7.2 (tests/tools/pam_unix.sh)"));
        return;
    };
    logins(&ACCOUNT, Some(&module), [In; 4]);
    logins(&EXPIRE, Some(&module), [Refused, Changed, Changed, Changed]);
    logins(&DEMAND, Some(&module), [Refused, Changed, LockedOut, LockedOut]);
}

/// Two names that are the same number are two accounts: the wrong one's password would expire.
#[test]
fn the_helper_takes_no_name_for_a_number() {
    let text = packaged("expire/expire");
    let (_, rest) = text.split_once("field() {").unwrap();
    let (body, _) = rest.split_once("\n}\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("passwd");
    std::fs::write(&file, "1000:x:7\n1e3:x:8\n0x10:x:9\n16:x:10\n").unwrap();
    for (name, uid) in [("1e3", "8"), ("1000", "7"), ("16", "10"), ("0x10", "9"), ("1000.0", "")] {
        let script = format!("field() {{{body}\n}}\nfield \"$FILE\" 3");
        let mut shell = std::process::Command::new("sh");
        let told = shell.args(["-c", &script]).env("user", name).env("FILE", &file).output().unwrap();
        assert_eq!(String::from_utf8(told.stdout).unwrap().trim(), uid, "{name}");
    }
}
