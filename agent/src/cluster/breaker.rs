//! A breaker for each node: a node that does not reply is not waited for by every request.
//!
//! It opens at five faults in a row, not at the first, which on a busy machine is chance; and any reply
//! closes it, errors too, since whoever replies is alive.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use crate::address::Address;

/// Faults in a row that open a breaker.
const FAULTS: u32 = 5;
/// For how long; then one request tries.
const OPEN: Duration = Duration::from_millis(250);

/// The breakers of all nodes that had a fault since their last reply.
#[derive(Debug, Default)]
pub(crate) struct CircuitBreakers(Mutex<HashMap<Address, CircuitBreaker>>);

#[derive(Debug)]
struct CircuitBreaker {
    faults: u32,
    until: Instant,
}

impl CircuitBreakers {
    /// Whether a request may go to the node. Where a breaker was open long enough, this one tries.
    pub(crate) fn lets_through(&self, node: &Address, now: Instant) -> bool {
        let Ok(mut all) = self.0.lock() else { return true };
        let Some(breaker) = all.get_mut(node).filter(|breaker| breaker.faults >= FAULTS) else { return true };
        let is_over = breaker.until <= now;
        if is_over {
            breaker.until = now.checked_add(OPEN).unwrap_or(now);
        }
        is_over
    }

    /// The node did not reply.
    pub(crate) fn fault(&self, node: &Address, now: Instant) {
        let Ok(mut all) = self.0.lock() else { return };
        let breaker = all.entry(node.clone()).or_insert(CircuitBreaker { faults: 0, until: now });
        breaker.faults = breaker.faults.saturating_add(1);
        breaker.until = now.checked_add(OPEN).unwrap_or(now);
    }

    /// The node replied.
    pub(crate) fn reply(&self, node: &Address) {
        if let Ok(mut all) = self.0.lock() {
            all.remove(node);
        }
    }

    /// Faults in a row of a node, and whether its breaker is open.
    pub(crate) fn state(&self, node: &Address) -> (u32, bool) {
        let faults = self.0.lock().ok().and_then(|all| all.get(node).map(|breaker| breaker.faults));
        let faults = faults.unwrap_or(0);
        (faults, faults >= FAULTS)
    }

    /// Keeps only what is known of these nodes.
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

    #[test]
    fn five_faults_in_a_row_open_it_and_one_request_tries() {
        let (breakers, start) = (CircuitBreakers::default(), Instant::now());
        for _ in 1..FAULTS {
            breakers.fault(&node(), start);
            assert!(breakers.lets_through(&node(), start));
        }
        breakers.fault(&node(), start);
        assert_eq!(breakers.state(&node()), (5, true));
        let later = start + OPEN;
        assert!(!breakers.lets_through(&node(), start + OPEN / 2));
        let tries = (0..10).filter(|_| breakers.lets_through(&node(), later)).count();
        assert_eq!(tries, 1);
        assert!(breakers.lets_through(&"m:1".parse().unwrap(), start), "each node has its own");
        breakers.reply(&node());
        assert!(breakers.lets_through(&node(), later) && breakers.state(&node()) == (0, false));
    }

    /// Nodes come and go, and nothing here grows for ever.
    #[test]
    fn a_node_that_is_not_known_any_more_is_forgotten() {
        let (breakers, now) = (CircuitBreakers::default(), Instant::now());
        let other: Address = "m:1".parse().unwrap();
        for node in [node(), other.clone()] {
            (0..FAULTS).for_each(|_| breakers.fault(&node, now));
        }
        breakers.retain(&[node()]);
        assert_eq!((breakers.state(&node()), breakers.state(&other)), ((5, true), (0, false)));
    }

    #[test]
    fn a_reply_in_between_starts_again() {
        let (breakers, now) = (CircuitBreakers::default(), Instant::now());
        for _ in 0..20 {
            breakers.fault(&node(), now);
            breakers.reply(&node());
        }
        assert!(breakers.lets_through(&node(), now));
    }
}
