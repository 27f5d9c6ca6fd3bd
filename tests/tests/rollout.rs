//! A roll-out in audit mode: what the log counts is what enforcing then rejects; and an image whose maker
//! sends the configuration along. The machine's own `chpasswd` changes the passwords; root only, in a private
//! mount namespace.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use nearmiss_tests::{
    artifacts::{artifacts, workspace},
    scenario::{Run, Scenario},
    skip::{no_namespace, skipped},
};

/// `make torture` plays the week whole: 1,000 changes.
const ROUNDS: u32 = 4;
const USERS: u32 = 50;

/// A change of each user's password, one in three of them weak.
fn round(number: u32) -> String {
    let line = |user: u32| {
        let weak = ["password", "elephqnt", "monkey99", "butterfly!"];
        let weak = weak.get((number + user / 3) as usize % weak.len()).unwrap_or(&"password");
        let password = if user.is_multiple_of(3) {
            (*weak).to_owned()
        } else {
            format!("Zq{number}-uncommon-{user}-phrase")
        };
        format!("u{user}:{password}\n")
    };
    (0..USERS).map(line).collect()
}

fn week(options: &str, rounds: u32) -> Vec<Run> {
    const ADD: &str = "i=0; while [ $i -lt 50 ]; do echo \"u$i:x:$((5000+i)):5000::/tmp:/bin/sh\" >> \
                       /etc/passwd; echo \"u$i:*:19000:0:99999:7:::\" >> /etc/shadow; i=$((i+1)); done";
    let scenario = Scenario::new(options).prepare(&[ADD]);
    let play = |scenario: Scenario, number| scenario.pipe(None, &["/usr/sbin/chpasswd"], &round(number));
    (0..rounds).fold(scenario, play).play()
}

/// The counts of the script for monitoring in these lines of the log.
fn counted(log: &[String]) -> String {
    let mut shell = Command::new("awk");
    let script = workspace().join("packaging/monitor/log-report.awk");
    shell.arg("-f").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = shell.spawn().expect("awk");
    child.stdin.take().expect("a pipe").write_all(log.join("\n").as_bytes()).expect("the log is read");
    String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("text")
}

fn compare(rounds: u32) {
    if skipped(no_namespace()) {
        return;
    }
    let audit = week("enforce=audit", rounds);
    let log: Vec<String> = audit.iter().flat_map(|run| run.log.clone()).collect();
    for run in &audit {
        run.expect_status(0).expect_shadow_changed(true);
        assert!(!run.transcript.contains("BAD PASSWORD"), "{run:#?}");
    }
    let enforced = week("enforce_for_root", rounds);
    let rejected: usize = enforced.iter().map(|run| run.transcript.matches("BAD PASSWORD").count()).sum();
    let counts = counted(&log);
    assert!(counts.contains(&format!("decisions audit reject {rejected}\n")), "{rejected}: {counts}");
    let accepted = (rounds * USERS) as usize - rejected;
    assert!(counts.contains(&format!("decisions yes accept {accepted}\n")), "{counts}");
    assert_eq!(rejected, (rounds * USERS.div_ceil(3)) as usize);
}

#[test]
fn what_audit_counts_is_what_enforcing_rejects() {
    compare(ROUNDS);
}

#[test]
#[ignore = "a thousand changes take a minute: make torture plays them"]
fn a_week_of_audit_counts_what_enforcing_rejects() {
    compare(20);
}

/// A change by root to a password of 13 characters, then what `filterctl config` shows.
const CHANGE: &str = "echo tester:Zq7-uncommon+ | chpasswd 2>&1 && echo changed; \"$0\" config --changed";

#[test]
fn the_vendors_file_holds_where_there_is_none_in_etc() {
    if skipped(no_namespace()) {
        return;
    }
    let own = "/etc/security/nearmiss.conf";
    let vendor = "/usr/share/nearmiss/nearmiss.conf";
    let prepare = format!(
        "umask 022; rm -rf {own} {own}.d; mount -t tmpfs -o mode=0755 none /usr/share && \
         mkdir /usr/share/nearmiss && printf 'enforce_for_root = true\\nmin_length = 14\\n' > {vendor}"
    );
    let filterctl = artifacts().filterctl.to_str().expect("a path in UTF-8").to_owned();
    let steps = [
        String::new(),
        format!("mkdir {own}.d; echo 'min_length = 10' > {own}.d/10.conf"),
        format!("rm -r {own}.d; chmod o+w {vendor}"),
        format!("echo 'retry = 2' > {own}"),
    ];
    let play = |scenario: Scenario, step: &String| {
        let shell: &'static str = format!("{step}\n{CHANGE}").leak();
        let filterctl: &'static str = filterctl.clone().leak();
        scenario.pipe(None, &["/bin/sh", "-c", shell, filterctl], "")
    };
    let runs = steps.iter().fold(Scenario::new("").prepare(&[&prepare]), play).play();
    let [alone, with_drop_in, untrusted, own_file] = runs.as_slice() else { panic!("{runs:#?}") };
    alone.expect_shadow_changed(false).expect_shown("shorter than 14");
    alone.expect_shown(&format!("# file: {vendor}\n")).expect_shown(&format!("{vendor}:2"));
    with_drop_in.expect_shadow_changed(true).expect_shown("changed");
    with_drop_in.expect_shown(&format!("# file: {vendor}\n# file: {own}.d/10.conf\n"));
    untrusted.expect_shadow_changed(true).expect_log(vendor).expect_log("can be written by others");
    own_file.expect_shadow_changed(true).expect_shown(&format!("# file: {own}\n"));
    own_file.expect_nowhere(vendor).expect_nowhere("min_length");
}
