//! The ladder of a fleet with real servers on the loopback: functions, agent, loss and rights.
#![forbid(unsafe_code)]

#[path = "fleet/functions.rs"]
mod functions;
#[path = "fleet/hosts.rs"]
mod hosts;
#[path = "fleet/loss.rs"]
mod loss;
#[path = "fleet/measure.rs"]
mod measure;
#[path = "fleet/passwd.rs"]
mod passwd;
#[path = "fleet/secrets.rs"]
mod secrets;
