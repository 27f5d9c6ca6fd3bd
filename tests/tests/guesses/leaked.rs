//! Passwords of logins in a list of leaked ones: reported after the list has them and not before, by each way
//! in; expired if the filter's rate is low enough; and no user locked out, whatever the filter is like. There
//! is no ladder.

use nearmiss_tests::{
    artifacts::artifacts,
    ladder::FIRST_UID,
    scenario::{
        Answer::{Type, Wait},
        OLD, Run, Scenario, TESTER, install_expire,
    },
    sshd::{AUTH, scenario},
};
use serde_json::json;

use super::{ATTACKER, GUESS, cannot_run};

const FILTER: &str = "/etc/security/leaked.filter";
const TOLD: &str = "Your password is in a list of leaked passwords. Change it with passwd.";
const LINE: &str = "decision=listed reason=breached enforced=warn try=1 user=- service=sshd rhost=- cause=-";
const NOT_KNOWN: &str = "cannot check login passwords against leaked passwords";
const NEW: &str = "Zb9-never-leaked-Pa55";

/// Debian's order of the account lines, with ours.
const ACCOUNT: [&str; 4] = [
    "account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so",
    "account requisite pam_deny.so",
    "account required pam_permit.so",
    "account optional /etc/security/pam_nearmiss.so notify",
];

/// The same where a change is demanded.
const EXPIRE: [&str; 5] = [
    "account [default=1 new_authtok_reqd=ignore] /etc/security/pam_nearmiss.so notify force-change",
    "account optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire",
    "account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so",
    "account requisite pam_deny.so",
    "account required pam_permit.so",
];

/// A command that builds the filter of the digests of these passwords, in place of an earlier one.
fn built(flags: &str, passwords: &[&str]) -> String {
    let digests = passwords.iter().map(|password| format!("printf %s '{password}' | sha1sum | cut -c1-40;"));
    let digests: String = digests.collect();
    let filterctl = artifacts().filterctl.display();
    format!(
        "{{ {digests} }} > /run/digests && {filterctl} build --quiet --kind sha1 {flags} -o {FILTER} \
         /run/digests >&2"
    )
}

/// A server whose configuration has the filter, after these preparations.
fn site(account: &[&str], users: u32, further: &[String]) -> Scenario {
    let no_ladder = "rm /var/lib/nearmiss/guessed.ladder /etc/nearmiss/ladder.key".to_owned();
    let further: Vec<String> = [no_ladder].into_iter().chain(further.iter().cloned()).collect();
    let rule = format!("[[dictionary]]\nfile = \"{FILTER}\"\nlogins = true\n");
    scenario(&AUTH, account, users, &further).configuration(&format!("packaged = false\n{rule}"))
}

fn is_in(run: &Run) -> bool {
    run.transcript.contains("logged in")
}

fn is_told(run: &Run) -> bool {
    run.transcript.contains(TOLD)
}

#[test]
fn a_password_is_told_once_the_list_has_it_to_who_typed_it() {
    if cannot_run() {
        return;
    }
    let key = "ssh-keygen -q -t ed25519 -N '' -f /etc/u0_key; mkdir -p /etc/ssh/keys; \
               cp /etc/u0_key.pub /etc/ssh/keys/u0";
    let with_key = json!({"METHOD": "publickey", "FLAGS": "-i /etc/u0_key"});
    let metrics = format!(
        "{} metrics | grep ^nearmiss_logins_total; stat -c '%a %s' /run/nearmiss/logins; \
         grep -a -c -e '{OLD}' /run/nearmiss/logins",
        artifacts().filterctl.display()
    );
    let su = ["/bin/su", "u1", "-c", "echo switched"];
    let runs = site(&ACCOUNT, 2, &[key.to_owned(), built("", &["another"])])
        .log_in("u0", OLD, ATTACKER)
        .shell(&built("", &["another", OLD, GUESS]))
        .log_in("u0", OLD, ATTACKER)
        .log_in_by_keyboard("u1", OLD, ATTACKER)
        .talk(Some(FIRST_UID), &su, &[("Password: ", Type(OLD)), (TOLD, Wait), ("switched", Wait)])
        .log_in("u0", GUESS, ATTACKER)
        .log_in("u0", OLD, ATTACKER)
        .with("environment", &with_key)
        .talk(None, &su, &[("switched", Wait)])
        .shell(&metrics)
        .shell(&built("", &["another"]))
        .log_in("u0", OLD, ATTACKER)
        .play();
    let [before, _, told, keyboard, switched, refused, by_key, by_root, metrics, _, after] = &runs[..] else {
        panic!("{runs:#?}")
    };
    assert!(is_in(before) && !is_told(before), "not in the list yet: {before:#?}");
    for run in [told, keyboard] {
        assert!(is_in(run) && is_told(run), "{run:#?}");
        run.expect_one_log(LINE);
        assert_eq!(run.transcript.matches(TOLD).count(), 1, "{run:#?}");
    }
    switched.expect_status(0).expect_one_log(&LINE.replace("sshd", "su"));
    assert!(!is_in(refused) && !is_told(refused), "a wrong password is never looked up: {refused:#?}");
    assert!(is_in(by_key) && !is_told(by_key), "a public key: {by_key:#?}");
    by_root.expect_status(0).expect_nowhere(TOLD);
    for run in [before, refused, by_key, by_root, after] {
        assert!(!run.log.iter().any(|line| line.contains("decision=")), "{run:#?}");
    }
    let wanted = "nearmiss_logins_total{result=\"leaked\"} 3\nnearmiss_logins_total{result=\"other\"} 1\n\
                  nearmiss_logins_total{result=\"unchecked\"} 0\n600 32\n0\n";
    assert_eq!(metrics.transcript, wanted);
    assert!(is_in(after) && !is_told(after), "the list has it no more: {after:#?}");
    for run in &runs {
        let ours = run.log.iter().filter_map(|line| line.split_once("pam_nearmiss(").map(|(_, ours)| ours));
        for line in ours {
            assert!(!line.contains("u0") && !line.contains(ATTACKER) && !line.contains(OLD), "{line}");
        }
    }
}

#[test]
fn accounts_are_named_only_where_that_is_configured() {
    if cannot_run() {
        return;
    }
    let log =
        |text: &str| format!("printf '[logins]\\nlog_users = true\\n{text}' >> /etc/security/nearmiss.conf");
    let runs = site(&ACCOUNT, 1, &[built("", &[OLD])])
        .shell(&log(""))
        .log_in("u0", OLD, ATTACKER)
        .shell("sed -i '1s/^/log = \"none\"\\n/' /etc/security/nearmiss.conf")
        .log_in("u0", OLD, ATTACKER)
        .play();
    runs[1].expect_one_log(&LINE.replace("user=-", "user=u0").replace("rhost=-", "rhost=127.0.0.7"));
    assert!(is_told(&runs[3]) && !runs[3].log.iter().any(|line| line.contains("decision=")), "{runs:#?}");
}

/// With `force-change` a password expires where the filter is wrong once in a million at most.
#[test]
fn a_change_is_forced_where_the_filter_is_right_often_enough() {
    if cannot_run() {
        return;
    }
    let ssh = [
        "/usr/bin/ssh",
        "-tt",
        "-o",
        "UserKnownHostsFile=/dev/null",
        "-o",
        "StrictHostKeyChecking=no",
        "-o",
        "PreferredAuthentications=password",
        "u0@127.0.0.1",
        "echo logged in",
    ];
    let su = ["/bin/su", "u1", "-c", "echo switched"];
    let forced = |end| {
        [
            ("assword:", Type(OLD)),
            (TOLD, Wait),
            ("urrent password:", Type(OLD)),
            ("ew password:", Type(NEW)),
            ("etype new password:", Type(NEW)),
            (end, Wait),
        ]
    };
    let told = |end| [("assword:", Type(OLD)), (TOLD, Wait), (end, Wait)];
    let likely = [install_expire(), built("", &[OLD])];
    let expired = "grep -c '^u[012]:[^:]*:0:' /etc/shadow";
    let runs = site(&EXPIRE, 3, &likely)
        .talk(None, &ssh, &told("logged in"))
        .talk(Some(TESTER), &su, &told("switched"))
        .shell(expired)
        .shell(&built("--logins", &[OLD]))
        .talk(None, &ssh, &forced("updated successfully"))
        .talk(Some(TESTER), &su, &forced("switched"))
        .log_in("u2", OLD, ATTACKER)
        .shell(expired)
        .log_in("u0", NEW, ATTACKER)
        .play();
    for run in [&runs[0], &runs[1], &runs[4], &runs[5]] {
        assert_eq!(run.steps_done, run.steps, "{run:#?}");
    }
    assert_eq!(runs[2].transcript, "0\n", "told only");
    assert!(!runs[0].shadow_changed && runs[4].shadow_changed && runs[5].shadow_changed);
    // A command without a terminal is refused until the password is changed, and nothing is lost.
    assert!(!is_in(&runs[6]), "{:#?}", runs[6]);
    assert_eq!(runs[7].transcript, "1\n");
    assert!(is_in(&runs[8]) && !is_told(&runs[8]), "the new password: {:#?}", runs[8]);
}

/// One warning in a minute of all logins, and everybody is in.
#[test]
fn nobody_is_kept_out_by_a_filter_that_cannot_be_used() {
    if cannot_run() {
        return;
    }
    let words = format!(
        "printf 'elephant\\naccommodate\\n' > /run/w; {} build --quiet -o {FILTER} /run/w >&2",
        artifacts().filterctl.display()
    );
    let damages = [
        format!("rm {FILTER}"),
        format!("printf XXXXXXXX | dd of={FILTER} bs=1 seek=6000 conv=notrunc status=none"),
        format!("printf X | dd of={FILTER} bs=1 seek=20 conv=notrunc status=none"),
        format!("truncate -s 4096 {FILTER}"),
        format!("chown 4242 {FILTER}"),
        format!("chmod 666 {FILTER}"),
        words,
        "echo 'min_lenght = 3' > /etc/security/nearmiss.conf.d/x.conf".to_owned(),
    ];
    for damage in damages {
        let further =
            ["mkdir -p /etc/security/nearmiss.conf.d".to_owned(), built("--logins", &[OLD]), damage.clone()];
        let runs = site(&EXPIRE, 2, &further).log_in("u0", OLD, ATTACKER).log_in("u1", OLD, ATTACKER).play();
        assert!(runs.iter().all(|run| is_in(run) && !is_told(run)), "{damage}: {runs:#?}");
        let is_warning = |line: &&String| line.contains("pam_nearmiss") && line.starts_with("<84>");
        let warnings: Vec<&String> = runs.iter().flat_map(|run| &run.log).filter(is_warning).collect();
        assert_eq!(warnings.len(), 1, "{damage}: {runs:#?}");
        let is_named = warnings[0].contains(NOT_KNOWN) || warnings[0].contains("min_lenght");
        assert!(is_named, "{damage}: {warnings:?}");
    }
}

/// Counters that cannot be used are left alone, and everything else works.
#[test]
fn nobody_is_kept_out_by_counters_that_cannot_be_used() {
    if cannot_run() {
        return;
    }
    let folder = "mkdir -p -m 700 /run/nearmiss";
    for damage in
        ["echo other > /run/nearmiss/logins", "mkdir /run/nearmiss/logins", "chmod 777 /run/nearmiss"]
    {
        let further = [built("", &[OLD]), format!("{folder}; {damage}")];
        let run = site(&ACCOUNT, 1, &further).log_in("u0", OLD, ATTACKER).play_one();
        assert!(is_in(&run) && is_told(&run), "{damage}: {run:#?}");
    }
}
