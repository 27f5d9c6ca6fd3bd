//! Failed logins at a real `sshd` and the machine's own `passwd` and `su`: what is counted, who is told, and
//! what is never counted. Root only, in private namespaces.
#![forbid(unsafe_code)]

use std::{
    fs,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use nearmiss_filters::{
    config::{Config, GuessRules},
    ladder::{
        BitStore, Counter, LadderFiles, NewLadder, Preset, SeededRandom, SeenFailures, create, ones,
        open_array,
    },
    site::{FailedLogin, Guess, Site},
};

use nearmiss_tests::{
    artifacts::artifacts,
    ladder::{FIRST_UID, height, stack},
    scenario::{
        Answer::{Type, Wait},
        OLD, Run, Scenario, TESTER,
    },
    skip::{no_namespace, skipped},
    sshd::{ACCOUNT, ARRAY, AUTH, FAILED, GUESSED, PASSED, no_server, packaged, program, scenario},
    told,
};

/// What the attacker tries at one account after the other.
const GUESS: &str = "Wq7-guessed-Pa55";
const ATTACKER: &str = "127.0.0.7";
const LINE: &str = "guess from 127.0.0.7 weight 5: a password that is guessed often here";
const COUNTED: &str = "a failed login is counted";
const REPEATED: &str = "a repeated failure is not counted";
const SHOWN: &str = "is among those that are tried against this system by guessing";

fn cannot_run() -> bool {
    skipped(no_namespace().or_else(no_server))
}

fn is_logged(run: &Run, part: &str) -> bool {
    run.log.iter().any(|line| line.contains(part))
}

fn hash(run: &Run) -> &str {
    run.transcript.split(' ').next().unwrap()
}

/// As many as find a password that starts at height 9; lower it stands once in a million.
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
        // A decision at a password change names its user; what a login leaves names none.
        let ours = run.log.iter().filter_map(|line| line.split_once("pam_nearmiss(").map(|(_, ours)| ours));
        for line in ours.filter(|line| !line.contains("decision=")) {
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

fn artifacts_of_packaging(path: &str) -> String {
    nearmiss_tests::artifacts::workspace().join("packaging").join(path).display().to_string()
}

/// The lines that pam-auth-update writes from the packaged profiles beside a directory's and faillock's.
#[test]
fn the_packaged_profiles_come_in_the_right_order() {
    if skipped(no_namespace()) {
        return;
    }
    let profiles = artifacts_of_packaging("pam-configs");
    let sss = "printf 'Name: sss\\nDefault: yes\\nPriority: 128\\nAuth-Type: Primary\\nAuth:\\n\\t\
               [success=end \
               default=ignore]\\tpam_sss.so use_first_pass\\n' > /usr/share/pam-configs/sss";
    let faillock = "printf 'Name: faillock\\nDefault: yes\\nPriority: 0\\nAuth-Type: Primary\\nAuth:\\n\\t\
                    [default=die]\
                    \\tpam_faillock.so authfail\\n\\tsufficient\\tpam_faillock.so authsucc\\n' \
                    > /usr/share/pam-configs/faillock";
    let prepare = [
        // What pam-auth-update remembers of the administrator's choice.
        "cp -a /var/cache/debconf /etc/debconf.copy; mount --bind /etc/debconf.copy /var/cache/debconf",
        "cp /usr/share/pam-configs/unix /etc/unix.profile; mount -t tmpfs none /usr/share/pam-configs",
        "mount -t tmpfs none /var/lib/pam; cp /etc/unix.profile /usr/share/pam-configs/unix",
        &format!("cp {profiles}/* /usr/share/pam-configs/"),
        sss,
        faillock,
        "rm -f /etc/pam.d/common-*; DEBIAN_FRONTEND=noninteractive pam-auth-update --package \
         --force >&2",
    ];
    let update = "DEBIAN_FRONTEND=noninteractive pam-auth-update --package --enable nearmiss-failed \
                  nearmiss-guessed \
                  nearmiss-expire >&2; ";
    let show = "grep -h -E '^(auth|account)' /etc/pam.d/common-auth /etc/pam.d/common-account | \
                tr -s '\\t ' ' '";
    let filterctl = artifacts().filterctl.display();
    let doctor = format!(
        "mount -t tmpfs -o mode=755 none /var/lib; mkdir -p -m 700 /var/lib/nearmiss \
         /etc/nearmiss; {filterctl} ladder init --guessed --json >/dev/null; \
         {filterctl} ladder doctor --guessed | grep 'pam lines'"
    );
    let runs = Scenario::new("")
        .prepare(&prepare)
        .shell(show)
        .shell(&format!("{update}{show}"))
        .shell(&doctor)
        .play();
    assert!(!runs[0].transcript.contains("nearmiss"), "off by default: {:#?}", runs[0]);
    let expected = "\
        auth [success=5 default=ignore] pam_unix.so nullok\n\
        auth [success=4 default=ignore] pam_sss.so use_first_pass\n\
        auth [default=ignore] pam_nearmiss.so failed\n\
        auth [default=die] pam_faillock.so authfail\n\
        auth sufficient pam_faillock.so authsucc\n\
        auth requisite pam_deny.so\n\
        auth required pam_permit.so\n\
        auth optional pam_nearmiss.so passed\n";
    assert!(runs[1].transcript.contains(expected), "{:#?}", runs[1]);
    let account = "\
        account [default=1 new_authtok_reqd=ignore] pam_nearmiss.so guessed demand\n\
        account optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire\n\
        account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so";
    assert!(runs[1].transcript.contains(account), "{:#?}", runs[1]);
    // Everything but the helper, which is not installed here.
    assert!(runs[2].transcript.contains("/usr/libexec/nearmiss/expire is missing"), "{:#?}", runs[2]);
    assert_eq!(runs[2].transcript.lines().count(), 1, "{:#?}", runs[2]);
}

/// Twenty lines as syslog daemons write them, and twenty that others can have written.
#[test]
fn the_packaged_filter_of_fail2ban_takes_our_line_and_no_other() {
    let (Some(regex), Some(common)) =
        (program("/usr/bin/fail2ban-regex"), program("/etc/fail2ban/filter.d/common.conf"))
    else {
        skipped(Some("needs fail2ban (tests/tools/needs.sh unpacks it)"));
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    fs::copy(common, folder.path().join("common.conf")).unwrap();
    fs::write(folder.path().join("nearmiss.conf"), packaged("fail2ban/filter.d/nearmiss.conf")).unwrap();
    let libraries = regex.parent().unwrap().parent().unwrap().join("lib/python3/dist-packages");
    let matched = |lines: &[String]| -> u64 {
        let log = folder.path().join("log");
        fs::write(&log, lines.join("\n") + "\n").unwrap();
        let output = Command::new("python3")
            .arg(&regex)
            .args([&log, &folder.path().join("nearmiss.conf")])
            .env("PYTHONPATH", &libraries)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (_, after) = text.split_once(" ignored, ").unwrap_or_else(|| panic!("{text} {output:?}"));
        after.split_once(" matched").unwrap().0.parse().unwrap()
    };
    let ours = ours();
    assert_eq!((ours.len(), matched(&ours)), (20, 20));
    let decoys = decoys();
    assert_eq!((decoys.len(), matched(&decoys)), (20, 0));
}

fn ours() -> Vec<String> {
    let stamps = ["Nov 22 02:49:01", "2026-11-22T02:49:01.123456+00:00"];
    let programs = ["sshd[123]", "sshd-session[99]", "dovecot[7]", "login[1]", "/usr/sbin/vsftpd[4]"];
    let services = ["sshd", "sshd", "dovecot", "remote", "vsftpd"];
    let addresses = ["203.0.113.7", "2001:db8::7"];
    let line = |stamp, (program, service), address| {
        format!(
            "{stamp} host {program}: pam_nearmiss({service}:auth): guess from {address} weight 5: \
             a password that is guessed often here"
        )
    };
    let programs = || programs.into_iter().zip(services);
    let of =
        |stamp| programs().flat_map(move |program| addresses.map(|address| line(stamp, program, address)));
    stamps.into_iter().flat_map(of).collect()
}

fn decoys() -> Vec<String> {
    let line =
        "pam_nearmiss(sshd:auth): guess from 192.0.2.1 weight 5: a password that is guessed often here";
    let message = "guess from 192.0.2.1 weight 5: a password that is guessed often here";
    let at = "Nov 22 02:49:01 host";
    let mut decoys: Vec<String> = [
        format!("{at} sshd[1]: Invalid user {line} from 203.0.113.9 port 22"),
        format!("{at} sshd[1]: Invalid user {line}"),
        format!("{at} sshd[1]: Invalid user : {line}"),
        format!("{at} sshd[1]: input_userauth_request: invalid user {line} [preauth]"),
        format!("{at} sshd[1]: Failed password for invalid user {line} from 203.0.113.9 port 4 ssh2"),
        format!("{at} sshd[1]: pam_unix(sshd:auth): authentication failure; rhost=203.0.113.8 user={line}"),
        format!("{at} sshd[1]: pam_unix(sshd:auth): check pass; user unknown {message}"),
        format!("{at} sshd[1]: pam_unix(sshd:auth): {message}"),
        format!("{at} sshd[1]: pam_faillock(sshd:auth): Consecutive login failures for user {line}"),
        format!("{at} sshd[1]: {message}"),
        format!("{at} login[1]: FAILED LOGIN (1) on '/dev/tty1' FOR '{line}', Authentication failure"),
        format!("{at} dovecot[1]: auth: pam({line},203.0.113.9): unknown user"),
        format!("{at} su: FAILED SU (to {line}) root on pts/0"),
        format!("{at} sudo:  user : {line} ; TTY=pts/0 ; COMMAND=/bin/sh"),
    ]
    .into();
    let own = [
        "guess from no address weight 5: a password that is guessed often here",
        "a failed login is counted",
        "guess from 192.0.2.1 weight 5: a password that is guessed often here and more",
        "guess from evil.example weight 5: a password that is guessed often here",
        "guess from 192.0.2.1 192.0.2.2 weight 5: a password that is guessed often here",
        "guess from 192.0.2.1 weight five: a password that is guessed often here",
    ];
    decoys.extend(own.map(|message| format!("{at} sshd[1]: pam_nearmiss(sshd:auth): {message}")));
    decoys
}

/// The manual's lines are those that the tests run.
#[test]
fn the_lines_of_the_tests_are_those_of_the_profiles() {
    for (profile, line) in
        [("nearmiss-failed", FAILED), ("nearmiss-guessed", PASSED), ("nearmiss-guessed", GUESSED)]
    {
        let words: Vec<&str> = line.split_whitespace().collect();
        let profile = packaged(&format!("pam-configs/{profile}"));
        let word = words.iter().find(|word| ["failed", "passed", "guessed"].contains(word)).unwrap();
        let wanted = format!("{}\t\t", words[1]);
        assert!(
            profile.contains(&format!("pam_nearmiss.so {word}")) && profile.contains(&wanted),
            "{profile}"
        );
    }
    assert!(stack("x", &[FAILED]).contains("pam.d/x"));
}

/// Eight at once fail logins, each opening everything for each failure as the processes of `sshd` do, while
/// the ladder is replaced now and then.
fn storm(seconds: u64) {
    const WORKERS: u64 = 8;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let ladder = LadderFiles { file: path("state/chosen"), key: path("etc/key") };
    let guesses =
        GuessRules { file: path("state/guessed"), seen: path("run/failures"), ..GuessRules::default() };
    let config = Config { dictionaries: Vec::new(), ladder, guesses, ..Config::default() };
    let new = NewLadder { params: Preset::Guesses.params(Some(1 << 22)).unwrap(), cost: None, stamps: 0 };
    create(&config.guess_files(), &new, false).unwrap();
    let end = Instant::now() + Duration::from_secs(seconds);
    let fail = |worker: u64| {
        let mut random = SeededRandom::new(worker);
        let mut done = [0_u64; 2];
        while Instant::now() < end {
            let (account, password) = (random.next_word() % 500, random.next_word() % 20_000);
            let login = FailedLogin {
                account: &account.to_le_bytes(),
                password: &password.to_le_bytes(),
                remote_host: Some(b"203.0.113.7"),
                now: 1_800_000_000,
            };
            let guess = Site::new(config.clone()).count_guess(&login).unwrap();
            let Guess::Seen { is_new, .. } = guess else { panic!("{guess:?}") };
            done = [done[0] + 1, done[1] + u64::from(is_new)];
        }
        done
    };
    let done: Vec<[u64; 2]> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|worker| scope.spawn(move || fail(worker))).collect();
        while Instant::now() + Duration::from_secs(1) < end {
            thread::sleep(Duration::from_millis(900));
            create(&config.guess_files(), &new, true).unwrap();
        }
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let [failures, counted] = [0, 1].map(|index| done.iter().map(|done| done[index]).sum::<u64>());
    let seen = SeenFailures::open(&config.guesses.seen).unwrap().unwrap();
    assert_eq!([Counter::Failures, Counter::Counted].map(|c| seen.count(c).unwrap()), [failures, counted]);
    let (header, bits) = open_array(&config.guesses.file).unwrap().unwrap();
    let share = ones(&bits, 0, bits.byte_count()).unwrap() as f64 / header.params.bits() as f64;
    // A new array has a standard deviation of 1/(2·√N), and steps keep it.
    let deviation = 0.5 / (header.params.bits() as f64).sqrt();
    assert!((share - 0.5).abs() < 5.0 * 1.5 * deviation, "{share}");
    told("failed logins of eight at once beside a ladder that is replaced", failures);
    println!("{counted} of them counted, {} a second", failures / seconds);
}

#[test]
fn two_seconds_of_failed_logins() {
    storm(2);
}

#[test]
#[ignore = "make torture"]
fn a_minute_of_failed_logins() {
    storm(60);
}
