//! Addresses of nodes that are configured by name. They are resolved by a separate thread: a resolver that
//! hangs must not block a worker, and earlier results are used meanwhile.

use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr, ToSocketAddrs},
    sync::{
        Arc, Condvar, Mutex,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use super::fault::Fault;
use crate::address::Address;

/// After this time a name is resolved again.
const KEEP: Duration = Duration::from_secs(60);
/// The same for a name without an address.
const KEEP_NOTHING: Duration = Duration::from_secs(1);
/// The length of the queue of names.
const QUEUE: usize = 64;

/// The results with their times; empty if a name has no address.
type Found = HashMap<Address, (Vec<SocketAddr>, Instant)>;

/// The names that were requested.
pub(super) struct HostNames {
    found: Arc<(Mutex<Found>, Condvar)>,
    wanted: SyncSender<Address>,
}

impl HostNames {
    /// An empty set. The thread ends when it is dropped.
    pub(super) fn new() -> HostNames {
        let (wanted, names) = sync_channel(QUEUE);
        let found = Arc::<(Mutex<Found>, Condvar)>::default();
        let shared = Arc::clone(&found);
        // Without the thread, no name has an address, which is logged.
        let _ = thread::Builder::new().name("names".to_owned()).spawn(move || look_up(&names, &shared));
        HostNames { found, wanted }
    }

    /// The addresses of a node, known before `end`.
    pub(super) fn addresses(&self, node: &Address, end: Instant) -> Result<Vec<SocketAddr>, Fault> {
        if let Ok(address) = node.host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, node.port)]);
        }
        let late = || Fault::Late("its name was not resolved in time".to_owned());
        let (found, change) = &*self.found;
        let mut known = found.lock().map_err(|_| late())?;
        if known.get(node).is_none_or(|(found, since)| is_old(found, *since, Instant::now())) {
            let _ = self.wanted.try_send(node.clone());
        }
        loop {
            if let Some((addresses, _)) = known.get(node) {
                let without = || Fault::Unreachable("its name does not resolve to an address".to_owned());
                return Some(addresses.clone()).filter(|found| !found.is_empty()).ok_or_else(without);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(late());
            }
            known = change.wait_timeout(known, left).map_err(|_| late())?.0;
        }
    }
}

/// True if a result must be resolved again.
fn is_old(found: &[SocketAddr], since: Instant, now: Instant) -> bool {
    let keep = if found.is_empty() { KEEP_NOTHING } else { KEEP };
    now.saturating_duration_since(since) > keep
}

fn look_up(names: &Receiver<Address>, shared: &(Mutex<Found>, Condvar)) {
    let (found, change) = shared;
    while let Ok(node) = names.recv() {
        let looked_up = (node.host.as_str(), node.port).to_socket_addrs().map(Iterator::collect);
        let addresses: Vec<SocketAddr> = looked_up.unwrap_or_default();
        let Ok(mut found) = found.lock() else { return };
        let before = found.remove(&node).map(|(addresses, _)| addresses).unwrap_or_default();
        // A failing resolver does not remove earlier results.
        let addresses = if addresses.is_empty() { before } else { addresses };
        found.insert(node, (addresses, Instant::now()));
        change.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(names: &HostNames, node: &Address) -> Result<Vec<SocketAddr>, Fault> {
        let end = Instant::now().checked_add(Duration::from_secs(10));
        names.addresses(node, end.unwrap_or_else(Instant::now))
    }

    #[test]
    fn addresses_are_their_own_and_names_are_looked_up() {
        let names = HostNames::new();
        let of = |text: &str| asked(&names, &text.parse().unwrap());
        assert_eq!(of("[::1]:7").unwrap(), ["[::1]:7".parse().unwrap()]);
        assert!(of("localhost:9").unwrap().iter().all(|found| found.ip().is_loopback() && found.port() == 9));
        assert!(matches!(of("nowhere.invalid:1"), Err(Fault::Unreachable(_))));
    }

    #[test]
    fn a_name_that_is_not_found_in_time_is_late() {
        // No thread resolves it.
        let (wanted, _names) = sync_channel(QUEUE);
        let names = HostNames { found: Arc::default(), wanted };
        let begin = Instant::now();
        let found = names.addresses(&"a:1".parse().unwrap(), begin + Duration::from_millis(20));
        assert!(matches!(found, Err(Fault::Late(_))) && begin.elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn what_was_found_is_kept_for_a_minute_and_nothing_for_a_second() {
        let (since, some) = (Instant::now(), ["192.0.2.1:1".parse().unwrap()]);
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        let tick = Duration::from_nanos(1);
        for (found, kept) in [(&some[..], minute), (&[], second)] {
            let ages = [Duration::ZERO, kept, kept + tick, 2 * kept];
            let is_looked_up = ages.map(|age| is_old(found, since, since + age));
            assert_eq!(is_looked_up, [false, false, true, true], "{found:?}");
        }
    }

    #[test]
    fn what_was_found_is_used_while_the_resolver_is_away() {
        let names = HostNames::new();
        let node: Address = "nowhere.invalid:1".parse().unwrap();
        let old = Instant::now().checked_sub(KEEP * 2).unwrap_or_else(Instant::now);
        let address: SocketAddr = "192.0.2.1:1".parse().unwrap();
        names.found.0.lock().unwrap().insert(node.clone(), (vec![address], old));
        for _ in 0..3 {
            assert_eq!(asked(&names, &node).unwrap(), [address]);
            thread::sleep(Duration::from_millis(20));
        }
    }
}
