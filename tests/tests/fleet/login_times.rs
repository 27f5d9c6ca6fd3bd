//! Whether the time of a failed login tells which accounts exist: with the real `sshd`, printed for
//! SECURITY.md, and never judged.

use std::{
    io::{Read, Write},
    os::unix::net::UnixListener,
    path::Path,
    thread,
    time::Duration,
};

use nearmiss_tests::{
    fleet::{Descriptor, no_store},
    scenario::Scenario,
    skip::{no_namespace, skipped},
    sshd::{ACCOUNT, AUTH, no_server, scenario},
};

use super::host::{Joining, speaking_to};

/// Two accounts that exist, whose difference is the noise, and one that does not.
const USERS: [&str; 3] = ["u0", "u1", "stranger"];
const ROUNDS: usize = 100;
/// The way to a store on another continent and back.
const FAR: Duration = Duration::from_millis(27);

/// A round is a login of each, one after the other, each time another first; what is printed is milliseconds.
const SCRIPT: &str = r#"
round=0
while [ $round -lt ROUNDS ]; do
    case $((round % 3)) in
        0) users="u0 u1 stranger" ;;
        1) users="u1 stranger u0" ;;
        *) users="stranger u0 u1" ;;
    esac
    for user in $users; do
        began=$(date +%s%N)
        /etc/try $user guess-$round-$user-Qx 127.0.1.$((round + 1)) > /dev/null
        echo $user $((($(date +%s%N) - began) / 10000))
    done
    round=$((round + 1))
done
"#;

/// An agent that replies after this time: a height of 0.
fn slow(socket: &Path, after: Duration) {
    let listener = UnixListener::bind(socket).unwrap();
    thread::spawn(move || {
        for mut peer in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut request = [0; 272];
                if peer.read(&mut request).is_ok_and(|length| length > 0) {
                    thread::sleep(after);
                    let _ = peer.write_all(&[1, 0, 0, 1]);
                }
            });
        }
    });
}

fn report(name: &str, host: Scenario) {
    let script = SCRIPT.replace("ROUNDS", &ROUNDS.to_string());
    let run = host.pipe(None, &["/bin/sh", "-c", &script], "").with("seconds", &3000.into()).play_one();
    let medians = USERS.map(|user| {
        let lines = run.transcript.lines().filter_map(|line| line.strip_prefix(user)?.trim().parse().ok());
        let mut times: Vec<f64> = lines.collect();
        assert_eq!(times.len(), ROUNDS, "{}", run.transcript);
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2] / 100.0
    });
    let [one, other, stranger] = medians;
    println!(
        "{name}: medians of {ROUNDS} failed logins: {one:.1} and {other:.1} ms for accounts that exist, \
         {stranger:.1} ms for one that does not"
    );
}

#[test]
#[ignore = "a measurement: benches/bench.sh logins"]
fn what_the_time_of_a_failed_login_tells() {
    if skipped(no_store().or_else(no_namespace).or_else(no_server)) {
        return;
    }
    let descriptor = Descriptor::guessed(24);
    let joining = Joining::new(&descriptor);
    let [hanging, far, near] = ["hanging", "far", "near"].map(|name| joining.path(name));
    let _listener = UnixListener::bind(&hanging).unwrap();
    slow(&far, FAR);
    slow(&near, Duration::ZERO);
    report("no fleet", scenario(&AUTH, &ACCOUNT, 2, &[]));
    for (name, socket) in [("agent hangs", &hanging), ("store far away", &far), ("store near", &near)] {
        let host = scenario(&AUTH, &ACCOUNT, 2, &[joining.command()]).configuration(&speaking_to(socket));
        report(name, host);
    }
}
