use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU32},
    },
};

use super::*;
use crate::fake_node::{self, FakeNode, late, slots};

const OBSERVE: Op = Op::Observe { bucket: 1, fingerprint: 2 };

/// A ladder of four shards.
const LADDER: Ladder = Ladder { tag: [1; 4], log_bits: 21 };

/// About an element of four rungs in the shard 0.
fn request(op: Op, steps: u8) -> Request {
    Request { op, tag: LADDER.tag, log_bits: LADDER.log_bits, page: 3, steps, places: vec![7, 8, 9, 10] }
}

/// What `act` gives at a store of these nodes that is known, and how many shards were made.
fn at<T>(nodes: &[&FakeNode], act: impl FnOnce(&mut Shards<'_>) -> T) -> (T, u64) {
    let (cluster, made) = (fake_node::cluster(nodes), AtomicU64::new(0));
    cluster.refresh(&mut Connections::default(), late());
    let done = act(&mut Shards::new(&cluster, &made));
    (done, made.load(Relaxed))
}

/// The functions that a node was asked to call, in order.
fn calls(node: &FakeNode) -> Vec<Function> {
    let words = node.by_connection().concat();
    let called =
        words.iter().filter_map(|words| Function::ALL.into_iter().find(|one| one.name() == words[1]));
    called.collect()
}

#[test]
fn shards_are_named_as_the_format_says() {
    let ladder = Ladder { tag: [0x0b, 0xad, 0xca, 0xfe], log_bits: 29 };
    assert_eq!((ladder.key(7), ladder.shards()), ("nm1:{0badcafe.7}".to_owned(), 1024));
    assert_eq!(ladder.seen_key(1023), "nm1r:{0badcafe.1023}");
    assert_eq!(Ladder { log_bits: 19, ..ladder }.shards(), 1);
    assert_eq!(Ladder { log_bits: 36, ..ladder }.shards(), 1 << 17);
}

/// A shard has 16 pages.
#[test]
fn a_page_is_asked_for_by_its_shard_and_its_place_in_that() {
    let words_of = |op, page| {
        let node = FakeNode::alone(|_| b":1\r\n".to_vec());
        let request = Request { page, ..request(op, 3) };
        at(&[&node], |shards| shards.answer(&request, late())).0.unwrap();
        [node.asked("FCALL"), node.asked("FCALL_RO")].concat().remove(0)
    };
    for (page, shard, page_of_shard) in [(0, 0, "0"), (3, 0, "3"), (16, 1, "0"), (45, 2, "13"), (63, 3, "15")]
    {
        let words = words_of(Op::Step, page);
        assert_eq!([&words[3], &words[4]], [&LADDER.key(shard), page_of_shard], "{page}");
    }
    // A random number for each step, exact in a double, and none for who only looks.
    assert_eq!(words_of(Op::Height, 0).len(), 6);
    let words = words_of(Op::Step, 0);
    let numbers: Vec<u64> = words[6..].iter().map(|word| word.parse().unwrap()).collect();
    assert!(numbers.len() == 3 && numbers.iter().all(|number| *number < 1 << 53), "{numbers:?}");
}

#[test]
fn no_height_above_the_rungs_is_passed_on() {
    let places = (0..48).collect();
    let request = Request { op: Op::Step, tag: [1; 4], log_bits: 29, page: 3, steps: 1, places };
    let expected = [(0, Some(0)), (48, Some(48)), (49, None), (255, None), (256, None), (-1, None)];
    assert_eq!(expected.map(|(height, _)| (height, believed(height, &request))), expected);
}

#[test]
fn replies_of_no_function_are_refused() {
    assert_eq!(read(&Value::Int(-1)), Some((-1, true)));
    assert_eq!(read(&Value::Array(vec![Value::Int(9), Value::Int(0)])), Some((9, false)));
    assert_eq!(read(&Value::Array(vec![Value::Int(9), Value::Int(2)])), None);
    for odd in [Value::Nil, Value::Okay, Value::BulkString(b"9".to_vec()), Value::Array(vec![Value::Int(9)])]
    {
        assert_eq!(read(&odd), None, "{odd:?}");
    }
}

/// A slot on its way to another node has one of the two keys there: the failed login is not counted, and what
/// is known of it is the reply.
#[test]
fn an_element_between_two_nodes_is_looked_at_and_not_counted() {
    let node = FakeNode::alone(|words| match words[0] {
        "FCALL" => b"-TRYAGAIN Multiple keys request during rehashing of slot\r\n".to_vec(),
        _ => b":3\r\n".to_vec(),
    });
    let done = at(&[&node], |shards| shards.answer(&request(OBSERVE, 1), late())).0;
    assert_eq!(done, Ok(Done { height: 3, is_counted: false }));
    assert_eq!(calls(&node), [Function::Observe, Function::Height]);
}

#[test]
fn a_shard_that_is_missing_is_made_and_asked_again() {
    for (made, then, expected, count) in [
        (1, 2, Ok(Done { height: 2, is_counted: true }), 1),
        // Another agent made it a moment before.
        (0, 2, Ok(Done { height: 2, is_counted: true }), 0),
        (1, -1, Err(Fault::UnexpectedReply(LADDER.key(0))), 1),
    ] {
        let is_there = AtomicBool::new(false);
        let node = FakeNode::alone(move |words| {
            let is_made = words[1] == Function::Make.name();
            let before = is_there.fetch_or(is_made, Relaxed);
            let number = if is_made {
                made
            } else if before {
                then
            } else {
                -1
            };
            format!(":{number}\r\n").into_bytes()
        });
        let done = at(&[&node], |shards| shards.answer(&request(Op::Step, 1), late()));
        assert_eq!(done, (expected, count));
        assert_eq!(calls(&node), [Function::Step, Function::Make, Function::Step]);
        let make = &node.asked("FCALL")[1];
        assert_eq!(make[3], LADDER.key(0));
    }
}

/// Whatever comes after an odd reply on the same connection may answer another question.
#[test]
fn after_a_reply_of_no_function_the_connection_is_not_used_any_more() {
    for (odd, connections) in [(":5", 2), (":-1", 2), ("*0", 2), (":4", 1), ("-ERR no", 1)] {
        let node = FakeNode::alone(move |_| format!("{odd}\r\n").into_bytes());
        let (cluster, made) = (fake_node::cluster(&[&node]), AtomicU64::new(0));
        let mut shards = Shards::new(&cluster, &made);
        let height = request(Op::Height, 1);
        let is_odd = matches!(shards.answer(&height, late()), Err(Fault::UnexpectedReply(_)));
        node.speak(|_| b":4\r\n".to_vec());
        assert_eq!(shards.answer(&height, late()).map(|done| done.height), Ok(4), "{odd}");
        assert_eq!((is_odd, node.by_connection().len()), (connections == 2, connections), "{odd}");
    }
}

/// The values that are put for the steps of an observation, in order.
fn values_put(height: u8, steps: u8) -> String {
    let node = FakeNode::alone(|_| b":0\r\n".to_vec());
    at(&[&node], |shards| shards.rebalance(&request(Op::Step, steps), height, late));
    let puts = node.asked("FCALL");
    assert!(puts.iter().all(|words| words[1] == Function::Put.name() && words.len() == 6));
    puts.iter().map(|words| words[5].as_str()).collect()
}

/// A step sets one rung. Two bits cleared anywhere, of which every second one was set, take back as much. At
/// the top, where no rung is left, two bits are set anywhere instead.
#[test]
fn each_step_clears_two_bits_and_at_the_top_sets_two() {
    for (height, steps, values) in [
        (0, 1, "00"),
        (3, 1, "00"),
        (4, 1, "1100"),
        (2, 2, "0000"),
        (3, 3, "0011001100"),
        (4, 2, "11001100"),
        (9, 1, "1100"),
        (4, 0, ""),
    ] {
        assert_eq!(values_put(height, steps), values, "{height}, {steps}");
    }
}

/// Were it left out, the density would go away from one half.
#[test]
fn what_a_node_refuses_to_put_is_put_at_another_place() {
    for refused in 0..4 {
        let asked = AtomicU32::new(0);
        let done = Arc::new(Mutex::new(Vec::new()));
        let values = Arc::clone(&done);
        let node = FakeNode::alone(move |words| {
            if asked.fetch_add(1, Relaxed) < refused {
                return b"-ERR no\r\n".to_vec();
            }
            values.lock().unwrap().push(words[5].to_owned());
            b":0\r\n".to_vec()
        });
        at(&[&node], |shards| shards.rebalance(&request(Op::Step, 1), 4, late));
        let mut values = done.lock().unwrap().clone();
        values.sort_unstable();
        assert_eq!(values.concat(), "0011", "{refused} were refused");
    }
}

/// A put to another node would be a redirection, and a new map, for each step.
#[test]
fn each_node_is_sent_the_bits_of_its_own_shards() {
    let nodes = [(); 2].map(|()| FakeNode::start(|_| b":0\r\n".to_vec()));
    let half = 1 << 13;
    let map = slots(&[(0, half - 1, &nodes[0].address), (half, 2 * half - 1, &nodes[1].address)]);
    for node in &nodes {
        let map = map.clone();
        node.speak(move |words| if words[0] == "CLUSTER" { map.clone() } else { b":0\r\n".to_vec() });
    }
    at(&nodes.each_ref(), |shards| shards.rebalance(&request(Op::Step, 100), 4, late));
    let owners: Vec<usize> =
        (0..LADDER.shards()).map(|shard| usize::from(LADDER.slot(shard) >= half)).collect();
    assert!(owners.contains(&0) && owners.contains(&1), "the shards are at both nodes");
    let puts = nodes.each_ref().map(|node| node.asked("FCALL"));
    assert_eq!(puts.concat().len(), 400, "each is sent once");
    for (number, puts) in puts.iter().enumerate() {
        let shards = (0..LADDER.shards()).filter(|shard| owners[*shard as usize] == number);
        let keys: BTreeSet<String> = shards.map(|shard| LADDER.key(shard)).collect();
        assert!(puts.iter().all(|words| keys.contains(&words[3])), "{number}");
    }
}

/// The whole array and nothing else: that a bit of a place, or a shard, stays away by chance in all of these
/// draws is less likely than 2⁻¹⁰⁰⁰.
#[test]
fn a_random_bit_is_anywhere_in_the_array() {
    let puts: Vec<Put> = (0..4000).map(|_| Put::random(LADDER, 1).unwrap()).collect();
    let shards: BTreeSet<u32> = puts.iter().map(|put| put.shard).collect();
    assert_eq!(shards, (0..4).collect());
    let last = SHARD_BYTES as u64 * 8 - 1;
    assert_eq!(puts.iter().fold(0, |all, put| all | put.place), last);
    assert_eq!(puts.iter().fold(last, |all, put| all & put.place), 0);
    assert!(puts.iter().all(|put| put.value == 1 && put.slot() == LADDER.slot(put.shard)));
}

/// Of 640 pages: that one of the 16 of a shard is never among them is less likely than 2⁻⁵⁰.
#[test]
fn the_density_is_the_share_of_ones_in_pages_from_everywhere() {
    let node = FakeNode::alone(|words| {
        let ["GETRANGE", key, first, last] = words else { return b"-ERR no\r\n".to_vec() };
        // Each byte has one bit of eight; the shard 0 is missing, and the shard 1 cut short.
        let length = last.parse::<usize>().unwrap() + 1 - first.parse::<usize>().unwrap();
        let length = if LADDER.key(0) == *key { 0 } else { length };
        let length = if LADDER.key(1) == *key { length / 2 } else { length };
        format!("${length}\r\n{}\r\n", "\u{1}".repeat(length)).into_bytes()
    });
    let mut whole = 0;
    at(&[&node], |shards| {
        for call in 1..=40 {
            let (density, pages) = shards.density(LADDER, late(), &late);
            let asked = node.asked("GETRANGE");
            assert_eq!(asked.len(), 16 * call);
            let is_whole = |words: &&Vec<String>| ![LADDER.key(0), LADDER.key(1)].contains(&words[1]);
            let before = std::mem::replace(&mut whole, asked.iter().filter(is_whole).count());
            assert_eq!(pages as usize, whole - before);
            let expected = if pages == 0 { 0.0 } else { 0.125 };
            assert!((density - expected).abs() < 1e-9, "{density} in {pages} pages");
        }
    });
    let asked = node.asked("GETRANGE");
    let keys: BTreeSet<String> = asked.iter().map(|words| words[1].clone()).collect();
    assert_eq!(keys, (0..4).map(|shard| LADDER.key(shard)).collect());
    let ranges: BTreeSet<[String; 2]> =
        asked.iter().map(|words| [words[2].clone(), words[3].clone()]).collect();
    let pages = (0..16).map(|page| [page * 4096, page * 4096 + 4095].map(|byte: u64| byte.to_string()));
    assert_eq!(ranges, pages.collect());
}

#[test]
fn a_store_that_has_nothing_of_a_ladder_has_no_density() {
    let node = FakeNode::alone(|_| b"$0\r\n\r\n".to_vec());
    assert_eq!(at(&[&node], |shards| shards.density(LADDER, late(), &late)).0, (0.0, 0));
}

/// Who waits for the report would take an agent whose nodes hang for one that hangs itself.
#[test]
fn no_page_is_read_for_the_density_after_its_deadline() {
    let node = FakeNode::start(|_| b"$-1\r\n".to_vec());
    at(&[&node], |shards| shards.density(LADDER, Instant::now(), &late));
    assert_eq!(node.asked("GETRANGE"), Vec::<Vec<String>>::new());
}

/// Each node is asked about one of its shards, as a step would be, for no bits; a node without one about its
/// functions.
#[test]
fn the_state_of_a_node_is_that_of_a_step_that_changes_nothing() {
    let [first, second] = [(); 2].map(|()| FakeNode::start(|_| b":0\r\n".to_vec()));
    let at_second = LADDER.slot(2);
    let map = slots(&[(0, 16_383, &first.address), (at_second, at_second, &second.address)]);
    for node in [&first, &second] {
        let map = map.clone();
        node.speak(move |words| if words[0] == "CLUSTER" { map.clone() } else { b":0\r\n".to_vec() });
    }
    let serve = |ladder| {
        let states = at(&[&first], |shards| shards.states(ladder, &late)).0;
        states.iter().map(|state| state.serves).collect::<Vec<_>>()
    };
    assert_eq!(serve(Some(LADDER)), [Some(true); 2]);
    let asked_for = |shard| [["FCALL", Function::Put.name(), "1", &LADDER.key(shard)].map(str::to_owned)];
    assert_eq!(first.asked("FCALL"), asked_for(0));
    assert_eq!(second.asked("FCALL"), asked_for(2));
    assert_eq!(serve(None), [Some(true); 2]);
    assert_eq!((first.asked("FCALL").len(), first.asked("FUNCTION").len()), (1, 1));
}
