//! Users who keep the processors busy, or send many requests at once, before a store that is some
//! milliseconds away and says "at the top" of everything: no password comes past the fleet. Prints the table
//! of docs/fleet.md.

use std::{
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use nearmiss_fleet_tests::{Agent, Descriptor, no_store};
use nearmiss_tests::{
    filters::GOOD,
    ladder::FIRST_UID,
    scenario::OLD,
    skip::{no_namespace, skipped},
};

use super::{
    bad_store::{Fake, Speech, at_the_top},
    host::Joining,
};

/// Decisions before the agent is started again, without a connection.
const RUNS_OF_AN_AGENT: u32 = 5;
/// Requests that are sent at once.
const AT_ONCE: u32 = 40;

/// A store that says "at the top" of everything, so many milliseconds away.
fn away<const MILLIS: u64>(peer: &mut TcpStream, word: &[u8]) -> bool {
    thread::sleep(Duration::from_millis(MILLIS));
    at_the_top(peer, word)
}

const STORES: [(u32, Speech); 4] = [(0, at_the_top), (2, away::<2>), (10, away::<10>), (20, away::<20>)];

/// Loops of a user, which end with the test.
struct Loops(Vec<Child>);

impl Loops {
    fn start(count: u32) -> Loops {
        let uid = (FIRST_UID + 99).to_string();
        let words =
            ["--pdeathsig", "KILL", "--reuid", &uid, "--clear-groups", "sh", "-c", "while :; do :; done"];
        let start = |_| Command::new("setpriv").args(words).stdin(Stdio::null()).spawn().unwrap();
        Loops((0..count).map(start).collect())
    }
}

impl Drop for Loops {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The decisions about a password that the fleet finds too common.
#[derive(Default, Debug)]
struct Went {
    rejected: u32,
    /// The agent was late for two seconds.
    refused: u32,
    past: u32,
}

impl Went {
    fn add(mut self, other: &Went) -> Went {
        self.rejected += other.rejected;
        self.refused += other.refused;
        self.past += other.past;
        self
    }

    fn expect_none_past(&self, store: u32, load: &str) {
        let runs = self.rejected + self.refused + self.past;
        println!(
            "torture: store {store} ms away, {load}: {runs} changes, {} past the fleet, {} refused as late",
            self.past, self.refused
        );
        assert_eq!(self.past, 0, "{self:?}");
    }
}

/// The request of the module when a password is to be set.
fn decide(descriptor: &Descriptor, agent: &Agent) -> Went {
    let went = Went::default();
    match descriptor.host(&agent.socket()).is_too_common(b"whatever it is") {
        Ok(true) => Went { rejected: 1, ..went },
        Ok(false) => Went { past: 1, ..went },
        Err(_) => Went { refused: 1, ..went },
    }
}

fn before<T>(speech: Speech, act: impl FnOnce(&Descriptor, &mut Agent) -> T) -> T {
    let store = Fake::start(0);
    store.speak(speech);
    let mut agent = Agent::start(&[store.address()], "");
    act(&Descriptor::chosen(24), &mut agent)
}

/// So many decisions, one after the other.
fn one_by_one(speech: Speech, runs: u32, loops: u32) -> Went {
    before(speech, |descriptor, agent| {
        let _loops = Loops::start(loops);
        (0..runs).fold(Went::default(), |all, run| {
            if run > 0 && run % RUNS_OF_AN_AGENT == 0 {
                agent.restart();
            }
            all.add(&decide(descriptor, agent))
        })
    })
}

/// Forty at once.
fn at_once(speech: Speech) -> Went {
    before(speech, |descriptor, agent| {
        let agent = &*agent;
        thread::scope(|scope| {
            let started: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(|| decide(descriptor, agent))).collect();
            started.into_iter().fold(Went::default(), |all, one| all.add(&one.join().unwrap()))
        })
    })
}

#[test]
fn a_store_that_is_some_milliseconds_away_is_waited_for() {
    if skipped(no_store()) {
        return;
    }
    one_by_one(away::<20>, 3, 0).expect_none_past(20, "no load");
    at_once(away::<10>).expect_none_past(10, "40 at once");
}

#[test]
#[ignore = "make torture"]
fn no_load_of_a_user_is_a_way_past_the_fleet() {
    if skipped(no_store()) {
        return;
    }
    // Without an attack, the refused share shows the cost of a slow store.
    for (millis, speech) in STORES {
        one_by_one(speech, 100, 0).expect_none_past(millis, "no load");
        at_once(speech).expect_none_past(millis, "40 at once");
    }
    for (millis, speech) in STORES {
        for loops in [30, 100] {
            one_by_one(speech, 20, loops).expect_none_past(millis, &format!("{loops} busy loops"));
        }
    }
}

/// The same by the real `passwd`.
#[test]
#[ignore = "make torture"]
fn passwd_beside_a_hundred_busy_loops_sets_nothing() {
    const USERS: u32 = 20;
    if skipped(no_store()) || skipped(no_namespace()) {
        return;
    }
    for (millis, speech) in [STORES[1], STORES[2]] {
        let runs = before(speech, |descriptor, agent| {
            let joining = Joining::new(descriptor);
            let change = |host: nearmiss_tests::scenario::Scenario, user: u32| {
                host.pipe(Some(FIRST_UID + user), &["/usr/bin/passwd"], &format!("{OLD}\n{GOOD}\n{GOOD}\n"))
            };
            let _loops = Loops::start(100);
            let host = (0..USERS).fold(joining.tall_host(&agent.socket(), USERS), change);
            host.with("seconds", &3000.into()).play()
        });
        let heard = runs.iter().filter(|run| run.transcript.contains("[too-common-here]")).count();
        let past = runs.iter().filter(|run| run.shadow_changed).count();
        println!(
            "torture: store {millis} ms away, passwd beside 100 busy loops: {USERS} changes, {past} past the \
             fleet, {heard} rejected by its word"
        );
        assert_eq!(past, 0, "{runs:#?}");
    }
}
