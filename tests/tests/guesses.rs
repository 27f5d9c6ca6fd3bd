//! Failed logins at a real `sshd` and the machine's own `passwd` and `su`: the counts, the warnings to
//! owners, and what is never counted. Root only, in private namespaces.

mod ban;
mod fail2ban;
mod faillock;
mod forced_change;
mod killed;
mod leaked;
mod local;
mod profiles;
mod storm;
mod traces;

use nearmiss_tests::{
    ladder::{FIRST_UID, height},
    scenario::{
        Answer::{Type, Wait},
        OLD, Run, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
    sshd::{ACCOUNT, ARRAY, AUTH, no_server, scenario},
};

/// The guesses that the attacker tries at one account after the other.
const GUESS: &str = "Wq7-guessed-Pa55";
const ATTACKER: &str = "127.0.0.7";
const LINE: &str = "guess from 127.0.0.7 weight 5: a password that is guessed often here";
const COUNTED: &str = "a failed login is counted";
const REPEATED: &str = "a repeated failure is not counted";
const SHOWN: &str = "guessing the password you just used";

fn cannot_run() -> bool {
    skipped(no_namespace().or_else(no_server))
}

fn is_logged(run: &Run, part: &str) -> bool {
    run.log.iter().any(|line| line.contains(part))
}

fn hash(run: &Run) -> &str {
    run.transcript.split(' ').next().unwrap()
}

/// Enough to detect a password that starts at height 9; it starts lower once in a million.
const ACCOUNTS: u32 = 36;

/// One password tried at one account after the other, as attackers do.
fn attacked(scenario: Scenario) -> Scenario {
    let failures = (0..ACCOUNTS).map(|number| format!("u{number}"));
    failures.fold(scenario.guessed_height(GUESS), |scenario, user| scenario.log_in(&user, GUESS, ATTACKER))
}

#[test]
fn a_password_tried_at_many_accounts_is_flagged_and_rejected() {
    if cannot_run() {
        return;
    }
    let users = usize::try_from(ACCOUNTS).unwrap();
    let change =
        [("Current password: ", Type(OLD)), ("New password: ", Type(GUESS)), ("[guessed-here]", Wait)];
    let by_root = [
        ("New password: ", Type(GUESS)),
        ("[guessed-here]", Wait),
        ("Retype", Type(GUESS)),
        ("updated", Wait),
    ];
    let runs = attacked(scenario(&AUTH, &ACCOUNT, ACCOUNTS, &[]))
        .log_in("u0", GUESS, "127.0.0.8")
        .talk(Some(TESTER), &["/usr/bin/passwd"], &change)
        .talk(None, &["/usr/bin/passwd", "tester"], &by_root)
        .log_in("tester", GUESS, "127.0.0.9")
        .talk(
            Some(FIRST_UID),
            &["/bin/su", "tester", "-c", "echo switched"],
            &[("Password: ", Type(GUESS)), (SHOWN, Wait), ("switched", Wait)],
        )
        .log_in("u1", OLD, "127.0.0.9")
        .shell(&format!(
            "cat /run/nearmiss/* {ARRAY} | grep -a -c -e '{GUESS}' -e '{OLD}'; \
             stat -c %a /run/nearmiss/failures /run/nearmiss"
        ))
        .play();
    let (start, failures) = (height(&runs[0]), &runs[1..=users]);
    assert!(
        failures.iter().all(|run| is_logged(run, COUNTED) && run.transcript.contains("Permission denied"))
    );
    // Each attempt climbs one rung of 48; the first that finds the password at 44 names the address.
    let first = failures.iter().position(|run| is_logged(run, LINE)).unwrap();
    let expected = 44_u64.saturating_sub(start);
    println!("flagged at attempt {} of fresh accounts, from height {start}", first + 1);
    // One of the rungs may have been cleared by another attempt: 3 in 10,000 times.
    assert!(u64::try_from(first).unwrap().abs_diff(expected) <= 1, "{first} {expected}");
    assert!(failures[first..].iter().all(|run| is_logged(run, LINE)));
    let [again, rejected, warned, told, switched, other, left] = &runs[users + 1..] else {
        panic!("{runs:#?}")
    };
    again.expect_log(REPEATED).expect_log("guess from 127.0.0.8 weight 5");
    assert_eq!(rejected.steps_done, 3, "{rejected:#?}");
    rejected.expect_shadow_changed(false);
    warned.expect_status(0).expect_shadow_changed(true);
    told.expect_shown(SHOWN).expect_shown("logged in");
    switched.expect_status(0);
    assert!(other.transcript.contains("logged in") && !other.transcript.contains(SHOWN), "{other:#?}");
    assert_eq!(left.transcript, "0\n600\n700\n", "nothing of a password is left");
    for run in &runs {
        // The traces of a password change name its user; the traces of a login name none.
        let ours = run.log.iter().filter_map(|line| line.split_once("pam_nearmiss(").map(|(_, ours)| ours));
        for line in ours.filter(|line| !line.contains(":chauthtok)")) {
            assert!(!line.contains("user") && !line.contains("u0"), "{line}");
        }
        assert!(run.log.iter().all(|line| !line.contains(GUESS)), "{run:#?}");
    }
}

#[test]
fn what_is_not_a_guess_takes_no_step() {
    if cannot_run() {
        return;
    }
    let key = "ssh-keygen -q -t ed25519 -N '' -f /etc/u0_key; mkdir -p /etc/ssh/keys; \
               cp /etc/u0_key.pub /etc/ssh/keys/u0";
    let with_key = serde_json::json!({"METHOD": "publickey", "FLAGS": "-i /etc/u0_key"});
    let wrong_su = [("Password: ", Type(GUESS)), ("failure", Wait)];
    let runs = scenario(&AUTH, &ACCOUNT, 3, &[key.to_owned()])
        .log_in("u0", "warm-up, made the file", ATTACKER)
        .guessed_digest()
        .log_in("nosuchuser", GUESS, ATTACKER)
        .log_in("nosuchuser", "a much longer password than the pattern", ATTACKER)
        .log_in_by_keyboard("nosuchuser", GUESS, ATTACKER)
        .log_in("root", GUESS, ATTACKER)
        .log_in("u0", "", ATTACKER)
        .log_in("u0", "", ATTACKER)
        .with("environment", &with_key)
        .log_in("u0", OLD, ATTACKER)
        .talk(Some(FIRST_UID), &["/bin/su", "u1", "-c", "id"], &wrong_su)
        .guessed_digest()
        .log_in_by_keyboard("u1", GUESS, ATTACKER)
        .guessed_digest()
        .log_in("u1", GUESS, "127.0.0.9")
        .guessed_digest()
        .play();
    runs[0].expect_log(COUNTED);
    for run in &runs[2..10] {
        assert!(!is_logged(run, COUNTED), "{run:#?}");
    }
    assert!(runs[7].transcript.contains("logged in"), "the public key: {:#?}", runs[7]);
    assert!(runs[8].transcript.contains("logged in"), "{:#?}", runs[8]);
    assert_eq!(hash(&runs[1]), hash(&runs[10]), "a step was taken");
    runs[11].expect_log(COUNTED);
    assert_ne!(hash(&runs[10]), hash(&runs[12]));
    runs[13].expect_log(REPEATED);
    assert_eq!(hash(&runs[12]), hash(&runs[14]));
}

/// Damage never fails a login, and is logged once a minute.
#[test]
fn damage_never_fails_a_login_and_never_fills_the_log() {
    if cannot_run() {
        return;
    }
    let damages = [
        format!("printf X | dd of={ARRAY} bs=1 seek=30 conv=notrunc status=none"),
        "mkdir -p -m 700 /run/nearmiss; echo other > /run/nearmiss/failures".to_owned(),
        "rm -f /etc/nearmiss/ladder.key".to_owned(),
    ];
    for damage in damages {
        let runs = scenario(&AUTH, &ACCOUNT, 2, std::slice::from_ref(&damage))
            .log_in("u0", GUESS, ATTACKER)
            .log_in("u1", GUESS, ATTACKER)
            .log_in("u0", OLD, ATTACKER)
            .play();
        assert!(runs[2].transcript.contains("logged in"), "{damage}: {:#?}", runs[2]);
        let is_warning = |line: &&String| line.contains("pam_nearmiss") && line.starts_with("<84>");
        let warnings: Vec<&String> = runs.iter().flat_map(|run| &run.log).filter(is_warning).collect();
        assert_eq!(warnings.len(), 1, "{damage}: {runs:#?}");
    }
}

fn artifacts_of_packaging(path: &str) -> String {
    nearmiss_tests::artifacts::workspace().join("packaging").join(path).display().to_string()
}
