//! The agent between the PAM module of a host and the ladder that a fleet shares on Redis or Valkey Cluster.
//!
//! It receives positions of rungs through a socket that only root may use, and never a password, an account
//! or the ladder's key. Modules:
//! * [`config`], [`log`], [`listen`]: its configuration, its log, its socket and its user;
//! * `serve`: requests from the socket, and the threads that process them;
//! * [`cluster`]: the map of the array, and a connection to each node, with a circuit breaker;
//! * [`functions`]: the functions of the store, and the check that a node has them;
//! * `load`: an administrator's actions on the nodes; `account`: the account for them;
//! * [`shards`]: operations on the array; `saturated`: elements at its top; `random`;
//! * [`doctor`]: errors in the settings of a store.
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
