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
    sshd::{ACCOUNT, AUTH, FAILED, no_server, scenario},
};

use super::host::{Joining, speaking_to};

/// Two accounts that exist, whose difference is the noise, and one that does not.
const USERS: [&str; 3] = ["u0", "u1", "stranger"];
const ROUNDS: usize = 198;
/// Within so many ranks of the middle of so many values lies the middle of all such, 99 times of 100: 2.576
/// standard deviations, `sqrt(ROUNDS) / 2`, of the number of values below it.
const SPREAD: usize = 19;
/// The way to a store on another continent and back.
const FAR: Duration = Duration::from_millis(27);

/// A round is a login of each, one after the other, in all orders by turns, so that none has the same one
/// always before it; what is printed is hundredths of a millisecond.
const SCRIPT: &str = r#"
round=0
while [ $round -lt ROUNDS ]; do
    case $((round % 6)) in
        0) users="u0 u1 stranger" ;;
        1) users="u1 u0 stranger" ;;
        2) users="stranger u0 u1" ;;
        3) users="stranger u1 u0" ;;
        4) users="u0 stranger u1" ;;
        *) users="u1 stranger u0" ;;
    esac
    place=1
    for user in $users; do
        began=$(date +%s%N)
        /etc/try $user guess-$round-$user-Qx 127.0.$place.$((round + 1)) > /dev/null
        echo $user $((($(date +%s%N) - began) / 10000))
        place=$((place + 1))
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

/// What lies in the middle of these, and at the ranks between which the middle of all such lies.
fn middle(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    [ROUNDS / 2, ROUNDS / 2 - SPREAD, ROUNDS / 2 + SPREAD].map(|rank| values[rank])
}

fn report(name: &str, host: Scenario) {
    let script = SCRIPT.replace("ROUNDS", &ROUNDS.to_string());
    let run = host.pipe(None, &["/bin/sh", "-c", &script], "").with("seconds", &3000.into()).play_one();
    let [one, other, stranger] = USERS.map(|user| {
        let lines = run.transcript.lines().filter_map(|line| line.strip_prefix(user)?.trim().parse().ok());
        let times: Vec<f64> = lines.map(|hundredths: f64| hundredths / 100.0).collect();
        assert_eq!(times.len(), ROUNDS, "{}", run.transcript);
        times
    });
    let [median, ..] = middle(one.iter().copied());
    let [noise, noise_low, noise_high] = middle(one.iter().zip(&other).map(|(one, other)| other - one));
    let existing = one.iter().zip(&other).map(|(one, other)| (one + other) / 2.0);
    let [told, low, high] =
        middle(stranger.iter().zip(existing).map(|(stranger, existing)| stranger - existing));
    println!(
        "{name}: {median:.0} ms; of two accounts that exist, the second {noise:+.1} ms ({noise_low:+.1} to \
         {noise_high:+.1}); one that does not exist {told:+.1} ms ({low:+.1} to {high:+.1})"
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
    println!("medians of {ROUNDS} failed logins, and of the differences within a round (with 99 % bounds)");
    let others = AUTH.map(|line| if line == FAILED { "auth optional pam_permit.so" } else { line });
    report("without the line for failures", scenario(&others, &ACCOUNT, 2, &[]));
    report("no fleet", scenario(&AUTH, &ACCOUNT, 2, &[]));
    for (name, socket) in [("agent hangs", &hanging), ("store far away", &far), ("store near", &near)] {
        let host = scenario(&AUTH, &ACCOUNT, 2, &[joining.command()]).configuration(&speaking_to(socket));
        report(name, host);
    }
}
