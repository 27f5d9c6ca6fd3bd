use super::*;
use crate::config::Config;

#[test]
fn a_slot_that_no_map_names_has_no_owner() {
    let connector = Connector::new(&Config { tls: false, ..Config::default() }).unwrap();
    let cluster = Cluster::new(connector, Vec::new());
    assert_eq!((cluster.slots_without_owner(), cluster.known_owner(0)), (usize::from(SLOTS), None));
}
