//! What servers do wrong, by name.

use std::{fmt, time::Duration};

use crate::range::RangeFault;

/// Why a server's answer is not taken.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It is none: no connection, no answer, an end in its middle.
    Transport(String),
    /// The answer's status is an error.
    Status { status: u16, retry_after: Option<Duration> },
    /// The server asks for more patience than a run has.
    TooLater { wait: Duration },
    /// The run has taken as long as one may.
    TooLong,
    /// A redirect to where none may lead.
    Redirect(String),
    /// "Not modified" where nothing was known.
    NotAsked,
    /// The end of the answer could be anywhere.
    Endless,
    /// More bytes than any range has.
    TooLarge,
    /// Fewer bytes a second than any line brings.
    TooSlow,
    /// Packed in a way that was not asked for.
    Encoding(String),
    /// The packed bytes are damaged, or cut.
    Damaged,
    /// The answer is no such range.
    Range(RangeFault),
    /// The same content was sent for another range.
    Repeated { other: String },
}

impl Fault {
    /// True for what may be over soon.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Fault::Transport(_) | Fault::TooSlow => true,
            Fault::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504),
            _ => false,
        }
    }

    /// How long the server asks to wait.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Fault::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Transport(reason) => write!(f, "{reason}"),
            Fault::Status { status, .. } => write!(f, "the server answers with status {status}"),
            Fault::TooLater { wait } => {
                write!(f, "the server asks to be left alone for {} seconds", wait.as_secs())
            }
            Fault::TooLong => {
                f.write_str("the run has taken three days; the next one goes on where it ended")
            }
            Fault::Redirect(to) => {
                write!(f, "the server redirects to {to}; only https on the same host and port is followed")
            }
            Fault::NotAsked => f.write_str("the server says 'not modified' to a first question"),
            Fault::Endless => f.write_str("the answer does not say how long it is, so that it may be cut"),
            Fault::TooLarge => f.write_str("the answer is larger than 4 MiB"),
            Fault::TooSlow => f.write_str("the answer comes at less than 1 KiB a second"),
            Fault::Encoding(name) => write!(f, "the answer is encoded as '{name}'"),
            Fault::Damaged => f.write_str("the packed answer is damaged or cut"),
            Fault::Range(fault) => write!(f, "{fault}"),
            Fault::Repeated { other } => write!(f, "the answer is that of range {other}"),
        }
    }
}

/// A range that cannot be had.
#[derive(Debug)]
pub(crate) struct Refused {
    /// Its name.
    pub(crate) range: String,
    /// How often it was asked for.
    pub(crate) tries: u32,
    /// The last reason.
    pub(crate) fault: Fault,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "range {}: {}", self.range, self.fault)?;
        if self.tries > 1 { write!(f, " (tried {} times)", self.tries) } else { Ok(()) }
    }
}

impl std::error::Error for Refused {}
