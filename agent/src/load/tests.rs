use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::*;
use crate::fake_node::{FakeNode, connector, late, texts};

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

/// The load of the functions into a node that has this code under their name, or nothing. Besides, the words
/// of the orders to load.
fn load_over(code: Option<&'static str>) -> (Result<(Done, String), Fault>, Vec<Vec<String>>) {
    let libraries = |code: Option<&str>| match code.map(|code| texts(&["library_code", code])) {
        None => b"*0\r\n".to_vec(),
        Some(fields) => [&b"*1\r\n"[..], &fields].concat(),
    };
    let is_loaded = AtomicBool::new(false);
    let node = FakeNode::start(move |words| match words {
        ["FUNCTION", "LIST", ..] if is_loaded.load(Relaxed) => libraries(Some(functions::text())),
        ["FUNCTION", "LIST", ..] => libraries(code),
        ["FUNCTION", "LOAD", ..] => {
            is_loaded.store(true, Relaxed);
            b"+OK\r\n".to_vec()
        }
        _ => b"-ERR no\r\n".to_vec(),
    });
    let done = load(&mut connector().connect(&node.address, late()).unwrap());
    (done, node.asked("FUNCTION").into_iter().filter(|words| words[1] == "LOAD").collect())
}

/// What a node has under the name is replaced only where it was seen, and that is said.
#[test]
fn functions_are_loaded_where_they_are_missing_and_over_others_alone() {
    let (done, orders) = load_over(None);
    assert_eq!(done, Ok((Done::Loaded, format!("loaded the functions {}", functions::library()))));
    assert_eq!(orders, [["FUNCTION", "LOAD", functions::text()]]);

    let (done, orders) = load_over(Some("others"));
    let (done, message) = done.unwrap();
    assert!(done == Done::Replaced && message.ends_with("find out whose"), "{message}");
    assert_eq!(orders, [["FUNCTION", "LOAD", "REPLACE", functions::text()]]);

    let (done, orders) = load_over(Some(functions::text()));
    assert_eq!((done.map(|(done, _)| done), orders), (Ok(Done::Nothing), Vec::new()));
}
