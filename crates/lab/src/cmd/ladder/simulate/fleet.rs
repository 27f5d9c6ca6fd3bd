//! `filterlab ladder simulate --guessed --fleet`: the same guesses spread over many hosts that share one
//! ladder in shards, some of which are lost on the way.

use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
};

use nearmiss_filters::ladder::{BitStore, RandomSource, Rungs, SeededRandom};
use serde::Serialize;

/// log₂ of the bits of a shard, and pages in it.
pub(super) const SHARD_LOG_BITS: u32 = 19;
const PAGES: u64 = 16;
const SHARD_BYTES: u64 = 1 << (SHARD_LOG_BITS - 3);

/// The hosts, and what happens to the shards.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimulatedFleet {
    /// Hosts, at a random one of which each guess arrives.
    pub(super) hosts: u64,
    /// Shards of the ladder.
    pub(super) shards: u64,
    /// The share of them that is lost, and made anew, when half of the guesses have arrived.
    pub(super) loss: f64,
}

/// The notes taken while guesses arrive.
pub(super) struct Watch {
    fleet: SimulatedFleet,
    lost: HashSet<u64>,
    /// The number of tries of each password at each host.
    at_host: HashMap<(u32, u64), u32>,
    /// Passwords whose flags were lost, and how often each was tried since.
    waiting: HashMap<u32, u32>,
    flags_lost: usize,
    again: Vec<u32>,
}

/// The changes by spreading and loss.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Outcome {
    hosts: u64,
    shards: u64,
    shards_lost: usize,
    /// Passwords that were detected before the loss and stood in a shard that was lost.
    flags_lost: usize,
    /// How many of these were detected again, and by which attempt after the loss half of them were.
    flags_back: usize,
    median_attempts_to_come_back: Option<u32>,
    /// Passwords that one host alone saw as often as the fleet needed for half of those it detected.
    seen_as_often_at_one_host: usize,
}

impl Watch {
    pub(super) fn new(fleet: SimulatedFleet) -> Watch {
        Watch {
            fleet,
            lost: HashSet::new(),
            at_host: HashMap::new(),
            waiting: HashMap::new(),
            flags_lost: 0,
            again: Vec::new(),
        }
    }

    /// A guess arrives. Returns its host.
    pub(super) fn arrive(&mut self, password: u32, random: &mut SeededRandom) -> u64 {
        let host = random.next_word() % self.fleet.hosts;
        *self.at_host.entry((password, host)).or_default() += 1;
        if let Some(attempts) = self.waiting.get_mut(&password) {
            *attempts += 1;
        }
        host
    }

    /// The password of a guess was found frequent.
    pub(super) fn detected(&mut self, password: u32) {
        if let Some(attempts) = self.waiting.remove(&password) {
            self.again.push(attempts);
        }
    }

    /// Loses shards, which come back as random bits, and with them the flags of these passwords.
    ///
    /// # Errors
    /// As [`BitStore::set`].
    pub(super) fn lose<'r>(
        &mut self,
        bits: &impl BitStore,
        flagged: impl Iterator<Item = (u32, &'r Rungs)>,
        random: &mut SeededRandom,
    ) -> io::Result<()> {
        let count = self.fleet.loss * self.fleet.shards as f64;
        while (self.lost.len() as f64) < count.round() {
            self.lost.insert(random.next_word() % self.fleet.shards);
        }
        for shard in &self.lost {
            for byte in shard * SHARD_BYTES..(shard + 1) * SHARD_BYTES {
                let mut new = [0];
                random.fill(&mut new)?;
                bits.set(byte, new[0])?;
                bits.clear(byte, !new[0])?;
            }
        }
        for (password, _) in flagged.filter(|(_, rungs)| self.lost.contains(&(rungs.page() / PAGES))) {
            self.waiting.insert(password, 0);
        }
        self.flags_lost = self.waiting.len();
        Ok(())
    }

    /// The result; `half` is the attempt by which half of the detected passwords were detected.
    pub(super) fn outcome(mut self, half: Option<u32>) -> Outcome {
        self.again.sort_unstable();
        let median = self.again.get(self.again.len() / 2).copied();
        let as_often = |half: u32| {
            let seen =
                self.at_host.iter().filter(|(_, times)| **times >= half).map(|((password, _), _)| password);
            seen.collect::<HashSet<_>>().len()
        };
        Outcome {
            hosts: self.fleet.hosts,
            shards: self.fleet.shards,
            shards_lost: self.lost.len(),
            flags_lost: self.flags_lost,
            flags_back: self.again.len(),
            median_attempts_to_come_back: median,
            seen_as_often_at_one_host: half.map_or(0, as_often),
        }
    }
}

impl Outcome {
    pub(super) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Outcome { hosts, shards, shards_lost, flags_lost, flags_back, .. } = self;
        writeln!(out, "hosts                 {hosts}")?;
        writeln!(out, "  seen as often alone {} at one host", self.seen_as_often_at_one_host)?;
        writeln!(out, "shards                {shards}, lost half-way {shards_lost}")?;
        writeln!(out, "  flags lost          {flags_lost}, detected again {flags_back}")?;
        match self.median_attempts_to_come_back {
            Some(median) => writeln!(out, "  half of them after  {median} attempts more"),
            None => Ok(()),
        }
    }
}
