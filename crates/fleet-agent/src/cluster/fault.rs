//! Faults between the agent and a node, and errors that a node returns instead of a reply.

use std::fmt;

use nearmiss_cli::keys::{self, Keyed, MessageKey};
use redis::{ErrorKind, RedisError, ServerErrorKind};

use super::slots;
use crate::{address::Address, functions};

/// The remedy for missing or wrong functions.
pub const MEND: &str = "filterctl fleet init --functions loads them";

/// An error that a node returned instead of a reply, or a missing reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No reply, or an invalid one; the connection is closed.
    Unreachable(String),
    /// No reply before the deadline: the node is down, or this machine or the network is busy. The connection
    /// is closed.
    Late(String),
    /// It lacks the functions.
    NoFunctions,
    /// It has other functions of the same name.
    OtherFunctions,
    /// Another node has the slot, at this address if it is valid.
    Moved(Option<Address>),
    /// Another node already has this key.
    Ask(Address),
    /// It is not part of a cluster, and has all slots.
    NoCluster,
    /// No function is running that could be killed.
    NotBusy,
    /// The slot is being moved, and its keys are on different nodes.
    TryAgain,
    /// It cannot serve at present: loading, a replica, a cluster that is down.
    Unavailable(String),
    /// Any other error: rights, or something that is not the store this agent knows.
    Refused(String),
    /// A reply that none of the functions returns, for this key.
    UnexpectedReply(String),
    /// No known node serves the slot.
    NoOwner,
    /// The deadline passed.
    Timeout,
}

impl Fault {
    /// True if the deadline passed, which does not imply a fault of the store: load on this machine can be
    /// the cause.
    pub fn is_late(&self) -> bool {
        matches!(self, Fault::Late(_) | Fault::Timeout)
    }

    /// True if it was already logged as a fault of a node.
    pub fn is_of_node(&self) -> bool {
        matches!(
            self,
            Fault::Unreachable(_)
                | Fault::Late(_)
                | Fault::Unavailable(_)
                | Fault::Refused(_)
                | Fault::NoFunctions
                | Fault::OtherFunctions
        )
    }

    /// The fault for an error of this node in place of a reply.
    pub(super) fn of(error: &RedisError, node: &Address) -> Fault {
        let words = || error.to_string();
        let target = || error.redirect_node().and_then(|(address, _)| slots::redirected(address, node));
        match error.kind() {
            ErrorKind::Server(ServerErrorKind::Moved) => Fault::Moved(target()),
            ErrorKind::Server(ServerErrorKind::Ask) => {
                target().map_or_else(|| Fault::Refused(words()), Fault::Ask)
            }
            ErrorKind::Server(ServerErrorKind::TryAgain) => Fault::TryAgain,
            ErrorKind::Server(ServerErrorKind::NotBusy) => Fault::NotBusy,
            ErrorKind::Server(
                ServerErrorKind::BusyLoading
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ReadOnly,
            ) => Fault::Unavailable(words()),
            ErrorKind::Server(_) if words().contains("Function not found") => Fault::NoFunctions,
            ErrorKind::Server(_) if words().contains("cluster support disabled") => Fault::NoCluster,
            _ => Fault::Refused(words()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unreachable(words)
            | Fault::Late(words)
            | Fault::Unavailable(words)
            | Fault::Refused(words) => f.write_str(words),
            Fault::NoFunctions => write!(f, "the functions {} are missing; {MEND}", functions::library()),
            Fault::OtherFunctions => {
                write!(f, "the functions {} differ from this agent's; {MEND}", functions::library())
            }
            Fault::Moved(_) | Fault::Ask(_) => {
                f.write_str("the nodes keep redirecting requests for the slot to each other")
            }
            Fault::NoCluster => f.write_str("the node is not part of a cluster"),
            Fault::NotBusy => f.write_str("no function is running"),
            Fault::TryAgain => f.write_str("the slot is being moved to another node"),
            Fault::UnexpectedReply(key) => {
                write!(f, "{key}: unexpected reply; the node's functions are not this agent's")
            }
            Fault::NoOwner => f.write_str("no known node serves the slot"),
            Fault::Timeout => f.write_str("the deadline passed before a node replied"),
        }
    }
}

impl std::error::Error for Fault {}

impl Keyed for Fault {
    fn key(&self) -> MessageKey {
        match self {
            Fault::NoFunctions | Fault::OtherFunctions | Fault::UnexpectedReply(_) => keys::STORE_FUNCTIONS,
            Fault::Refused(_) => keys::STORE_ACCOUNT,
            _ => keys::STORE_UNREACHABLE,
        }
    }
}

#[cfg(test)]
mod tests {
    use redis::{Value, parse_redis_value};

    use super::*;

    /// The fault for a line in place of a reply.
    fn of(line: &str) -> Fault {
        let Ok(Value::ServerError(error)) = parse_redis_value(format!("-{line}\r\n").as_bytes()) else {
            panic!("{line} is no error");
        };
        Fault::of(&RedisError::from(error), &"192.0.2.9:1".parse().unwrap())
    }

    /// Redirections are followed, a slot that is being moved is waited for, and a temporary error is not a
    /// refusal.
    #[test]
    fn an_error_in_place_of_a_reply_says_what_to_do() {
        let node: Address = "192.0.2.1:7".parse().unwrap();
        let expected = [
            ("MOVED 1 192.0.2.1:7", Fault::Moved(Some(node.clone()))),
            ("MOVED 1 ", Fault::Moved(None)),
            ("ASK 1 192.0.2.1:7", Fault::Ask(node)),
            ("TRYAGAIN Multiple keys request during rehashing of slot", Fault::TryAgain),
            ("NOTBUSY No scripts in execution right now.", Fault::NotBusy),
            ("ERR Function not found", Fault::NoFunctions),
            ("ERR This instance has cluster support disabled", Fault::NoCluster),
        ];
        for (line, fault) in expected {
            assert_eq!(of(line), fault, "{line}");
        }
        for line in [
            "LOADING Redis is loading the dataset in memory",
            "CLUSTERDOWN Hash slot not served",
            "MASTERDOWN Link with MASTER is down",
            "READONLY You can't write against a read only replica.",
        ] {
            assert!(matches!(of(line), Fault::Unavailable(_)), "{line}: {:?}", of(line));
        }
        // A node cannot name a file of this machine; one without a name is the one that was asked.
        for host in ["/run/other.sock", "/run/other.sock:7", "nowhere"] {
            assert_eq!(of(&format!("MOVED 1 {host}")), Fault::Moved(None), "{host}");
            assert!(matches!(of(&format!("ASK 1 {host}")), Fault::Refused(_)), "{host}");
        }
        for host in ["", "?"] {
            let own: Address = "192.0.2.9:7".parse().unwrap();
            assert_eq!(of(&format!("MOVED 1 {host}:7")), Fault::Moved(Some(own.clone())), "{host}");
            assert_eq!(of(&format!("ASK 1 {host}:7")), Fault::Ask(own), "{host}");
        }
        for line in ["ERR no", "WRONGPASS invalid", "NOPERM no", "OOM x", "ASK 1 ", "ASK 1 nowhere"] {
            assert!(matches!(of(line), Fault::Refused(_)), "{line}: {:?}", of(line));
        }
    }

    /// A fault that was logged about a node is not logged again about a request.
    #[test]
    fn faults_of_a_node_are_told_from_those_of_a_request() {
        let words = || "x".to_owned();
        let of_node = [
            Fault::Unreachable(words()),
            Fault::Late(words()),
            Fault::Unavailable(words()),
            Fault::Refused(words()),
            Fault::NoFunctions,
            Fault::OtherFunctions,
        ];
        assert!(of_node.iter().all(Fault::is_of_node));
        let of_request = [
            Fault::Moved(None),
            Fault::Ask("n:1".parse().unwrap()),
            Fault::TryAgain,
            Fault::NoCluster,
            Fault::NotBusy,
            Fault::UnexpectedReply(words()),
            Fault::NoOwner,
            Fault::Timeout,
        ];
        assert!(!of_request.iter().any(Fault::is_of_node));
    }

    /// A node's own message is passed on; missing functions are reported with the remedy.
    #[test]
    fn a_fault_is_said_in_words() {
        assert_eq!(Fault::Refused("NOPERM no".to_owned()).to_string(), "NOPERM no");
        assert_eq!(Fault::Timeout.to_string(), "the deadline passed before a node replied");
        let missing = Fault::NoFunctions.to_string();
        assert!(missing.contains(functions::library()) && missing.ends_with(MEND), "{missing}");
    }
}
