use super::*;
use crate::{
    config::Config,
    fake_node::{self, FakeNode, late, slots},
};

const LAST: u16 = SLOTS - 1;

/// A node with this map of slots, which returns a number to any other command.
fn node_that_knows(map: Vec<u8>) -> FakeNode {
    FakeNode::start(move |words| if words[0] == "CLUSTER" { map.clone() } else { b":7\r\n".to_vec() })
}

fn ask(cluster: &Cluster, connections: &mut Connections) -> Result<Value, Fault> {
    cluster.request(connections, 0, &redis::cmd("STRLEN"), late())
}

/// Simulates that the map was requested long ago.
pub(super) fn forget_when_asked(cluster: &Cluster) {
    *cluster.asked.lock().unwrap() = None;
}

#[test]
fn a_slot_that_no_map_names_has_no_owner() {
    let connector = Connector::new(&Config { tls: false, ..Config::default() }).unwrap();
    let cluster = Cluster::new(connector, Vec::new());
    assert_eq!((cluster.slots_without_owner(), cluster.known_owner(0)), (None, None));
}

/// A replica that took over has the slots; the previous owner may be alive but unable to serve.
#[test]
fn a_node_that_cannot_serve_is_left_for_the_one_that_has_the_slot_by_now() {
    let next = FakeNode::start(|_| b":7\r\n".to_vec());
    let before = FakeNode::start(|_| b"-ERR no\r\n".to_vec());
    let own = slots(&[(0, LAST, &before.address)]);
    before.speak(move |_| own.clone());
    let (cluster, mut connections) = (fake_node::cluster(&[&before]), Connections::default());
    assert!(cluster.refresh(&mut connections, late()));
    let map = slots(&[(0, LAST, &next.address)]);
    before.speak(move |words| if words[0] == "CLUSTER" { map.clone() } else { b"-LOADING x\r\n".to_vec() });
    forget_when_asked(&cluster);
    assert_eq!(ask(&cluster, &mut connections), Ok(Value::Int(7)));
    // Without another owner, its message is the result.
    let own = slots(&[(0, LAST, &before.address)]);
    before.speak(move |words| if words[0] == "CLUSTER" { own.clone() } else { b"-LOADING x\r\n".to_vec() });
    let (cluster, mut connections) = (fake_node::cluster(&[&before]), Connections::default());
    assert!(cluster.refresh(&mut connections, late()));
    assert!(matches!(ask(&cluster, &mut connections), Err(Fault::Unavailable(_))));
}

/// Only a new connection looks for the functions.
#[test]
fn a_node_without_the_functions_is_connected_to_anew() {
    for (reply, connections_then, lacks) in
        [("ERR Function not found", 2, 2), ("ERR no", 1, 0), ("TRYAGAIN x", 1, 0)]
    {
        let node = FakeNode::alone(move |_| format!("-{reply}\r\n").into_bytes());
        let (cluster, mut connections) = (fake_node::cluster(&[&node]), Connections::default());
        for _ in 0..2 {
            assert!(ask(&cluster, &mut connections).is_err());
        }
        assert_eq!(node.by_connection().len(), connections_then, "{reply}");
        assert_eq!(cluster.without_functions.load(Relaxed), lacks, "{reply}");
    }
}

/// A node that refuses is named in the log; a node with all slots has no fault.
#[test]
fn what_a_node_refuses_is_logged_but_not_that_it_is_no_part_of_a_cluster() {
    for (reply, is_logged) in [(fake_node::NO_CLUSTER, false), (fake_node::REFUSED, true)] {
        let node = FakeNode::start(|_| reply.to_vec());
        let cluster = fake_node::cluster(&[&node]);
        cluster.refresh(&mut Connections::default(), late());
        assert_eq!(cluster.log.is_due(&node.address.to_string(), Instant::now()), !is_logged);
    }
}

/// The node that now has the slot is used until there is a new map.
#[test]
fn a_node_that_moved_is_followed_without_a_new_map() {
    let next = FakeNode::start(|_| b":7\r\n".to_vec());
    let before = FakeNode::start(|_| b"-ERR no\r\n".to_vec());
    let map = slots(&[(0, LAST, &before.address)]);
    let moved = format!("-MOVED 0 {}\r\n", next.address).into_bytes();
    before.speak(move |words| if words[0] == "CLUSTER" { map.clone() } else { moved.clone() });
    let (cluster, mut connections) = (fake_node::cluster(&[&before]), Connections::default());
    assert!(cluster.refresh(&mut connections, late()));
    *cluster.asked.lock().unwrap() = Some(Instant::now() + fake_node::LONG);
    assert_eq!(ask(&cluster, &mut connections), Ok(Value::Int(7)));
    assert_eq!(cluster.known_owner(0).as_deref(), Some(&next.address));
    assert_eq!(cluster.known_owner(1).as_deref(), Some(&before.address));
    assert_eq!(before.asked("CLUSTER").len(), 1);
}

/// A node that was reset knows no others, and one that was disconnected knows a part.
#[test]
fn the_map_with_an_owner_for_most_slots_is_kept() {
    let [here, there]: [Address; 2] = ["192.0.2.1:1", "192.0.2.2:1"].map(|text| text.parse().unwrap());
    let [nobody, tenth] = [slots(&[]), slots(&[(0, 1637, &here)])];
    let [half, other_half] = [&here, &there].map(|node| slots(&[(0, 8191, node)]));
    let whole = slots(&[(0, LAST, &there)]);
    for (maps, owner, without) in [
        (vec![&nobody, &tenth, &half], &here, 8192),
        (vec![&half, &tenth, &nobody], &here, 8192),
        (vec![&half, &whole], &there, 0),
        // Of two equally complete maps, the first one: the map's own nodes are queried first.
        (vec![&half, &other_half], &here, 8192),
        (vec![&other_half, &half], &there, 8192),
    ] {
        let nodes: Vec<FakeNode> = maps.into_iter().map(|map| node_that_knows(map.clone())).collect();
        let cluster = fake_node::cluster(&nodes.iter().collect::<Vec<_>>());
        assert!(cluster.refresh(&mut Connections::default(), late()));
        assert_eq!(cluster.known_owner(0).as_deref(), Some(owner));
        assert_eq!(cluster.slots_without_owner(), Some(without));
    }
}

#[test]
fn nobody_is_asked_after_a_map_of_all_slots() {
    let address = "192.0.2.1:1".parse().unwrap();
    let [first, second] = [(); 2].map(|()| node_that_knows(slots(&[(0, LAST, &address)])));
    let cluster = fake_node::cluster(&[&first, &second]);
    assert!(cluster.refresh(&mut Connections::default(), late()));
    assert_eq!([first.by_connection().len(), second.by_connection().len()], [1, 0]);
}

/// A store without cluster mode has all slots; one that refuses the agent's request has no known slots.
#[test]
fn a_node_that_refuses_the_question_for_the_slots_is_not_taken_for_the_whole_store() {
    let refusing = FakeNode::start(|_| fake_node::REFUSED.to_vec());
    let cluster = fake_node::cluster(&[&refusing]);
    assert_eq!(ask(&cluster, &mut Connections::default()), Err(Fault::NoOwner));
    let alone = FakeNode::alone(|_| b":7\r\n".to_vec());
    let cluster = fake_node::cluster(&[&alone]);
    assert_eq!(ask(&cluster, &mut Connections::default()), Ok(Value::Int(7)));
    assert_eq!(cluster.slots_without_owner(), Some(0));
}
