//! What goes wrong between the agent and a node, or what a node says instead of a reply.

use std::fmt;

use redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::{address::Address, functions};

/// What an administrator does about functions.
pub const MEND: &str = "filterctl fleet init --functions loads them";

/// What a node said instead of a reply, or that it said nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing, or not to be understood; the connection is closed.
    Unreachable(String),
    /// It does not have the functions, or not any more.
    NoFunctions,
    /// Under their name it has others.
    OtherFunctions,
    /// Another node has the slot; where the address could be read, which.
    Moved(Option<Address>),
    /// Another node has this key by now.
    Ask(Address),
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
    /// Whether it was logged as what a node said when it came.
    pub fn is_of_node(&self) -> bool {
        matches!(
            self,
            Fault::Unreachable(_)
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
            ErrorKind::Server(
                ServerErrorKind::BusyLoading
                | ServerErrorKind::ClusterDown
                | ServerErrorKind::MasterDown
                | ServerErrorKind::ReadOnly,
            ) => Fault::Unavailable(words()),
            ErrorKind::Server(_) if words().contains("Function not found") => Fault::NoFunctions,
            _ => Fault::Refused(words()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unreachable(words) | Fault::Unavailable(words) | Fault::Refused(words) => {
                f.write_str(words)
            }
            Fault::NoFunctions => write!(f, "the functions {} are not there; {MEND}", functions::library()),
            Fault::OtherFunctions => {
                write!(f, "the functions {} are not this agent's; {MEND}", functions::library())
            }
            Fault::Moved(_) | Fault::Ask(_) => f.write_str("the slot moves from node to node"),
            Fault::TryAgain => f.write_str("the slot is on its way to another node"),
            Fault::UnexpectedReply(key) => write!(f, "{key}: a reply that none of the functions gives"),
            Fault::NoOwner => f.write_str("no node is known that has the slot"),
            Fault::Timeout => f.write_str("no time left"),
        }
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &str, detail: &str) -> Fault {
        Fault::of(&redis::make_extension_error(code.to_owned(), Some(detail.to_owned())))
    }

    #[test]
    fn an_error_in_place_of_a_reply_is_not_silence() {
        for (code, detail) in [("WRONGPASS", "invalid"), ("OOM", "x"), ("ERR", "Function not found")] {
            assert!(matches!(of(code, detail), Fault::Refused(_) | Fault::NoFunctions), "{code}");
        }
    }
}
