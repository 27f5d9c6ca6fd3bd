//! What goes wrong between the agent and a node, or what a node says instead of a reply.

use std::fmt;

use nearmiss_cli::keys::{self, Keyed, MessageKey};
use redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::{address::Address, functions};

/// What an administrator does about functions.
pub const MEND: &str = "filterctl fleet init --functions loads them";

/// What a node said instead of a reply, or that it said nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing, or not to be understood; the connection is closed.
    Unreachable(String),
    /// Nothing until the time was used up: it is away, or this machine or the way to it is busy. The
    /// connection is closed.
    Late(String),
    /// It does not have the functions, or not any more.
    NoFunctions,
    /// Under their name it has others.
    OtherFunctions,
    /// Another node has the slot; where the address could be read, which.
    Moved(Option<Address>),
    /// Another node has this key by now.
    Ask(Address),
    /// It is no part of a cluster, and has all slots.
    NoCluster,
    /// No function runs that could be ended.
    NotBusy,
    /// The slot is on its way, one of the keys there and another not.
    TryAgain,
    /// It cannot serve at present: loading, a replica, a cluster that is down.
    Unavailable(String),
    /// Any other error: rights, or something that is not the store this agent knows.
    Refused(String),
    /// A reply that none of the functions gives, about this key.
    UnexpectedReply(String),
    /// No node is known that has the slot.
    NoOwner,
    /// The time was used up.
    Timeout,
}

impl Fault {
    /// Whether the time was used up, which says nothing about the store: whoever keeps this machine busy has
    /// that happen.
    pub fn is_late(&self) -> bool {
        matches!(self, Fault::Late(_) | Fault::Timeout)
    }

    /// Whether it was logged as what a node said when it came.
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

    /// What an error in place of a reply means.
    pub(super) fn of(error: &RedisError) -> Fault {
        let words = || error.to_string();
        let target = || error.redirect_node().and_then(|(address, _)| address.parse().ok());
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

    /// What a line in place of a reply means.
    fn of(line: &str) -> Fault {
        let Ok(Value::ServerError(error)) = parse_redis_value(format!("-{line}\r\n").as_bytes()) else {
            panic!("{line} is no error");
        };
        Fault::of(&RedisError::from(error))
    }

    /// Redirections are followed, a slot on its way is waited for, and what passes is no refusal.
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
        for line in ["ERR no", "WRONGPASS invalid", "NOPERM no", "OOM x", "ASK 1 ", "ASK 1 nowhere"] {
            assert!(matches!(of(line), Fault::Refused(_)), "{line}: {:?}", of(line));
        }
    }

    /// What was logged about a node is not said a second time about a request.
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

    /// A node's own words are passed on; what its functions lack is said with what mends it.
    #[test]
    fn a_fault_is_said_in_words() {
        assert_eq!(Fault::Refused("NOPERM no".to_owned()).to_string(), "NOPERM no");
        assert_eq!(Fault::Timeout.to_string(), "the deadline passed before a node replied");
        let missing = Fault::NoFunctions.to_string();
        assert!(missing.contains(functions::library()) && missing.ends_with(MEND), "{missing}");
    }
}
