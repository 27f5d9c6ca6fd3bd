use super::*;
use crate::fake_node::{FakeNode, connector, late};

const KILLED: &[u8] = b"+OK\r\n";
const NOT_BUSY: &[u8] = b"-NOTBUSY No scripts in execution right now.\r\n";
const UNKILLABLE: &[u8] = b"-UNKILLABLE Sorry the script already executed write commands.\r\n";
const REFUSED: &[u8] = b"-NOPERM this user has no permissions\r\n";

/// The end of functions that run for more than 500 ms, at a node where one runs for so long, and that replies
/// so to the order to end it. Besides whether that was given.
fn end(duration: u64, kill: &'static [u8]) -> (Result<(Done, String), Fault>, bool) {
    let running = format!("*4\r\n$4\r\nname\r\n$1\r\nf\r\n$11\r\nduration_ms\r\n:{duration}\r\n");
    let stats = format!("*2\r\n$14\r\nrunning_script\r\n{running}").into_bytes();
    let node = FakeNode::start(move |words| match words {
        ["FUNCTION", "STATS"] => stats.clone(),
        ["FUNCTION", "KILL"] => kill.to_vec(),
        _ => b"-ERR no\r\n".to_vec(),
    });
    let done = end_function(&mut connector().connect(&node.address, late()).unwrap(), 500);
    (done, node.asked("FUNCTION").iter().any(|words| words[1] == "KILL"))
}

#[test]
fn a_function_is_ended_once_it_takes_longer_than_it_may() {
    let nothing = || Ok((Done::Nothing, "no function runs for too long".to_owned()));
    assert_eq!([499, 500].map(|duration| end(duration, KILLED)), [(nothing(), false), (nothing(), false)]);
    assert_eq!(end(501, KILLED), (Ok((Done::Ended, "ended the function f after 501 ms".to_owned())), true));
    assert_eq!(end(501, NOT_BUSY), (nothing(), true), "it ended by itself meanwhile");
}

/// What was not ended is a failure, with what an administrator can do about it.
#[test]
fn a_function_that_cannot_be_ended_is_no_success() {
    let refused = |kill| match end(501, kill).0 {
        Err(Fault::Refused(words)) => words,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused(UNKILLABLE),
        "the function f has written and runs for 501 ms; SHUTDOWN NOSAVE ends it"
    );
    let words = refused(REFUSED);
    assert!(words.contains("no permissions") && !words.contains("SHUTDOWN"), "{words}");
}
