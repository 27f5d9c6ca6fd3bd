//! Servers of a store on the loopback, an agent before them, and the ladder of a fleet.
//!
//! The servers are this machine's, or unpacked beside the build and never installed (`tools/unpack.sh`), or
//! the one that `NEARMISS_STORE_SERVER` names (`tools/stores.sh` fetches others). Each has ports of its
//! own, lives in a folder of its own, and is ended by its own number.
#![forbid(unsafe_code)]

mod agent;
mod cluster;
mod descriptor;
pub mod lateness;
mod ports;
mod server;

use std::{
    thread,
    time::{Duration, Instant},
};

use nearmiss_tests::HANGS;
use redis::Value;

pub use nearmiss_tests::{
    process::Process,
    store::{careful, no_store, server_program},
};

pub use self::{
    agent::{Agent, ask},
    cluster::Cluster,
    descriptor::Descriptor,
    ports::free_port,
    server::Server,
};

/// Waits until something holds, for as long as a busy machine may need.
pub fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + HANGS;
    while !holds() {
        assert!(Instant::now() < end, "{what} did not come about");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The text in a value.
pub fn text(value: &Value) -> String {
    match value {
        Value::BulkString(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::SimpleString(text) | Value::VerbatimString { text, .. } => text.clone(),
        other => format!("{other:?}"),
    }
}
