//! Operations on a ladder's array: heights and steps of elements, and the random bits that are set and
//! cleared elsewhere for each step. [SH §VII-A, §VII-B]

#![allow(clippy::arithmetic_side_effects, reason = "places in an array of at most 2³⁶ bits")]

mod state;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

use nearmiss_filters::ladder::{
    RandomSource, SystemRandom,
    fleet::frame::{Op, Request},
};
use redis::{Cmd, Value};

use crate::{
    cluster::{Address, Cluster, Connections, Fault, slot_of},
    functions::Function,
    random,
};

/// Pages of a shard.
pub const PAGES: u32 = 16;
/// Bytes of a page.
const PAGE_BYTES: u64 = 4096;
/// Bytes of a shard.
pub const SHARD_BYTES: usize = 65_536;
/// log₂ of the bits of a shard.
const SHARD_LOG_BITS: u8 = 19;
/// Shards tried for a random bit: one that cannot be reached must not unbalance the others.
const PUT_ATTEMPTS: u32 = 4;

/// A ladder, with its name in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// The first bytes of its identifier.
    pub tag: [u8; 4],
    /// log₂ of its bits, at least 19.
    pub log_bits: u8,
}

impl Ladder {
    /// The hash tag of a shard.
    pub fn hash_tag(self, shard: u32) -> String {
        format!("{:08x}.{shard}", u32::from_be_bytes(self.tag))
    }

    /// The slot of a shard in a cluster.
    pub fn slot(self, shard: u32) -> u16 {
        slot_of(self.hash_tag(shard).as_bytes())
    }

    /// The key of a shard.
    pub fn key(self, shard: u32) -> String {
        format!("nm1:{{{}}}", self.hash_tag(shard))
    }

    /// The key of the queue set beside a shard.
    pub fn seen_key(self, shard: u32) -> String {
        format!("nm1r:{{{}}}", self.hash_tag(shard))
    }

    /// The number of its shards.
    pub fn shards(self) -> u32 {
        1_u32.checked_shl(u32::from(self.log_bits.saturating_sub(SHARD_LOG_BITS))).unwrap_or(1)
    }
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The height before.
    pub height: u8,
    /// True if steps were taken.
    pub is_counted: bool,
}

/// The arrays in a store, with the connections of one worker.
pub struct Shards<'c> {
    cluster: &'c Cluster,
    connections: Connections,
    made: &'c AtomicU64,
}

impl<'c> Shards<'c> {
    /// The arrays in this store. `made` counts the shards that were lost and created again.
    pub fn new(cluster: &'c Cluster, made: &'c AtomicU64) -> Shards<'c> {
        Shards { cluster, connections: Connections::default(), made }
    }

    /// Executes a request about an element. The other bits of a step are left to [`Shards::rebalance`].
    ///
    /// # Errors
    /// [`Fault`].
    pub fn answer(&mut self, request: &Request, end: Instant) -> Result<Done, Fault> {
        let ladder = Ladder { tag: request.tag, log_bits: request.log_bits };
        let (shard, page) = (request.page / PAGES, request.page % PAGES);
        let command = command(request, ladder, shard, page)?;
        let (height, is_counted) = match self.on_shard(ladder, shard, &command, end) {
            // The slot is being moved, with its two keys on different nodes: the failure is looked up, not
            // counted.
            Err(Fault::TryAgain) => {
                let look = Request { op: Op::Height, ..request.clone() };
                let command = self::command(&look, ladder, shard, page)?;
                (self.on_shard(ladder, shard, &command, end)?.0, false)
            }
            answered => answered?,
        };
        let Some(height) = believed(height, request) else { return Err(self.odd(ladder, shard)) };
        Ok(Done { height, is_counted: is_counted && request.op != Op::Height })
    }

    /// The random bits that are cleared, and at the top set, for the steps of one observation.
    pub fn rebalance(&mut self, request: &Request, height: u8, end: impl Fn() -> Instant) {
        let ladder = Ladder { tag: request.tag, log_bits: request.log_bits };
        let zeros = request.places.len().saturating_sub(height.into());
        let values = (0..usize::from(request.steps)).flat_map(|step| {
            let sets: &[u8] = if step < zeros { &[] } else { &[1, 1] };
            sets.iter().chain(&[0, 0])
        });
        let puts = values.filter_map(|value| Put::random(ladder, *value)).collect();
        for put in self.put_together(puts, end()) {
            self.put(put, &end);
        }
    }

    /// Sends each node its part in one batch. Returns the parts that failed.
    fn put_together(&mut self, puts: Vec<Put>, end: Instant) -> Vec<Put> {
        let mut of_nodes: Vec<(Option<Arc<Address>>, Vec<Put>)> = Vec::new();
        for put in puts {
            let node = self.cluster.known_owner(put.slot());
            match of_nodes.iter_mut().find(|(other, _)| *other == node) {
                Some((_, puts)) => puts.push(put),
                None => of_nodes.push((node, vec![put])),
            }
        }
        let mut left = Vec::new();
        for (node, puts) in of_nodes {
            let commands: Vec<Cmd> = puts.iter().map(Put::command).collect();
            let commands: Vec<&Cmd> = commands.iter().collect();
            let sent = node.map(|node| self.cluster.send_all(&mut self.connections, &node, &commands, end));
            let Some(Ok(replies)) = sent else {
                left.extend(puts);
                continue;
            };
            let is_done = |reply: &Result<Value, Fault>| matches!(reply, Ok(Value::Int(0)));
            left.extend(
                puts.into_iter().zip(replies).filter(|(_, reply)| !is_done(reply)).map(|(put, _)| put),
            );
        }
        left
    }

    /// Sets or clears this bit of the array, or a random one among the shards that can be reached: otherwise
    /// steps would keep setting bits of the others without clearing any.
    fn put(&mut self, mut put: Put, end: &impl Fn() -> Instant) {
        for _ in 0..PUT_ATTEMPTS {
            if self.on_shard(put.ladder, put.shard, &put.command(), end()).is_ok() {
                return;
            }
            let Some(other) = Put::random(put.ladder, put.value) else { return };
            put = other;
        }
    }

    /// Runs a function on a shard, which is created if it is missing.
    fn on_shard(
        &mut self,
        ladder: Ladder,
        shard: u32,
        command: &Cmd,
        end: Instant,
    ) -> Result<(i64, bool), Fault> {
        let slot = ladder.slot(shard);
        let first = self.cluster.request(&mut self.connections, slot, command, end)?;
        let Some(first) = read(&first) else { return Err(self.odd(ladder, shard)) };
        if first.0 >= 0 {
            return Ok(first);
        }
        self.make(ladder, shard, slot, end)?;
        // A shard that was created and is missing again is treated like an invalid reply.
        let second = self.cluster.request(&mut self.connections, slot, command, end)?;
        read(&second).filter(|(height, _)| *height >= 0).ok_or_else(|| self.odd(ladder, shard))
    }

    /// Handles a reply that no function returns. Its connection is closed: further replies on it may belong
    /// to other requests.
    fn odd(&mut self, ladder: Ladder, shard: u32) -> Fault {
        self.cluster.hang_up(&mut self.connections, ladder.slot(shard));
        Fault::UnexpectedReply(ladder.key(shard))
    }

    fn make(&mut self, ladder: Ladder, shard: u32, slot: u16, end: Instant) -> Result<(), Fault> {
        let mut bytes = vec![0; SHARD_BYTES];
        SystemRandom.fill(&mut bytes).map_err(|error| Fault::Unavailable(error.to_string()))?;
        let mut command = Function::Make.call();
        command.arg(1).arg(ladder.key(shard)).arg(bytes);
        if self.cluster.request(&mut self.connections, slot, &command, end)? == Value::Int(1) {
            self.made.fetch_add(1, Relaxed);
        }
        Ok(())
    }
}

/// A bit of a shard and its new value.
struct Put {
    ladder: Ladder,
    shard: u32,
    place: u64,
    value: u8,
}

impl Put {
    /// At a random position of the array; none if the system provides no random numbers.
    fn random(ladder: Ladder, value: u8) -> Option<Put> {
        let bits = u64::from(ladder.shards()) << SHARD_LOG_BITS;
        let bit = random::word()? & bits.saturating_sub(1);
        let shard = u32::try_from(bit >> SHARD_LOG_BITS).unwrap_or(0);
        Some(Put { ladder, shard, place: bit & ((1 << SHARD_LOG_BITS) - 1), value })
    }

    fn slot(&self) -> u16 {
        self.ladder.slot(self.shard)
    }

    fn command(&self) -> Cmd {
        let mut command = Function::Put.call();
        command.arg(1).arg(self.ladder.key(self.shard)).arg(self.place).arg(self.value);
        command
    }
}

fn command(request: &Request, ladder: Ladder, shard: u32, page: u32) -> Result<Cmd, Fault> {
    let places: Vec<u8> = request.places.iter().flat_map(|place| place.to_le_bytes()).collect();
    let function = match request.op {
        Op::Height => Function::Height,
        Op::Step => Function::Step,
        Op::Observe { .. } => Function::Observe,
    };
    let mut command = function.call();
    let key = ladder.key(shard);
    match request.op {
        Op::Height | Op::Step => command.arg(1).arg(key).arg(page).arg(places),
        Op::Observe { bucket, fingerprint } => {
            let keys = command.arg(2).arg(key).arg(ladder.seen_key(shard));
            keys.arg(page).arg(places).arg(bucket).arg(&[fingerprint][..])
        }
    };
    if request.op != Op::Height {
        for _ in 0..request.steps {
            // Numbers of 53 bits are exact in Lua.
            let word = random::word().ok_or_else(|| Fault::Unavailable("no random numbers".to_owned()))?;
            command.arg(word >> 11);
        }
    }
    Ok(command)
}

/// A height that is valid for the element: at most its rungs.
fn believed(height: i64, request: &Request) -> Option<u8> {
    u8::try_from(height).ok().filter(|height| usize::from(*height) <= request.places.len())
}

/// A height, or its placeholder, and true if it was counted; none for an invalid reply.
fn read(value: &Value) -> Option<(i64, bool)> {
    match value {
        Value::Int(number) => Some((*number, true)),
        Value::Array(parts) => match parts.as_slice() {
            [Value::Int(number), Value::Int(counted @ 0..=1)] => Some((*number, *counted == 1)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
