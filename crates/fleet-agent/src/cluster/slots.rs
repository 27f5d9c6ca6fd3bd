//! The map of slots to nodes in a cluster. (Redis Cluster specification, "Key distribution model".)

use std::{collections::BTreeSet, sync::Arc};

use redis::Value;

use crate::address::Address;

/// Slots of a cluster.
pub const SLOTS: u16 = 16_384;
/// The highest number of nodes that is accepted.
const MAX_NODES: usize = 4096;

/// The slot of a key with this hash tag: CRC-16 (XMODEM) mod 16,384.
pub fn slot_of(tag: &[u8]) -> u16 {
    let crc = tag.iter().fold(0_u16, |crc, byte| {
        (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
            let shifted = crc << 1;
            if crc & 0x8000 == 0 { shifted } else { shifted ^ 0x1021 }
        })
    });
    crc % SLOTS
}

/// The master of each slot, as far as it is known, and the replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotMap {
    owners: Vec<Option<Arc<Address>>>,
    replicas: BTreeSet<Address>,
}

impl SlotMap {
    /// One node that has all slots: a store without cluster mode.
    pub fn single(node: Address) -> SlotMap {
        SlotMap { owners: vec![Some(Arc::new(node)); SLOTS.into()], replicas: BTreeSet::new() }
    }

    /// The map in the reply to `CLUSTER SLOTS`; none if it is not such a reply. A node without an address is
    /// the one that replied.
    pub fn parse(reply: &Value, asked: &Address) -> Option<SlotMap> {
        let Value::Array(ranges) = reply else { return None };
        let mut owners = vec![None; SLOTS.into()];
        let mut replicas = BTreeSet::new();
        let mut nodes = 0_usize;
        for range in ranges {
            let Value::Array(parts) = range else { return None };
            let [Value::Int(first), Value::Int(last), Value::Array(master), others @ ..] = parts.as_slice()
            else {
                return None;
            };
            nodes = nodes.saturating_add(1);
            let slots = usize::try_from(*first).ok()?..=usize::try_from(*last).ok()?;
            let node = Arc::new(node(master, asked)?);
            if nodes > MAX_NODES {
                return None;
            }
            for owner in owners.get_mut(slots)? {
                *owner = Some(Arc::clone(&node));
            }
            // Redis lists up to all of them for each range; a replica that is not named has failed.
            let named = others.iter().filter_map(|other| match other {
                Value::Array(parts) => self::node(parts, asked),
                _ => None,
            });
            replicas.extend(named.take(MAX_NODES.saturating_sub(replicas.len())));
        }
        Some(SlotMap { owners, replicas })
    }

    /// The owner of a slot.
    pub fn owner(&self, slot: u16) -> Option<&Arc<Address>> {
        self.owners.get(usize::from(slot))?.as_ref()
    }

    /// The same map with another owner of one slot.
    #[must_use]
    pub fn moved(&self, slot: u16, to: Address) -> SlotMap {
        let mut owners = self.owners.clone();
        if let Some(owner) = owners.get_mut(usize::from(slot)) {
            *owner = Some(Arc::new(to));
        }
        SlotMap { owners, replicas: self.replicas.clone() }
    }

    /// Every node that has a slot, once.
    pub fn nodes(&self) -> Vec<Address> {
        let mut nodes: Vec<Address> = self.owners.iter().flatten().map(|node| (**node).clone()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// Every replica, once.
    pub fn replicas(&self) -> impl Iterator<Item = &Address> {
        self.replicas.iter()
    }

    /// The slots without an owner, as ranges: `0-99, 200`.
    pub fn unowned(&self) -> String {
        let (mut ranges, mut first) = (Vec::new(), None);
        let ends = self.owners.iter().map(Option::is_none).chain([false]);
        for (slot, is_unowned) in ends.enumerate() {
            match first {
                None if is_unowned => first = Some(slot),
                Some(begin) if !is_unowned => {
                    let last = slot.saturating_sub(1);
                    ranges.push(if begin == last { begin.to_string() } else { format!("{begin}-{last}") });
                    first = None;
                }
                _ => {}
            }
        }
        ranges.join(", ")
    }

    /// False for the map before the first reply of a node.
    pub fn is_known(&self) -> bool {
        !self.owners.is_empty()
    }

    /// The number of slots without an owner.
    pub fn without_owner(&self) -> usize {
        usize::from(SLOTS).saturating_sub(self.owners.iter().flatten().count())
    }
}

fn node(parts: &[Value], asked: &Address) -> Option<Address> {
    let [host, Value::Int(port), ..] = parts else { return None };
    let host = match host {
        Value::BulkString(bytes) => str::from_utf8(bytes).ok()?,
        Value::SimpleString(text) => text,
        Value::Nil => "",
        _ => return None,
    };
    let port = u16::try_from(*port).ok().filter(|port| *port > 0)?;
    named(host, port, asked)
}

/// The node at the address in a redirection by `asked`; none if it is not one.
pub(super) fn redirected(text: &str, asked: &Address) -> Option<Address> {
    if let Some(port) = text.strip_prefix(':').and_then(|port| port.parse().ok()).filter(|port| *port > 0) {
        return named("", port, asked);
    }
    let Address { host, port } = text.parse().ok()?;
    named(&host, port, asked)
}

/// The node of this name; one that does not say its name is the one that replied.
fn named(host: &str, port: u16, asked: &Address) -> Option<Address> {
    // A node cannot name a file of this machine.
    match host {
        "" | "?" if asked.path().is_some() => Some(asked.clone()),
        "" | "?" => Some(Address { host: asked.host.clone(), port }),
        host => Some(Address { host: host.to_owned(), port }).filter(|node| node.path().is_none()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Address {
        text.parse().unwrap()
    }

    /// The check value of the specification's appendix, and slots that servers report.
    #[test]
    fn slots_are_those_of_the_specification() {
        assert_eq!(slot_of(b"123456789"), 0x31c3);
        assert_eq!((slot_of(b"foo"), slot_of(b""), slot_of(b"somekey")), (12_182, 0, 11_058));
    }

    fn range(first: i64, last: i64, host: &str, port: i64) -> Value {
        let node = Value::Array(vec![Value::BulkString(host.into()), Value::Int(port)]);
        Value::Array(vec![Value::Int(first), Value::Int(last), node])
    }

    #[test]
    fn a_reply_becomes_a_map() {
        let asked = at("10.0.0.9:1");
        let reply = Value::Array(vec![range(0, 99, "10.0.0.1", 7001), range(100, 16_383, "", 7002)]);
        let map = SlotMap::parse(&reply, &asked).unwrap();
        assert_eq!(map.owner(99).map(ToString::to_string), Some("10.0.0.1:7001".to_owned()));
        assert_eq!(map.owner(100).map(ToString::to_string), Some("10.0.0.9:7002".to_owned()));
        assert_eq!((map.nodes().len(), map.without_owner()), (2, 0));
        let moved = map.moved(5, at("[::1]:7"));
        assert_eq!(moved.owner(5).unwrap().to_string(), "[::1]:7");
        assert_eq!((moved.owner(6), map.owner(16_384)), (map.owner(6), None));
        assert_eq!(SlotMap::parse(&Value::Array(vec![]), &asked).unwrap().without_owner(), 16_384);
    }

    #[test]
    fn replicas_and_slots_without_a_master_are_known() {
        let node = |port| Value::Array(vec![Value::BulkString("h".into()), Value::Int(port)]);
        let range = |first, last, nodes: &[i64]| {
            let ends = [Value::Int(first), Value::Int(last)].into_iter();
            Value::Array(ends.chain(nodes.iter().map(|port| node(*port))).collect())
        };
        let reply = Value::Array(vec![range(1, 99, &[1, 2, 3]), range(101, 16_000, &[4, 3])]);
        let map = SlotMap::parse(&reply, &at("h:1")).unwrap();
        assert_eq!(map.nodes(), [at("h:1"), at("h:4")]);
        assert_eq!(map.replicas().cloned().collect::<Vec<_>>(), [at("h:2"), at("h:3")]);
        assert_eq!(map.unowned(), "0, 100, 16001-16383");
        assert_eq!(SlotMap::single(at("h:1")).unowned(), "");
    }

    /// A node may omit its address, and one that is queried by its socket is reached through it.
    #[test]
    fn a_node_that_does_not_say_where_it_is_is_the_one_that_was_asked() {
        let [by_port, by_socket] = [at("10.0.0.9:1"), at("/run/store.sock")];
        let text = |text: &str| Value::SimpleString(text.to_owned());
        for (host, asked, expected) in [
            (Value::Nil, &by_port, at("10.0.0.9:7001")),
            (text("?"), &by_port, at("10.0.0.9:7001")),
            (text("10.0.0.1"), &by_port, at("10.0.0.1:7001")),
            (Value::Nil, &by_socket, by_socket.clone()),
            (text("?"), &by_socket, by_socket.clone()),
            (text("10.0.0.1"), &by_socket, at("10.0.0.1:7001")),
        ] {
            let node = node(&[host.clone(), Value::Int(7001)], asked);
            assert_eq!(node, Some(expected), "{host:?}, {asked}");
        }
        assert_eq!(node(&[Value::Int(1), Value::Int(7001)], &by_port), None);
    }

    #[test]
    fn as_many_ranges_are_believed_as_there_may_be_nodes() {
        let ranges = Value::Array(vec![range(0, 3, "b", 1); MAX_NODES]);
        let map = SlotMap::parse(&ranges, &at("a:1")).unwrap();
        assert_eq!(map.without_owner(), usize::from(SLOTS) - 4);
    }

    #[test]
    fn what_is_no_such_reply_is_none() {
        let asked = at("a:1");
        let odd = [
            Value::Nil,
            Value::Array(vec![Value::Int(1)]),
            Value::Array(vec![range(0, 16_384, "b", 1)]),
            Value::Array(vec![range(-1, 3, "b", 1)]),
            Value::Array(vec![range(9, 3, "b", 1)]),
            Value::Array(vec![range(0, 3, "b", 0)]),
            Value::Array(vec![range(0, 3, "/run/other.sock", 1)]),
            Value::Array(vec![range(0, 3, "b", 65_536)]),
            Value::Array(vec![Value::Array(vec![Value::Int(0), Value::Int(1)])]),
            Value::Array(vec![range(0, 3, "b", 1); MAX_NODES + 1]),
        ];
        for (case, reply) in odd.iter().enumerate() {
            assert!(SlotMap::parse(reply, &asked).is_none(), "{case}");
        }
    }
}
