//! The jobs of the workers.

use std::{os::unix::net::UnixStream, time::Instant};

use nearmiss_filters::ladder::fleet::frame::Request;

use crate::shards::Ladder;

/// A request and its client.
pub(super) struct Job {
    pub(super) peer: UnixStream,
    pub(super) arrived: Instant,
    pub(super) question: AgentRequest,
}

/// A request.
pub(super) enum AgentRequest {
    /// About an element.
    Element(Request),
    /// About the agent, and the density of a ladder.
    State(Option<Ladder>),
    /// An unknown operation.
    Unknown,
}
