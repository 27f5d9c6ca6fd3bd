//! Whether the time of a failed login tells which accounts exist: with the real `sshd`, printed for
//! SECURITY.md, and never judged.

use std::{
    io::{Read, Write},
    os::unix::net::UnixListener,
    path::Path,
    thread,
    time::Duration,
};

use nearmiss_fleet_tests::{Descriptor, no_store};
use nearmiss_tests::{
    scenario::Scenario,
    skip::{no_namespace, skipped},
    sshd::{ACCOUNT, AUTH, FAILED, no_server, scenario},
};

use super::host::{Joining, speaking_to};

/// Who logs in: of two accounts that exist, whose difference is the noise, and one that does not.
const ROLES: [&str; 3] = ["one", "other", "stranger"];
const ROUNDS: usize = 198;
/// Within so many ranks of the middle of so many values lies the middle of all such, 99 times of 100: 2.576
/// standard deviations, `sqrt(ROUNDS) / 2`, of the number of values below it.
const SPREAD: usize = 19;
/// Two for each round.
const ACCOUNTS: u32 = 2 * 198;
/// The way to a store on another continent and back.
const FAR: Duration = Duration::from_millis(27);

/// A round is a login of each, one after the other, in all orders by turns, so that none has the same one
/// always before it; what is printed is hundredths of a millisecond.
///
/// `sshd` delays each name by a time of its own, from a secret hash of the name: each round has other names.
/// It does so at the first step of a method. `password` has that one alone, whose length it rounds up to the
/// next of a sequence that doubles; this method has a second step, whose length everybody sees.
const SCRIPT: &str = r#"
round=0
while [ $round -lt ROUNDS ]; do
    case $((round % 6)) in
        0) roles="one other stranger" ;;
        1) roles="other one stranger" ;;
        2) roles="stranger one other" ;;
        3) roles="stranger other one" ;;
        4) roles="one stranger other" ;;
        *) roles="other stranger one" ;;
    esac
    place=1
    for role in $roles; do
        case $role in
            one) user=u$((2 * round)) ;;
            other) user=u$((2 * round + 1)) ;;
            *) user=s$round ;;
        esac
        began=$(date +%s%N)
        METHOD=keyboard-interactive /etc/try $user guess-$round-$user 127.0.$place.$((round + 1)) > /dev/null
        echo $role $((($(date +%s%N) - began) / 10000))
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
    let [one, other, stranger] = ROLES.map(|role| {
        let lines = run
            .transcript
            .lines()
            .filter_map(|line| line.strip_prefix(role)?.strip_prefix(' ')?.parse().ok());
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
    report("without the line for failures", scenario(&others, &ACCOUNT, ACCOUNTS, &[]));
    report("no fleet", scenario(&AUTH, &ACCOUNT, ACCOUNTS, &[]));
    for (name, socket) in [("agent hangs", &hanging), ("store far away", &far), ("store near", &near)] {
        let host =
            scenario(&AUTH, &ACCOUNT, ACCOUNTS, &[joining.command()]).configuration(&speaking_to(socket));
        report(name, host);
    }
}
