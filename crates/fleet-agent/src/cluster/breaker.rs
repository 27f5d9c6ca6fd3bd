//! A circuit breaker for each node: not every request waits for a node that does not reply.
//!
//! It opens after five consecutive faults, not after the first, which on a busy machine is chance; and any
//! reply closes it, even an error, since a node that replies is alive.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use super::fault::Fault;
use crate::address::Address;

/// The number of consecutive faults that open a breaker.
const FAULTS: u32 = 5;
/// The time for which it is open; then one request tries.
const OPEN: Duration = Duration::from_millis(250);

/// The breakers of all nodes that had a fault since their last reply.
#[derive(Debug, Default)]
pub(crate) struct CircuitBreakers(Mutex<HashMap<Address, CircuitBreaker>>);

#[derive(Debug)]
struct CircuitBreaker {
    faults: u32,
    until: Instant,
    /// True if the last fault was a timeout.
    is_late: bool,
    /// True if a reply did not arrive in a time that no load explains.
    is_silent: bool,
}

impl CircuitBreakers {
    /// Lets a request pass to the node. If a breaker was open long enough, this one tries.
    ///
    /// # Errors
    /// The breaker is open. [`Fault::Late`] if the node is only known to be late.
    pub(crate) fn let_through(&self, node: &Address, now: Instant) -> Result<(), Fault> {
        let Ok(mut all) = self.0.lock() else { return Ok(()) };
        let Some(breaker) = all.get_mut(node).filter(|breaker| breaker.faults >= FAULTS) else {
            return Ok(());
        };
        if breaker.until <= now {
            breaker.until = now.checked_add(OPEN).unwrap_or(now);
            return Ok(());
        }
        let words = "it did not reply recently and is not contacted for now".to_owned();
        let is_away = breaker.is_silent || !breaker.is_late;
        Err(if is_away { Fault::Unreachable(words) } else { Fault::Late(words) })
    }

    /// Records that the node did not reply. Returns the resulting fault: a node that is known to be silent is
    /// unreachable, not late.
    pub(crate) fn fault(&self, node: &Address, fault: Fault, now: Instant) -> Fault {
        let Ok(mut all) = self.0.lock() else { return fault };
        let new = CircuitBreaker { faults: 0, until: now, is_late: false, is_silent: false };
        let breaker = all.entry(node.clone()).or_insert(new);
        breaker.faults = breaker.faults.saturating_add(1);
        breaker.until = now.checked_add(OPEN).unwrap_or(now);
        breaker.is_late = fault.is_late();
        if breaker.is_silent && fault.is_late() { Fault::Unreachable(fault.to_string()) } else { fault }
    }

    /// Records a reply of the node.
    pub(crate) fn reply(&self, node: &Address) {
        if let Ok(mut all) = self.0.lock() {
            all.remove(node);
        }
    }

    /// Records the result of a long wait for the node. If it replied, the next request tries.
    pub(crate) fn waited_for(&self, node: &Address, has_replied: bool, now: Instant) {
        let Ok(mut all) = self.0.lock() else { return };
        let Some(breaker) = all.get_mut(node) else { return };
        breaker.is_silent = !has_replied;
        if has_replied {
            breaker.until = now;
        }
    }

    /// The number of consecutive faults of a node, and true if its breaker is open.
    pub(crate) fn state(&self, node: &Address) -> (u32, bool) {
        let faults = self.0.lock().ok().and_then(|all| all.get(node).map(|breaker| breaker.faults));
        let faults = faults.unwrap_or(0);
        (faults, faults >= FAULTS)
    }

    /// Removes the state of all other nodes.
    pub(crate) fn retain(&self, nodes: &[Address]) {
        if let Ok(mut all) = self.0.lock() {
            all.retain(|node, _| nodes.contains(node));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node() -> Address {
        "n:1".parse().unwrap()
    }

    fn late() -> Fault {
        Fault::Late("no reply in time".to_owned())
    }

    fn refused() -> Fault {
        Fault::Unreachable("connection refused".to_owned())
    }

    #[test]
    fn five_faults_in_a_row_open_it_and_one_request_tries() {
        let (breakers, start) = (CircuitBreakers::default(), Instant::now());
        let lets_through = |now| breakers.let_through(&node(), now).is_ok();
        for _ in 1..FAULTS {
            breakers.fault(&node(), refused(), start);
            assert!(lets_through(start));
        }
        breakers.fault(&node(), refused(), start);
        assert_eq!(breakers.state(&node()), (5, true));
        let later = start + OPEN;
        assert!(!lets_through(start + OPEN / 2));
        let tries = (0..10).filter(|_| lets_through(later)).count();
        assert_eq!(tries, 1);
        assert!(breakers.let_through(&"m:1".parse().unwrap(), start).is_ok(), "each node has its own");
        breakers.reply(&node());
        assert!(lets_through(later) && breakers.state(&node()) == (0, false));
    }

    /// Nodes are added and removed, and the state must not grow forever.
    #[test]
    fn a_node_that_is_not_known_any_more_is_forgotten() {
        let (breakers, now) = (CircuitBreakers::default(), Instant::now());
        let other: Address = "m:1".parse().unwrap();
        for node in [node(), other.clone()] {
            (0..FAULTS).for_each(|_| drop(breakers.fault(&node, refused(), now)));
        }
        breakers.retain(&[node()]);
        assert_eq!((breakers.state(&node()), breakers.state(&other)), ((5, true), (0, false)));
    }

    #[test]
    fn a_reply_in_between_starts_again() {
        let (breakers, now) = (CircuitBreakers::default(), Instant::now());
        for _ in 0..20 {
            breakers.fault(&node(), refused(), now);
            breakers.reply(&node());
        }
        assert!(breakers.let_through(&node(), now).is_ok());
    }

    /// Load can make a node late, and so open its breaker, without a fault of the node. It is unreachable
    /// once it refused a connection, or did not reply after a long wait.
    #[test]
    fn a_breaker_that_lateness_opened_is_late_until_the_node_is_known_to_be_away() {
        let (breakers, now) = (CircuitBreakers::default(), Instant::now());
        let many = |fault: &Fault| {
            (1..FAULTS).for_each(|_| drop(breakers.fault(&node(), fault.clone(), now)));
            breakers.fault(&node(), fault.clone(), now)
        };
        let is_late = || breakers.let_through(&node(), now).unwrap_err().is_late();
        assert_eq!(many(&late()), late());
        assert!(is_late());
        assert_eq!(many(&refused()), refused());
        assert!(!is_late());
        assert_eq!(many(&late()), late());
        assert!(is_late());
        breakers.waited_for(&node(), false, now);
        assert!(!is_late() && !many(&late()).is_late() && !is_late());
        // A node that replies after a long wait is late, and tried at once.
        breakers.waited_for(&node(), true, now);
        assert_eq!(breakers.let_through(&node(), now), Ok(()));
        assert!(is_late() && many(&late()).is_late());
        breakers.waited_for(&"m:1".parse().unwrap(), false, now);
        assert_eq!(breakers.let_through(&"m:1".parse().unwrap(), now), Ok(()));
    }
}
