//! Elements at the top of the ladder, which are not queried again for a while: otherwise one password that
//! half of all guesses try would occupy one server completely. [SH §VII-D]
//!
//! A step does not change such an element: it is at the top, and the random bits that its steps set and clear
//! elsewhere are drawn by the agent anyway.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use nearmiss_filters::ladder::fleet::frame::Request;

/// The identity of an element: its ladder, its page and its rungs.
type Name = ([u8; 4], u32, Vec<u16>);

/// The elements, and the time until which each is not queried.
#[derive(Debug)]
pub(crate) struct Saturated {
    most: usize,
    lasts: Duration,
    until: Mutex<HashMap<Name, Instant>>,
}

impl Saturated {
    pub(crate) fn new(most: usize, lasts: Duration) -> Saturated {
        Saturated { most, lasts, until: Mutex::default() }
    }

    /// True if the element was at the top recently.
    pub(crate) fn has(&self, request: &Request, now: Instant) -> bool {
        let Ok(mut until) = self.until.lock() else { return false };
        if until.is_empty() {
            return false;
        }
        let name = name(request);
        match until.get(&name) {
            Some(end) if *end > now => true,
            Some(_) => {
                until.remove(&name);
                false
            }
            None => false,
        }
    }

    /// Remembers an element at the top, if there is room; the time of a remembered one is not extended.
    pub(crate) fn add(&self, request: &Request, now: Instant) {
        let Ok(mut until) = self.until.lock() else { return };
        if until.len() >= self.most {
            until.retain(|_, end| *end > now);
        }
        if until.len() < self.most {
            until.entry(name(request)).or_insert(now.checked_add(self.lasts).unwrap_or(now));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.until.lock().map_or(0, |until| until.len())
    }
}

fn name(request: &Request) -> Name {
    (request.tag, request.page, request.places.clone())
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::ladder::fleet::frame::Op;

    use super::*;

    fn request(page: u32) -> Request {
        Request { op: Op::Step, tag: [1; 4], log_bits: 29, page, steps: 1, places: vec![3, 4] }
    }

    #[test]
    fn an_element_is_hot_for_a_while_whatever_is_asked_of_it() {
        let (hot, now) = (Saturated::new(2, Duration::from_secs(60)), Instant::now());
        assert!(!hot.has(&request(1), now));
        hot.add(&request(1), now);
        assert!(hot.has(&Request { op: Op::Height, ..request(1) }, now + Duration::from_secs(59)));
        assert!(!hot.has(&request(2), now) && !hot.has(&Request { tag: [2; 4], ..request(1) }, now));
        hot.add(&request(1), now + Duration::from_secs(30));
        assert!(!hot.has(&request(1), now + Duration::from_secs(60)), "it is asked for again after a while");
    }

    #[test]
    fn there_are_never_more_than_allowed_and_old_ones_make_room() {
        let (hot, now) = (Saturated::new(2, Duration::from_secs(60)), Instant::now());
        (0..5).for_each(|page| hot.add(&request(page), now));
        assert!(hot.len() == 2 && hot.has(&request(0), now) && !hot.has(&request(4), now));
        hot.add(&request(4), now + Duration::from_secs(61));
        assert!(hot.len() == 1 && hot.has(&request(4), now + Duration::from_secs(62)));
        let (one, minute) = (Saturated::new(1, Duration::from_secs(60)), now + Duration::from_secs(60));
        one.add(&request(1), now);
        one.add(&request(2), minute);
        assert!(one.has(&request(2), minute), "one whose time is over makes room");
        let none = Saturated::new(0, Duration::from_secs(60));
        none.add(&request(1), now);
        assert!(!none.has(&request(1), now));
    }
}
