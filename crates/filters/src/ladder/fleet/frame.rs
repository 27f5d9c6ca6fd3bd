//! The protocol between the module and the agent of a fleet: one request, one reply, then the connection is
//! closed. Both have a fixed form and a bound on every number; `FORMAT-LADDER.md` is the normative text.
//!
//! A request contains the positions of an element's rungs, which reveal nothing without the ladder's key, and
//! no password, account name or key.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of at most 272 bytes")]

use std::time::Duration;

use crate::ladder::structure::params::MAX_RUNGS;
use crate::{chunks::chunks, codec::Reader};

/// The only version. An agent that does not know a request's version replies [`Status::Unknown`].
const VERSION: u8 = 1;
/// The beginning of a request for the agent's state, which the module never makes: version and operation.
/// Then come 0, log₂ of the bits, the first bytes of the identifier, zeros. Without a ladder (zeros) its
/// density is omitted.
pub const STATUS_BYTES: [u8; 2] = [VERSION, 4];
/// The time in which the agent sends its state, however many nodes hang: who asks for it waits longer.
pub const STATUS_TIME: Duration = Duration::from_millis(2500);
/// Bytes of a request before its positions.
pub const HEAD_BYTES: usize = 16;
/// Bytes of the longest request.
pub const MAX_BYTES: usize = HEAD_BYTES + 2 * MAX_RUNGS as usize;
/// Bytes of a reply.
pub const REPLY_BYTES: usize = 4;
/// Bits of a page, and log₂ of the bits of a shard: 16 pages.
const PAGE_BITS: u16 = 1 << 15;
/// log₂ of the lowest number of bits of a fleet's ladder: one shard.
pub const MIN_LOG_BITS: u8 = 19;
/// log₂ of the highest number of bits.
pub const MAX_LOG_BITS: u8 = 36;
/// Words of the queue set beside a shard.
pub const BUCKETS: u16 = 1 << 10;

/// The operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The height, without changing anything.
    Height,
    /// The steps of one observation.
    Step,
    /// The same, unless this failed login was seen by the fleet before.
    Observe {
        /// The word of the shard's queue set, below [`BUCKETS`].
        bucket: u16,
        /// The failure's fingerprint in it: not 0.
        fingerprint: u8,
    },
}

/// One request about one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The operation.
    pub op: Op,
    /// The first bytes of the ladder's identifier, its name in the store.
    pub tag: [u8; 4],
    /// log₂ of the ladder's bits.
    pub log_bits: u8,
    /// The element's page.
    pub page: u32,
    /// Steps of one observation.
    pub steps: u8,
    /// The positions of its rungs in the page: 1 to 128, each below 2¹⁵.
    pub places: Vec<u16>,
}

impl Request {
    /// The bytes to send.
    pub fn encode(&self) -> Vec<u8> {
        let (op, bucket, fingerprint) = match self.op {
            Op::Height => (1, 0, 0),
            Op::Step => (2, 0, 0),
            Op::Observe { bucket, fingerprint } => (3, bucket, fingerprint),
        };
        let count = u8::try_from(self.places.len()).unwrap_or(0);
        let mut bytes = Vec::with_capacity(MAX_BYTES);
        bytes.extend_from_slice(&[VERSION, op, count, self.log_bits]);
        bytes.extend_from_slice(&self.tag);
        bytes.extend_from_slice(&self.page.to_le_bytes());
        bytes.extend_from_slice(&[self.steps, fingerprint]);
        bytes.extend_from_slice(&bucket.to_le_bytes());
        for place in &self.places {
            bytes.extend_from_slice(&place.to_le_bytes());
        }
        bytes
    }

    /// The length of the request that begins with this head; none if the head does not have this version.
    pub fn length(head: &[u8; HEAD_BYTES]) -> Option<usize> {
        let [version, op, count, ..] = *head;
        let is_known = version == VERSION && (1..=3).contains(&op) && (1..=MAX_RUNGS).contains(&count.into());
        is_known.then(|| HEAD_BYTES + 2 * usize::from(count))
    }

    /// The request in these bytes; none if any of them is invalid.
    pub fn decode(bytes: &[u8]) -> Option<Request> {
        let (head, rest) = bytes.split_first_chunk::<HEAD_BYTES>()?;
        if Request::length(head)? != bytes.len() {
            return None;
        }
        let mut from = Reader::new(head.get(1..).unwrap_or(&[]));
        let (op, count, log_bits, tag) = (from.u8(), from.u8(), from.u8(), from.take());
        let (page, steps, fingerprint, bucket) = (from.u32(), from.u8(), from.u8(), from.u16());
        let op = match (op, bucket, fingerprint) {
            (1, 0, 0) => Op::Height,
            (2, 0, 0) => Op::Step,
            (3, 0..BUCKETS, 1..) => Op::Observe { bucket, fingerprint },
            _ => return None,
        };
        let places: Vec<u16> = chunks(rest).0.iter().map(|place| u16::from_le_bytes(*place)).collect();
        let is_inside = (MIN_LOG_BITS..=MAX_LOG_BITS).contains(&log_bits)
            && page < 1 << (log_bits - 15)
            && (1..=count).contains(&steps)
            && places.iter().all(|place| *place < PAGE_BITS);
        is_inside.then_some(Request { op, tag, log_bits, page, steps, places })
    }
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was done.
    Done,
    /// The store, or the part of it that has this element, cannot be reached.
    Unavailable,
    /// The agent does not know this kind of request.
    Unknown,
    /// The store, or one of two, did not reply in time: the height is that of the other one, or 0. Steps may
    /// have been taken nevertheless.
    Late,
    /// The agent is overloaded. Nothing was done.
    TurnedAway,
}

/// The reply to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The result of it.
    pub status: Status,
    /// The height before the step, as far as it is known; 0 if the request was not done.
    pub height: u8,
    /// True if a step was taken.
    pub is_counted: bool,
}

impl Reply {
    /// A reply without a height.
    pub const fn without(status: Status) -> Reply {
        Reply { status, height: 0, is_counted: false }
    }

    /// The bytes to send.
    pub const fn encode(self) -> [u8; REPLY_BYTES] {
        [VERSION, self.status as u8, self.height, self.is_counted as u8]
    }

    /// The reply in these bytes to a request with this number of rungs; none if it is invalid.
    pub fn decode(bytes: [u8; REPLY_BYTES], rungs: u32) -> Option<Reply> {
        let [VERSION, status, height, counted @ 0..=1] = bytes else { return None };
        let is_counted = counted == 1;
        match (status, height) {
            (0, _) if u32::from(height) <= rungs => Some(Reply { status: Status::Done, height, is_counted }),
            (3, _) if u32::from(height) <= rungs => Some(Reply { status: Status::Late, height, is_counted }),
            (1, 0) if !is_counted => Some(Reply::without(Status::Unavailable)),
            (2, 0) if !is_counted => Some(Reply::without(Status::Unknown)),
            (4, 0) if !is_counted => Some(Reply::without(Status::TurnedAway)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Request {
        let op = Op::Observe { bucket: 1023, fingerprint: 77 };
        Request { op, tag: *b"abcd", log_bits: 29, page: 16_383, steps: 2, places: vec![0, 32_767, 5] }
    }

    /// The example of FORMAT-LADDER.md.
    #[test]
    fn the_request_of_the_format_text() {
        let bytes = sample().encode();
        let expected = b"\x01\x03\x03\x1dabcd\xff\x3f\0\0\x02\x4d\xff\x03\0\0\xff\x7f\x05\0";
        assert_eq!(bytes, expected);
        assert_eq!(Request::decode(&bytes), Some(sample()));
    }

    #[test]
    fn what_is_outside_its_limits_is_no_request() {
        let wrong = |at: usize, byte: u8| {
            let mut bytes = sample().encode();
            bytes[at] = byte;
            Request::decode(&bytes)
        };
        for (at, byte) in [(0, 2), (1, 0), (1, 1), (1, 4), (2, 0), (2, 2), (2, 4), (2, 129), (3, 18), (3, 37)]
        {
            assert_eq!(wrong(at, byte), None, "{at} {byte}");
        }
        for (at, byte) in [(3, 28), (9, 0x40), (11, 1), (12, 0), (12, 4), (13, 0), (15, 4), (19, 0x80)] {
            assert_eq!(wrong(at, byte), None, "{at} {byte}");
        }
        let behind_the_last =
            [Request { page: 16_384, ..sample() }, Request { places: vec![0, PAGE_BITS, 5], ..sample() }];
        for request in behind_the_last {
            assert_eq!(Request::decode(&request.encode()), None, "{request:?}");
        }
        let height = Request { op: Op::Height, ..sample() };
        assert_eq!(Request::decode(&height.encode()), Some(height));
        let bytes = sample().encode();
        assert!((0..bytes.len()).all(|length| Request::decode(&bytes[..length]).is_none()));
        assert_eq!(Request::decode(&[&bytes[..], &[0]].concat()), None);
    }

    #[test]
    fn a_reply_is_within_the_rungs_or_none() {
        let done = Reply { status: Status::Done, height: 48, is_counted: true };
        assert_eq!(Reply::decode(done.encode(), 48), Some(done));
        assert_eq!(Reply::decode(done.encode(), 47), None);
        let late = Reply { status: Status::Late, ..done };
        assert_eq!((late.encode(), Reply::decode(late.encode(), 48)), ([1, 3, 48, 1], Some(late)));
        assert_eq!(Reply::decode(late.encode(), 47), None);
        for status in [Status::Unavailable, Status::Unknown, Status::Late, Status::TurnedAway] {
            let reply = Reply::without(status);
            assert_eq!(Reply::decode(reply.encode(), 1), Some(reply));
        }
        let no_status = [[0; 4], [255; 4], [1, 5, 0, 0], [2, 0, 1, 0]];
        let no_height =
            [[1, 0, 255, 0], [1, 0, 0, 2], [1, 1, 1, 0], [1, 1, 0, 1], [1, 2, 0, 1], [1, 4, 0, 1]];
        for bytes in no_status.into_iter().chain(no_height) {
            assert_eq!(Reply::decode(bytes, 48), None, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_decoded_is_encoded_alike(
            mut bytes in prop::collection::vec(any::<u8>(), 0..300),
            shaped: bool,
        ) {
            if shaped {
                let count = bytes.len().saturating_sub(HEAD_BYTES) / 2;
                let [op, count] = [1 + bytes.len() % 3, count].map(|number| u8::try_from(number).unwrap());
                let shape = [1, op, count, 36];
                bytes.truncate(HEAD_BYTES + 2 * usize::from(count));
                bytes.iter_mut().zip(shape).for_each(|(to, from)| *to = from);
            }
            if let Some(request) = Request::decode(&bytes) {
                prop_assert_eq!(request.encode(), bytes);
            }
        }

        #[test]
        fn a_reply_is_never_above_the_rungs(bytes: [u8; 4], rungs in 1_u32..=128) {
            if let Some(reply) = Reply::decode(bytes, rungs) {
                prop_assert!(u32::from(reply.height) <= rungs);
                prop_assert_eq!(reply.encode(), bytes);
            }
        }
    }
}
