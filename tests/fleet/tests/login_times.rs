//! Tests whether the time of a failed login reveals which accounts exist, with the real `sshd`: the same name
//! while it is an account and while it is none, for `make torture` and SECURITY.md.
//!
//! `sshd` delays each name by a time of its own, from a secret hash of the name, and by the method `password`
//! rounds its time up to the next of a sequence that doubles: times of two names cannot be compared. So a
//! round has one name, which is logged in with three times by each method, in a shuffled order: twice as an
//! account, whose difference is the noise, and once as none. `pam_unix` has a time of its own for a name that
//! is none, which we cannot hide: the test is that our lines add nothing to it.

use std::{
    fmt::Write as _,
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

const METHODS: [&str; 2] = ["keyboard-interactive", "password"];
/// The logins of a round by each method; what is compared is `none` and the middle of the others.
const ROLES: [&str; 3] = ["one", "again", "none"];
/// A name each.
const ROUNDS: usize = 170;
const ACCOUNTS: u32 = 170;
/// Within so many ranks of the middle of the rounds lies the true middle, 99 times of 100: 2.576 standard
/// deviations, `sqrt(ROUNDS) / 2`, of the number of values below it.
const SPREAD: usize = 17;
/// The same for six standard deviations: beyond, it is no chance.
const NO_CHANCE: usize = 39;
/// The way to a store on another continent and back.
const FAR: Duration = Duration::from_millis(27);

/// A login of each line of the plan: round, role, method. What is printed is hundredths of a millisecond.
const SCRIPT: &str = r#"
for file in passwd shadow; do cp -p /etc/$file /run/$file.all; done
while read -r round role method; do
    name=u$round
    for file in passwd shadow; do
        case $role in
            none) grep -v "^$name:" /run/$file.all > /etc/$file ;;
            *) cat /run/$file.all > /etc/$file ;;
        esac
    done
    count=$((count + 1))
    from=127.$((1 + count / 250)).0.$((1 + count % 250))
    began=$(date +%s%N)
    METHOD=$method /etc/try $name guess-$count-$name $from > /dev/null < /dev/null
    echo $method $role $((($(date +%s%N) - began) / 10000))
done
"#;

/// The logins of all rounds, shuffled within each by a fixed seed.
fn plan() -> String {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % end as u64).unwrap()
    };
    let mut plan = String::new();
    for round in 0..ROUNDS {
        let mut logins: Vec<_> =
            METHODS.iter().flat_map(|method| ROLES.iter().map(move |role| (role, method))).collect();
        for last in (1..logins.len()).rev() {
            logins.swap(last, below(last + 1));
        }
        for (role, method) in logins {
            writeln!(plan, "{round} {role} {method}").unwrap();
        }
    }
    plan
}

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

/// What lies in the middle of the rounds, and between which values that of all such rounds lies.
struct Middle {
    value: f64,
    likely: [f64; 2],
    no_chance: [f64; 2],
}

impl Middle {
    fn of(values: impl Iterator<Item = f64>) -> Middle {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let around = |ranks| [values[ROUNDS / 2 - ranks], values[ROUNDS / 2 + ranks]];
        Middle { value: values[ROUNDS / 2], likely: around(SPREAD), no_chance: around(NO_CHANCE) }
    }

    /// True if no true middle lies in both.
    fn is_apart_from(&self, other: &Middle) -> bool {
        let [low, high] = self.no_chance;
        let [other_low, other_high] = other.no_chance;
        high < other_low || other_high < low
    }
}

impl std::fmt::Display for Middle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [low, high] = self.likely;
        write!(f, "{:+.1} ({low:+.1} to {high:+.1})", self.value)
    }
}

/// What a name that is none takes more than the same name as an account, by each method.
fn differences(what: &str, host: Scenario) -> [Middle; 2] {
    let host = host.pipe(None, &["/bin/sh", "-c", SCRIPT], &plan());
    let run = host.with("seconds", &3000.into()).play_one();
    METHODS.map(|method| {
        let [one, again, none] = ROLES.map(|role| {
            let prefix = format!("{method} {role} ");
            let times = run.transcript.lines().filter_map(|line| line.strip_prefix(&prefix)?.parse().ok());
            let times: Vec<f64> = times.map(|hundredths: f64| hundredths / 100.0).collect();
            assert_eq!(times.len(), ROUNDS, "{}", run.transcript);
            times
        });
        let rounds = || one.iter().zip(&again).zip(&none);
        let noise = Middle::of(one.iter().zip(&again).map(|(one, again)| again - one));
        let told = Middle::of(rounds().map(|((one, again), none)| none - f64::midpoint(*one, *again)));
        let whole = Middle::of(one.iter().copied()).value;
        println!("torture: {what}, {method}: {whole:.0} ms; control {noise}; a name that is none {told} ms");
        told
    })
}

#[test]
#[ignore = "make torture"]
fn the_time_of_a_failed_login_tells_no_more_with_our_lines() {
    if skipped(no_store().or_else(no_namespace).or_else(no_server)) {
        return;
    }
    let descriptor = Descriptor::guessed(24);
    let joining = Joining::new(&descriptor);
    let [hanging, far, near] = ["hanging", "far", "near"].map(|name| joining.path(name));
    let _listener = UnixListener::bind(&hanging).unwrap();
    slow(&far, FAR);
    slow(&near, Duration::ZERO);
    println!("medians of {ROUNDS} rounds of failed logins, with 99 % bounds");
    let others = AUTH.map(|line| if line == FAILED { "auth optional pam_permit.so" } else { line });
    let without = differences("without our line", scenario(&others, &ACCOUNT, ACCOUNTS, &[]));
    let joined = |socket| {
        scenario(&AUTH, &ACCOUNT, ACCOUNTS, &[joining.command()]).configuration(&speaking_to(socket))
    };
    for (what, host) in [
        ("no fleet", scenario(&AUTH, &ACCOUNT, ACCOUNTS, &[])),
        ("agent hangs", joined(&hanging)),
        ("store 27 ms away", joined(&far)),
        ("store near", joined(&near)),
    ] {
        for (own, of_others) in differences(what, host).iter().zip(&without) {
            assert!(!own.is_apart_from(of_others), "{what}: {own}, without our line {of_others}");
        }
    }
}
