//! A user who stops and continues the own `passwd`, again and again, before a store that says "at the top" of
//! everything: the password is never set. What a setuid program does between two stops is a few steps, so
//! that the agent hears nothing in time of a connection that was made.

use std::path::Path;

use nearmiss_filters::ladder::fleet::frame::Op;
use nearmiss_fleet_tests::{Agent, Descriptor, no_store};
use nearmiss_tests::{
    filters::GOOD,
    ladder::FIRST_UID,
    scenario::{OLD, Run, Scenario},
    skip::{no_namespace, skipped},
};

use super::{
    bad_store::{Fake, at_the_top},
    host::Joining,
};

/// Starts `passwd` and types the old password; then the new one, and lets the program run for 25 µs between
/// stops of 60 ms, which is longer than the agent waits for a request. The stops begin at another moment in
/// each run, and end after some time, so that a password that is not refused by then is set.
const STEPPER: &str = r#"
import os, signal, subprocess, sys, time
old, new = sys.stdin.buffer.read().split(b"\n")[:2]
pipe = subprocess.PIPE
child = subprocess.Popen(["/usr/bin/passwd"], stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT)
child.stdin.write(old + b"\n")
child.stdin.flush()
shown = b""
while b"New password:" not in shown:
    piece = os.read(child.stdout.fileno(), 4096)
    if not piece:
        break
    shown += piece
child.stdin.write(new + b"\n" + new + b"\n")
child.stdin.close()
time.sleep(float(sys.argv[1]))
stops = 0
while stops < 150 and child.poll() is None:
    os.kill(child.pid, signal.SIGSTOP)
    time.sleep(0.06)
    os.kill(child.pid, signal.SIGCONT)
    end = time.perf_counter() + 25e-6
    while time.perf_counter() < end:
        pass
    stops += 1
sys.stdout.buffer.write(shown + child.stdout.read())
print("stopped", stops, "times")
sys.exit(child.wait())
"#;

/// Before a store that says "at the top" of everything: what this makes of a host with so many users.
fn before_the_store(users: u32, play: impl FnOnce(Scenario) -> Scenario) -> Vec<Run> {
    let store = Fake::start(0);
    store.speak(at_the_top);
    let agent = Agent::start(&[store.address()], "");
    let descriptor = Descriptor::chosen(24);
    let ladder = descriptor.open();
    let look = ladder.request(&ladder.element(b"x").unwrap(), Op::Height);
    assert_eq!(agent.ask_until_answered(&look).height, 16);
    let joining = Joining::new(&descriptor);
    play(joining.tall_host(&agent.socket(), users)).play()
}

/// So many users, each stopping the own `passwd`.
fn stopped(count: u32) -> Vec<Run> {
    let change = |host: Scenario, user: u32| {
        // From the reading of the new password to the end of what is done with it.
        let delay = format!("{:.4}", 0.0015 * f64::from(user * 7 % 40));
        let command = ["/usr/bin/python3", "-c", STEPPER, &delay];
        host.pipe(Some(FIRST_UID + user), &command, &format!("{OLD}\n{GOOD}\n"))
    };
    before_the_store(count, |host| (0..count).fold(host, change))
}

fn never_sets(count: u32) {
    if skipped(no_store()) || skipped(no_namespace()) {
        return;
    }
    let runs = stopped(count);
    let set = runs.iter().filter(|run| run.shadow_changed).count();
    let heard = runs.iter().filter(|run| run.transcript.contains("[too-common-here]")).count();
    println!(
        "torture: {count} users stopped passwd, {set} passwords set, {heard} refused by the fleet's word"
    );
    assert_eq!(set, 0, "{runs:#?}");
    for run in &runs {
        assert!(run.transcript.contains("stopped "), "{run:#?}");
    }
}

#[test]
fn stopping_passwd_is_no_way_past_the_fleet() {
    never_sets(2);
}

/// The moment that the stops aim at, hit each time: the program is held up when it is about to send its
/// request, for longer than the agent waits.
#[test]
fn a_program_that_is_held_up_before_it_asks_sets_nothing() {
    if skipped(no_store()) || skipped(no_namespace()) {
        return;
    }
    let strace = "/usr/bin/strace";
    if !Path::new(strace).exists() {
        skipped(Some("needs strace"));
        return;
    }
    let held_up = |rule: &str| {
        let command = [strace, "-f", "-o", "/dev/null", "-u", "u0", "-e", rule, "/usr/bin/passwd"];
        let input = format!("{OLD}\n{GOOD}\n{GOOD}\n");
        before_the_store(1, |host| host.pipe(None, &command, &input)).remove(0)
    };
    let control = held_up("trace=sendto");
    assert!(control.transcript.contains("[too-common-here]"), "{control:#?}");
    let run = held_up("inject=sendto:delay_enter=100000");
    assert!(run.has_failed_by_itself(), "{run:#?}");
    run.expect_shadow_changed(false).expect_log("agent.sock").expect_nowhere(GOOD);
}

#[test]
#[ignore = "make torture"]
fn stopping_passwd_two_hundred_times_is_no_way_past_the_fleet() {
    never_sets(200);
}
