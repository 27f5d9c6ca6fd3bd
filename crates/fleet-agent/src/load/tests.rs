use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::*;
use crate::fake_node::{FakeNode, REFUSED, config, connector, late, libraries, texts};

const KILLED: &[u8] = b"+OK\r\n";
const NOT_BUSY: &[u8] = b"-NOTBUSY No scripts in execution right now.\r\n";
const UNKILLABLE: &[u8] = b"-UNKILLABLE Sorry the script already executed write commands.\r\n";

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
    let nothing = || Ok((Done::Nothing, "no function has been running for too long".to_owned()));
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
        "the function f has been running for 501 ms and cannot be killed, since it has written; SHUTDOWN \
         NOSAVE ends it"
    );
    let words = refused(REFUSED);
    assert!(words.contains("no permissions") && !words.contains("SHUTDOWN"), "{words}");
}

/// A node that has this code under the functions' name, or nothing, until they are loaded.
fn loadable(code: Option<&'static str>) -> FakeNode {
    let is_loaded = AtomicBool::new(false);
    FakeNode::alone(move |words| match words {
        ["FUNCTION", "LIST", "LIBRARYNAME", name, "WITHCODE"] if *name == functions::library() => {
            libraries(if is_loaded.load(Relaxed) { Some(functions::text()) } else { code })
        }
        ["FUNCTION", "LOAD", ..] => {
            is_loaded.store(true, Relaxed);
            b"+OK\r\n".to_vec()
        }
        _ => b"-ERR no\r\n".to_vec(),
    })
}

/// The load of the functions over this code or nothing, and the words of the orders to load.
fn load_over(code: Option<&'static str>) -> ((Done, String), Vec<Vec<String>>) {
    let node = loadable(code);
    let done = load(&mut connector().connect(&node.address, late()).unwrap()).unwrap();
    (done, node.asked("FUNCTION").into_iter().filter(|words| words[1] == "LOAD").collect())
}

/// What a node has under the name is replaced only where it was seen, and that is said.
#[test]
fn functions_are_loaded_where_they_are_missing_and_over_others_alone() {
    let (done, orders) = load_over(None);
    assert_eq!(done, (Done::Loaded, format!("loaded the functions {}", functions::library())));
    assert_eq!(orders, [["FUNCTION", "LOAD", functions::text()]]);

    let ((done, message), orders) = load_over(Some("others"));
    assert!(done == Done::Replaced && message.ends_with("find out who loaded them"), "{message}");
    assert_eq!(orders, [["FUNCTION", "LOAD", "REPLACE", functions::text()]]);

    let ((done, _), orders) = load_over(Some(functions::text()));
    assert_eq!((done, orders), (Done::Nothing, Vec::new()));
}

/// What is printed about an act at these nodes, and whether it went well at each.
fn printed(
    nodes: &[&FakeNode],
    json: bool,
    act: impl Fn(Account, &Config, &mut dyn Write) -> Result<bool, Failure>,
) -> (bool, String) {
    let mut out = Vec::new();
    let is_well = act(Account::sample(json), &config(nodes), &mut out).unwrap();
    (is_well, String::from_utf8(out).unwrap())
}

#[test]
fn what_was_loaded_is_written_for_each_node_and_one_without_is_a_failure() {
    let load = |account, config: &Config, out: &mut dyn Write| LoadArgs { account }.run(config, out);
    let library = functions::library();
    let [node, refusing] = [loadable(None), FakeNode::alone(|_| REFUSED.to_vec())];
    let done = format!("ok       {}: loaded the functions {library}\n", node.address);
    assert_eq!(printed(&[&node], false, load), (true, done));
    let (is_well, json) = printed(&[&node], true, load);
    let node_then = format!(
        r#"{{"node":"{}","done":"nothing","message":"has the functions {library}","key":null}}"#,
        node.address
    );
    let wanted = format!(r#"{{"schema":1,"library":"{library}","nodes":[{node_then}]}}"#) + "\n";
    assert_eq!((is_well, json), (true, wanted));
    let (is_well, words) = printed(&[&node, &refusing], false, load);
    let [first, second] = words.lines().collect::<Vec<_>>().try_into().unwrap();
    assert!(!is_well && first.starts_with("ok ") && first.contains("has the functions"), "{words}");
    assert!(second.starts_with(&format!("WRONG    {}: ", refusing.address)), "{words}");
    assert!(second.contains("no permissions") && second.ends_with(" [store-account]"), "{words}");
}

#[test]
fn what_was_ended_is_written_for_each_node() {
    let end = |account, config: &Config, out: &mut dyn Write| {
        EndArgs { account, longer_than: 500 }.run(config, out)
    };
    let idle = FakeNode::alone(|_| texts(&["engines", "none"]));
    let refusing = FakeNode::alone(|_| REFUSED.to_vec());
    let nothing = format!("ok       {}: no function has been running for too long\n", idle.address);
    assert_eq!(printed(&[&idle], false, end), (true, nothing));
    assert!(!printed(&[&idle, &refusing], false, end).0);
    let evil = FakeNode::alone(|_| b"-ERR \x1b[2J\x1b]0;x\x07\r\n".to_vec());
    let (_, words) = printed(&[&evil], false, end);
    assert!(words.contains("[2J") && !words.trim_end().contains(char::is_control), "{words:?}");
}
