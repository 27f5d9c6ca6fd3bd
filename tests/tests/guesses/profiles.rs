//! The packaged profiles of pam-auth-update, and the stack that `nearmiss-authselect` writes.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use nearmiss_tests::{
    artifacts::artifacts,
    ladder::stack,
    scenario::{OLD, Scenario},
    skip::{no_namespace, skipped},
    sshd::{FAILED, PASSED, TOLD, packaged, scenario},
};

use super::{ATTACKER, COUNTED, SHOWN, artifacts_of_packaging, cannot_run, hash, is_logged};

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
        // The record of pam-auth-update of the administrator's choice.
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
         {filterctl} doctor --only ladder | grep 'pam lines'"
    );
    let leaked = "DEBIAN_FRONTEND=noninteractive pam-auth-update --package --enable nearmiss-leaked >&2; ";
    let runs = Scenario::new("")
        .prepare(&prepare)
        .shell(&format!("{show}; {leaked} {show} | grep nearmiss"))
        .shell(&format!("{update}{show}"))
        .shell(&doctor)
        .play();
    let before = runs[0]
        .transcript
        .strip_suffix("auth optional pam_nearmiss.so passed\naccount optional pam_nearmiss.so notify\n");
    let before = before.unwrap_or_else(|| panic!("switched on by one command: {:#?}", runs[0]));
    assert!(!before.contains("nearmiss"), "off by default: {before}");
    let expected = "\
        auth [success=5 default=ignore] pam_unix.so nullok\n\
        auth [success=4 default=ignore] pam_sss.so use_first_pass\n\
        auth [default=ignore] pam_nearmiss.so failed\n\
        auth [default=die] pam_faillock.so authfail\n\
        auth sufficient pam_faillock.so authsucc\n\
        auth requisite pam_deny.so\n\
        auth required pam_permit.so\n\
        auth optional pam_nearmiss.so passed\n\
        auth optional pam_nearmiss.so passed\n";
    assert!(runs[1].transcript.contains(expected), "{:#?}", runs[1]);
    let account = "\
        account [default=1 new_authtok_reqd=ignore] pam_nearmiss.so notify force-change\n\
        account optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire\n\
        account [success=1 new_authtok_reqd=done default=ignore] pam_unix.so";
    assert!(runs[1].transcript.contains(account), "{:#?}", runs[1]);
    // Everything but the helper and the module, which are not installed here.
    assert!(runs[2].transcript.contains("/usr/libexec/nearmiss/expire is missing"), "{:#?}", runs[2]);
    let others = runs[2].transcript.lines().filter(|line| !line.contains("pam_nearmiss.so is not there"));
    assert_eq!(others.count(), 1, "{:#?}", runs[2]);
}

/// The manual's lines are those that the tests run.
#[test]
fn the_lines_of_the_tests_are_those_of_the_profiles() {
    for (profile, line) in [
        ("nearmiss-failed", FAILED),
        ("nearmiss-guessed", PASSED),
        ("nearmiss-guessed", TOLD),
        ("nearmiss-leaked", PASSED),
        ("nearmiss-leaked", TOLD),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let profile = packaged(&format!("pam-configs/{profile}"));
        let word = words.iter().find(|word| ["failed", "passed", "notify"].contains(word)).unwrap();
        let wanted = format!("{}\t\t", words[1]);
        assert!(
            profile.contains(&format!("pam_nearmiss.so {word}")) && profile.contains(&wanted),
            "{profile}"
        );
    }
    assert!(stack("x", &[FAILED]).contains("pam.d/x"));
}

/// The profile `sssd` of authselect 1.5.
const SSSD: &str = include_str!("authselect.sssd");

/// The lines that authselect makes of a profile with these features on, a blank between the words.
fn decided(profile: &str, features: &[&str]) -> Vec<String> {
    let named = |condition: &str, at| condition.split('"').nth(at).map(str::to_owned);
    let implied = profile.lines().filter_map(|line| line.strip_prefix("{imply "));
    let implied = implied.filter(|line| features.iter().any(|one| named(line, 3).as_deref() == Some(one)));
    let on: Vec<String> = features
        .iter()
        .map(|one| (*one).to_owned())
        .chain(implied.filter_map(|line| named(line, 1)))
        .collect();
    let is_on = |condition: &str| on.contains(&named(condition, 1).unwrap());
    let stays = |line: &&str| match line.split_once(" if \"") {
        Some((start, _)) if start.ends_with("{include") => is_on(line.split_once("{include").unwrap().1),
        Some((start, _)) if start.ends_with("{exclude") => !is_on(line.split_once("{exclude").unwrap().1),
        _ => true,
    };
    let plain = profile.replace("{if not \"without-nullok\":nullok}", "nullok");
    let lines = plain.lines().filter(stays).map(|line| line.split('{').next().unwrap());
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    lines.map(words).filter(|line| !line.is_empty()).collect()
}

/// The profile after `nearmiss-authselect`.
fn rewritten() -> String {
    rewritten_of(SSSD)
}

fn rewritten_of(profile: &str) -> String {
    let script = artifacts_of_packaging("authselect/nearmiss-authselect");
    let mut command = Command::new("sh");
    command.args([&script, "--filter"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(profile.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

const FEATURES: [&str; 3] = ["with-faillock", "with-nearmiss-failed", "with-nearmiss-guessed"];

#[test]
fn authselect_gets_the_lines_where_they_belong() {
    let profile = rewritten();
    for features in [&[][..], &["with-faillock"]] {
        assert_eq!(decided(&profile, features), decided(SSSD, features), "off by default");
    }
    let all = decided(&profile, &[&FEATURES[..], &["with-nearmiss-expire"]].concat());
    let lines = |kind: &str| -> Vec<&str> {
        all.iter().filter_map(|line| line.strip_prefix(kind)).map(str::trim).collect()
    };
    let expected = [
        "required pam_env.so",
        "required pam_faildelay.so delay=2000000",
        "required pam_faillock.so preauth silent",
        "[default=1 ignore=ignore success=ok] pam_usertype.so isregular",
        "[default=3 ignore=ignore success=ok] pam_localuser.so",
        "[success=ok new_authtok_reqd=ok default=2] pam_unix.so nullok",
        "optional pam_nearmiss.so passed",
        "sufficient pam_permit.so",
        "[default=3 ignore=ignore success=ok] pam_usertype.so isregular",
        "[success=ok new_authtok_reqd=ok default=2] pam_sss.so forward_pass",
        "optional pam_nearmiss.so passed",
        "sufficient pam_permit.so",
        "[default=ignore] pam_nearmiss.so failed",
        "required pam_faillock.so authfail",
        "required pam_deny.so",
    ];
    assert_eq!(lines("auth"), expected);
    let expected = [
        "required pam_faillock.so",
        "[default=1 new_authtok_reqd=ignore] pam_nearmiss.so notify force-change",
        "optional pam_exec.so quiet seteuid /usr/libexec/nearmiss/expire",
        "required pam_unix.so",
        "optional pam_nearmiss.so notify",
        "sufficient pam_localuser.so",
        "[default=bad success=ok user_unknown=ignore] pam_sss.so",
        "required pam_permit.so",
    ];
    assert_eq!(lines("account"), expected);
}

/// The doctor's findings on the lines of a host whose services have this stack.
fn examined(stack: &[String]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["etc/pam.d", "state", "keys"] {
        std::fs::create_dir_all(path(name)).unwrap();
    }
    let [guessed, key] = ["state/guessed", "keys/key"].map(|name| path(name).display().to_string());
    let conf = path("site.conf").display().to_string();
    let settings = format!(
        "packaged = false\n[ladder]\nfile = \"/none/l\"\nkey = {key:?}\n[guesses]\nfile = {guessed:?}\n"
    );
    std::fs::write(&conf, settings).unwrap();
    std::fs::write(path("etc/pam.d/system-auth"), stack.join("\n") + "\n").unwrap();
    let sshd = "auth substack system-auth\naccount include system-auth\n";
    std::fs::write(path("etc/pam.d/sshd"), sshd).unwrap();
    let filterctl = |words: &[&str]| {
        let mut command = Command::new(&artifacts().filterctl);
        command.args(words).args(["--conf", &conf]).output().unwrap()
    };
    assert!(filterctl(&["ladder", "init", "--guessed"]).status.success());
    let root = folder.path().display().to_string();
    let told = filterctl(&["doctor", "--only", "ladder", "--root", &root]);
    let told = String::from_utf8(told.stdout).unwrap();
    let lines = told.lines().filter(|line| line.contains("pam lines") && !line.starts_with("ok"));
    lines.map(|line| line.to_owned() + "\n").collect()
}

/// What the script writes is well, and a jump that it must not leave is found.
#[test]
fn the_doctor_follows_the_stack_of_authselect() {
    let profile = rewritten();
    for more in [&[][..], &["with-nearmiss-leaked"], &["with-smartcard"]] {
        let stack = decided(&profile, &[&FEATURES[..], more].concat());
        assert_eq!(examined(&stack), "", "{more:?}: {stack:#?}");
    }
    let open: Vec<String> =
        decided(&profile, &FEATURES).iter().map(|line| line.replace("default=3", "default=1")).collect();
    let told = examined(&open);
    assert!(
        told.starts_with("WRONG") && told.contains("passed is reached without a successful login"),
        "{told}"
    );
}

/// Such a jump would end on the line that ends the stack: whoever is in a directory would get in with any
/// password. These are the lines of the profile with its conditions, and each of the others that goes as far.
#[test]
fn a_profile_with_another_jump_over_a_verifier_stays_without_its_features() {
    let jump =
        |by, rest: &str| format!("auth [default={by} ignore=ignore success=ok] pam_localuser.so{rest}\n");
    let plain = "auth        [default=1 ignore=ignore success=ok]         pam_localuser.so\n";
    let [excluded, included] = [(1, "exclude"), (2, "include")]
        .map(|(by, word)| jump(by, &format!(" {{{word} if \"with-smartcard\"}}")));
    let certificate =
        "auth [success=done default=die] pam_sss.so try_cert_auth {include if \"with-smartcard\"}\n";
    let [both, further] = [[&excluded, &included, certificate].concat(), jump(2, "")];
    let success = "auth [success=1 default=1] pam_localuser.so\n".to_owned();
    for lines in [both, excluded, included, further, success] {
        let profile = SSSD.replace(plain, &lines);
        assert_ne!(profile, SSSD);
        let rewritten = rewritten_of(&profile);
        for features in [&["with-nearmiss-guessed"][..], &["with-nearmiss-leaked"], &["with-smartcard"]] {
            let also: Vec<&str> = features.iter().copied().chain(["with-smartcard"]).collect();
            for features in [features, &also] {
                assert_eq!(
                    decided(&rewritten, features),
                    decided(&profile, features),
                    "{lines} {features:?}"
                );
            }
        }
        let on = decided(&rewritten, &["with-nearmiss", "with-nearmiss-failed"]);
        assert!(
            on.iter().any(|line| line.ends_with(" failed"))
                && on.iter().any(|line| line.ends_with(" record"))
        );
    }
}

#[test]
fn failures_are_counted_behind_the_modules_that_verify() {
    let required = "auth required pam_deny.so # Smartcards alone {include if \"with-smartcard-required\"}\n";
    let rewritten = rewritten_of(&format!("{required}{SSSD}"));
    let lines = decided(&rewritten, &["with-nearmiss-failed"]);
    let at = |end: &str| lines.iter().position(|line| line.ends_with(end)).unwrap();
    assert!(at("pam_nearmiss.so failed") > at("pam_sss.so forward_pass"), "{lines:?}");
}

/// The feature for leaked passwords alone: the lines about logins that succeed, and nothing else.
#[test]
fn authselect_gets_the_lines_for_leaked_passwords_alone() {
    let profile = rewritten();
    let leaked = decided(&profile, &["with-nearmiss-leaked"]);
    assert_eq!(leaked, decided(&profile, &["with-nearmiss-guessed"]));
    let ours: Vec<&String> = leaked.iter().filter(|line| line.contains("nearmiss")).collect();
    let passed = "auth optional pam_nearmiss.so passed";
    assert_eq!(ours, [passed, passed, "account optional pam_nearmiss.so notify"]);
}

#[test]
fn the_stack_of_authselect_counts_failures_and_shows_owners() {
    if cannot_run() {
        return;
    }
    // A directory without users, and no delay after failures.
    let lines: Vec<String> = decided(&rewritten(), &FEATURES)
        .into_iter()
        .filter(|line| !line.contains("pam_faildelay"))
        .map(|line| line.replace("pam_sss.so", "pam_deny.so"))
        .map(|line| line.replace("pam_nearmiss.so", "/etc/security/pam_nearmiss.so"))
        .map(|line| line.replace(".so failed", ".so failed debug").replace("nullok", "nullok nodelay"))
        .collect();
    let of = |kind: &str| -> Vec<&str> {
        lines.iter().filter(|line| line.starts_with(kind)).map(String::as_str).collect()
    };
    let flagged =
        format!("echo '{OLD}' | {} ladder step --guessed --steps 48 >&2", artifacts().filterctl.display());
    let wrong = ["wrong-1-Pa55", "wrong-2-Pa55", "wrong-3-Pa55"];
    let first = scenario(&of("auth"), &of("account"), 2, &["mkdir -p /run/faillock".to_owned()])
        .log_in("u0", OLD, ATTACKER)
        .shell(&flagged)
        .log_in("u0", OLD, ATTACKER);
    let locked = wrong.iter().fold(first, |scenario, wrong| scenario.log_in("u1", wrong, ATTACKER));
    let runs = locked.guessed_digest().log_in("u1", OLD, ATTACKER).guessed_digest().play();
    assert!(
        runs[0].transcript.contains("logged in") && !runs[0].transcript.contains(SHOWN),
        "{:#?}",
        runs[0]
    );
    runs[2].expect_shown(SHOWN).expect_shown("logged in");
    assert!(runs[3..6].iter().all(|run| is_logged(run, COUNTED)), "{:#?}", &runs[3..6]);
    assert!(!runs[7].transcript.contains("logged in"), "the account is locked: {:#?}", runs[7]);
    assert_eq!(hash(&runs[6]), hash(&runs[8]), "the right password took a step: {:#?}", runs[7]);
}
