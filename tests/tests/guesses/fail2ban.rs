//! The packaged filter of fail2ban and what it takes for our line.

use std::{fs, process::Command};

use nearmiss_tests::{
    skip::skipped,
    sshd::{packaged, program},
};

/// Twenty lines as syslog daemons write them, and twenty that others can have written.
#[test]
fn the_packaged_filter_of_fail2ban_takes_our_line_and_no_other() {
    let (Some(regex), Some(common)) =
        (program("/usr/bin/fail2ban-regex"), program("/etc/fail2ban/filter.d/common.conf"))
    else {
        skipped(Some("needs fail2ban (tests/tools/unpack.sh fetches it)"));
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

/// In a file of syslog's any user of the host writes the same line; the journal knows who wrote it.
#[test]
fn the_packaged_jail_reads_what_root_wrote_alone() {
    let value = |file: &str, key: &str| {
        let text = packaged(file);
        let line = text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
        line.map(|value| value.trim().to_owned())
    };
    assert_eq!(value("fail2ban/jail.d/nearmiss.conf", "backend").as_deref(), Some("systemd"));
    assert_eq!(value("fail2ban/jail.d/nearmiss.conf", "logpath"), None);
    let matched = value("fail2ban/filter.d/nearmiss.conf", "journalmatch").unwrap();
    assert_eq!(matched, "SYSLOG_FACILITY=10 _UID=0 _TRANSPORT=syslog");
}
