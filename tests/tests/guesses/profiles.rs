//! The packaged profiles of pam-auth-update.

use nearmiss_tests::{
    artifacts::artifacts,
    ladder::stack,
    scenario::Scenario,
    skip::{no_namespace, skipped},
    sshd::{FAILED, GUESSED, PASSED, packaged},
};

use super::artifacts_of_packaging;

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
