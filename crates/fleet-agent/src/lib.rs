//! The agent between the PAM module of a host and the ladder that a fleet shares on Redis or Valkey Cluster.
//!
//! It gets places of rungs through a socket that root alone may use, and never a password, an account or the
//! ladder's key. Here:
//! * [`config`], [`log`], [`listen`]: its configuration, its log, its socket and its user;
//! * `serve`: requests from the socket, and the threads that do them;
//! * [`cluster`]: who has which part of the array, and a connection to each, with a breaker;
//! * [`functions`]: what the store runs, and the check that a node has it;
//! * `load`: what an administrator does to the nodes; `account`: by which account;
//! * [`shards`]: what is done to the array; `saturated`: elements at its top; `random`;
//! * [`doctor`]: what is wrong with the settings of a store.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test"))]

mod account;
mod address;
mod cli;
pub mod cluster;
pub mod config;
pub mod doctor;
#[cfg(test)]
mod fake_node;
pub mod functions;
pub mod listen;
mod load;
pub mod log;
mod random;
mod saturated;
mod serve;
pub mod shards;

pub use cli::{command, run};
pub use serve::{STATUS_BYTES, ServeError, serve};
