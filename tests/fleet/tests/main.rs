//! The ladder of a fleet with real servers on the loopback: functions, agent, loss and rights.
//!
//! Each promise, and its test:
//!
//! | promise | test |
//! | --- | --- |
//! | functions and file ladder: equal heights and rungs, no shard of zeros | `functions::*` |
//! | random frames of the agent | `nearmiss-agent` `serve::connections`, `nearmiss-filters` `ladder::fleet` |
//! | others than root refused; 1,000 idle connections | `access::*`; their p99: `measure`, as below |
//! | a node killed, empty again: others' share ≥ 99 % answered, density ½ ± 0.002 | `loss::a_node_*` |
//! | a node frozen: ≥ 97 % while that is found out, then ≥ 99 % | `loss::a_node_*`, `loss::a_minute_*` |
//! | failover with what the master had | `loss::a_replica_*` |
//! | slots that move: ≥ 99 % of all answered, no shard recreated | `loss::slots_that_move_*` |
//! | agent killed, agent stopped | `loss::an_agent_*` |
//! | all of these for a minute: calls over 60 ms no more than the machine's own delays | `loss::a_minute_*` |
//! | 32 of 128 shards deleted, back within 2,000 steps, others unchanged | `loss::shards_that_are_lost_*` |
//! | a node that replies with anything | `bad_store::*` |
//! | AOF, SLOWLOG, MONITOR, crash log: 0 of 48 places, found in the control | `written::*` |
//! | functions by an administrator alone; a store poisoned, frozen, restarted | `administrator::*` |
//! | one user a host, taken back | `administrator::one_user_*` |
//! | careless settings, and rights to watch | `examined::*` |
//! | every command tried as the agent's user | `secrets::the_agents_user_*` |
//! | latency and rate | `measure`, by `tests/benches/bench.sh fleet` |
//! | a user who stops the own `passwd`: never set | `stopped::*` |
//! | a user who keeps the processors busy; a slow store; 40 at once: none past | `under_load::*` |
//! | `passwd` and `sshd` with the agent absent, hanging, lying | `passwd::*`, `sshd::*` |
//! | rotation; a frame of another version | `passwd::two_ladders_*`, `access::a_frame_*` |
//! | two sites | `sites::*` |
//! | a wrong certificate | `secrets::a_node_with_a_wrong_certificate_*` |
//!
//! `NEARMISS_STORE_SERVER` names another server; `tools/stores.sh` runs all but `under_load` and
//! `login_times` on Redis 8 and Valkey 8.
#![forbid(unsafe_code)]

mod access;
mod administrator;
mod bad_store;
mod examined;
mod functions;
mod host;
mod hosts;
#[path = "../../../crates/cli/tests/common/json_reference.rs"]
mod json_reference;
mod login_times;
mod loss;
mod measure;
mod passwd;
mod secrets;
mod sites;
mod sshd;
mod stopped;
mod under_load;
mod written;
