//! The ladder of a fleet: its key and its parameters are on this host, its bits are in a store that an agent
//! queries. [SH §VII]
//!
//! The agent receives the positions of rungs, never a password, an account or the key. The fleet's result is
//! a second opinion in addition to this host's own ladders: if it cannot be queried, those decide alone.
//!
//! * `descriptor`: the ladder's parameters, in a file;
//! * `frame`: the messages on the socket;
//! * `client`: the module's side of the socket;
//! * `joining`: the transfer of descriptor and key to another host.

mod client;
mod descriptor;
pub mod frame;
mod joining;

use std::path::{Path, PathBuf};

use crate::ladder::file::error::LadderError;
use crate::ladder::file::header::Header;
use crate::ladder::file::key_file::read_key_on;
use crate::ladder::file::slow_hash::Element;
use crate::ladder::seen::{FailureKey, message};
use crate::ladder::structure::keys::{Purpose, Subkey, siphash};
use crate::ladder::structure::rungs::{RungFinder, Rungs};
use crate::random::{RandomSource, SystemRandom};
use crate::storage::Walk;

pub use client::{Agent, untrusted, untrusted_folder};
pub use descriptor::create_descriptor;
use frame::{BUCKETS, Op, Request};
pub use joining::{BUNDLE_BYTES, Bundle};

/// Seconds after which the fleet forgets failed logins.
const WEEK: u64 = 7 * 86_400;

/// The fleet's ladders whose keys this host has, and the agent that reaches their bits.
#[derive(Debug)]
pub struct Fleet {
    agent: Agent,
    ladders: Vec<FleetLadder>,
}

impl Fleet {
    /// A fleet with this agent and no ladder yet.
    pub const fn new(agent: Agent) -> Fleet {
        Fleet { agent, ladders: Vec::new() }
    }

    /// Adds a ladder.
    pub fn add(&mut self, ladder: FleetLadder) {
        self.ladders.push(ladder);
    }

    /// The agent.
    pub const fn agent(&self) -> &Agent {
        &self.agent
    }

    /// True if the password of a login is often guessed in the fleet. False if the fleet cannot be queried,
    /// or does not reply in time.
    ///
    /// # Errors
    /// [`LadderError::Access`]: a failure that the caller of a setuid program can provoke.
    pub fn is_guessed(&self, password: &[u8]) -> Result<bool, LadderError> {
        self.request_of_each(Kind::Guessed, password, &|_| Op::Height, ReplyPace::Soon)
    }

    /// The same for a password that is to be set: a late reply is waited for, for two seconds in all for this
    /// and [`Fleet::is_too_common`].
    ///
    /// # Errors
    /// As [`Fleet::is_guessed`], and a reply that is later than that.
    pub fn rejects_as_guessed(&self, password: &[u8]) -> Result<bool, LadderError> {
        self.request_of_each(Kind::Guessed, password, &|_| Op::Height, ReplyPace::Late)
    }

    /// Counts a failed login, once for the fleet in a week. Returns true if its password was often guessed
    /// before.
    ///
    /// This and the following two functions always take the same time, independent of the result: one request
    /// for each ladder, with a wait until the deadline.
    ///
    /// # Errors
    /// As [`Fleet::is_guessed`].
    pub fn count_guess(&self, failure: &FailureKey<'_>, now: u64) -> Result<bool, LadderError> {
        let op = |ladder: &FleetLadder| ladder.observation(failure, now);
        self.request_of_each(Kind::Guessed, failure.password, &op, ReplyPace::Even)
    }

    /// True if the password of a failed login that is not counted was often guessed.
    ///
    /// # Errors
    /// As [`Fleet::is_guessed`].
    pub fn is_guess(&self, password: &[u8]) -> Result<bool, LadderError> {
        self.request_of_each(Kind::Guessed, password, &|_| Op::Height, ReplyPace::Even)
    }

    /// Queries a random element, for a failed login that is not counted.
    ///
    /// # Errors
    /// As [`Fleet::is_guessed`]; [`LadderError::Random`].
    pub fn look_at_any(&self) -> Result<(), LadderError> {
        let words: [u64; 4] = SystemRandom.words().map_err(LadderError::Random)?;
        self.is_guess(words.map(u64::to_le_bytes).as_flattened()).map(drop)
    }

    /// True if too many accounts of the fleet have chosen a password that is to be set. False if the fleet
    /// cannot be queried; no slow hash is computed if no agent is listening.
    ///
    /// # Errors
    /// As [`Fleet::rejects_as_guessed`]; [`LadderError::SlowHash`].
    pub fn is_too_common(&self, password: &[u8]) -> Result<bool, LadderError> {
        self.request_of_each(Kind::Chosen, password, &|_| Op::Height, ReplyPace::Late)
    }

    /// Takes the steps for a password that an account of this host chose.
    ///
    /// # Errors
    /// As [`Fleet::is_too_common`].
    pub fn count_chosen(&self, password: &[u8]) -> Result<(), LadderError> {
        self.request_of_each(Kind::Chosen, password, &|_| Op::Step, ReplyPace::Soon).map(drop)
    }

    /// Queries every ladder of a kind, so that each counts. Returns true if the password was frequent in one.
    fn request_of_each(
        &self,
        kind: Kind,
        password: &[u8],
        op: &dyn Fn(&FleetLadder) -> Op,
        pace: ReplyPace,
    ) -> Result<bool, LadderError> {
        let lacking = |source| LadderError::Access { path: self.agent.socket().clone(), source };
        let mut is_frequent = false;
        for ladder in self.ladders.iter().filter(|ladder| ladder.kind() == kind) {
            let is_left_alone = matches!(pace, ReplyPace::Soon) && self.agent.is_resting();
            if kind == Kind::Chosen && (is_left_alone || !self.agent.listens().map_err(lacking)?) {
                break;
            }
            let request = ladder.request(&ladder.element(password)?, op(ladder));
            let reply = match pace {
                ReplyPace::Soon => self.agent.request(&request),
                ReplyPace::Even => self.agent.request_padded(&request),
                ReplyPace::Late => self.agent.request_until_in_time(&request, ladder.threshold()),
            };
            let reply = reply.map_err(lacking)?;
            is_frequent |= reply.is_some_and(|reply| u32::from(reply.height) >= ladder.threshold());
        }
        Ok(is_frequent)
    }
}

/// The wait for a reply.
#[derive(Clone, Copy)]
enum ReplyPace {
    /// Until the deadline.
    Soon,
    /// The same, and the result is returned at the deadline.
    Even,
    /// For a change of a password: late replies are waited for.
    Late,
}

/// The passwords that a fleet's ladder counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Failed logins: no slow hash.
    Guessed,
    /// Chosen passwords: with a slow hash.
    Chosen,
}

/// One ladder of the fleet, opened from its descriptor and its key.
pub struct FleetLadder {
    header: Header,
    finder: RungFinder,
    salt: Subkey,
    observation: Subkey,
}

impl FleetLadder {
    /// The path of a descriptor's key, next to it.
    pub fn key_of(descriptor: &Path) -> PathBuf {
        descriptor.with_extension("key")
    }

    /// Opens a descriptor and its key. `None` if there is no descriptor: this host has not joined.
    ///
    /// # Errors
    /// [`LadderError`]: it exists but cannot be used. That includes a missing key.
    pub fn open(descriptor: &Path) -> Result<Option<FleetLadder>, LadderError> {
        FleetLadder::open_on(&Walk::default(), descriptor)
    }

    /// [`FleetLadder::open`] on a walk that is shared with other files.
    ///
    /// # Errors
    /// As [`FleetLadder::open`].
    pub fn open_on(walk: &Walk, descriptor: &Path) -> Result<Option<FleetLadder>, LadderError> {
        let Some(header) = descriptor::read_on(walk, descriptor)? else { return Ok(None) };
        let key_path = FleetLadder::key_of(descriptor);
        let key = read_key_on(walk, &key_path)?;
        if !header.is_of(&key) {
            return Err(LadderError::OtherKey { path: descriptor.to_owned(), key: key_path });
        }
        let finder = RungFinder::new(&header.params, &key, &header.id);
        let [salt, observation] =
            [Purpose::Salt, Purpose::Observation].map(|purpose| key.subkey(purpose, &header.id));
        Ok(Some(FleetLadder { header, finder, salt, observation }))
    }

    /// The descriptor.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    const fn threshold(&self) -> u32 {
        self.header.params.threshold()
    }

    /// The passwords that it counts.
    pub const fn kind(&self) -> Kind {
        if self.header.cost.is_some() { Kind::Chosen } else { Kind::Guessed }
    }

    /// The element of a password: its slow hash, if the ladder has one.
    ///
    /// # Errors
    /// [`LadderError::SlowHash`].
    pub fn element(&self, password: &[u8]) -> Result<Element, LadderError> {
        match &self.header.cost {
            Some(cost) => Ok(cost.hash(self.salt.bytes(), password)?),
            None => Ok(Element::plain(password)),
        }
    }

    /// The request about an element.
    pub fn request(&self, element: &Element, op: Op) -> Request {
        let rungs: Rungs = self.finder.rungs_of(element.bytes());
        let params = &self.header.params;
        let [a, b, c, d, ..] = self.header.id;
        Request {
            op,
            tag: [a, b, c, d],
            // At most 36; a page below 2²¹; at most 128 steps.
            log_bits: u8::try_from(params.bits().trailing_zeros()).unwrap_or(0),
            page: u32::try_from(rungs.page()).unwrap_or(u32::MAX),
            steps: u8::try_from(params.steps()).unwrap_or(1),
            places: rungs.in_page().to_vec(),
        }
    }

    /// A step, unless the fleet has seen this failure this week.
    pub fn observation(&self, failure: &FailureKey<'_>, now: u64) -> Op {
        let (place, print) = siphash(self.observation.hash(&(now / WEEK).to_le_bytes()), &message(failure));
        // One of 64 fingerprints, none of them 0.
        let fingerprint = (print & 63) as u8 | 64;
        let bucket = u16::try_from(place & u64::from(BUCKETS - 1)).unwrap_or(0);
        Op::Observe { bucket, fingerprint }
    }
}

impl std::fmt::Debug for FleetLadder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FleetLadder").field("header", &self.header).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
