//! What the workers are given to do.

use std::{os::unix::net::UnixStream, time::Instant};

use nearmiss_filters::ladder::fleet::frame::Request;

use crate::shards::Ladder;

/// A request and who waits for its reply.
pub(super) struct Job {
    pub(super) peer: UnixStream,
    pub(super) arrived: Instant,
    pub(super) question: Question,
}

/// What is asked.
pub(super) enum Question {
    /// About an element.
    Element(Request),
    /// About the agent, and the density of a ladder.
    State(Option<Ladder>),
    /// Nothing that is known.
    Unknown,
}
