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
            Fault::Status { status, .. } => write!(f, "the server returns status {status}"),
            Fault::TooLater { wait } => {
                write!(
                    f,
                    "the server asks to retry after {} seconds, longer than a run waits",
                    wait.as_secs()
                )
            }
            Fault::TooLong => {
                f.write_str("the run has reached its limit of three days; run it again to resume")
            }
            Fault::Redirect(to) => {
                write!(f, "the server redirects to {to}; only https on the same host and port is followed")
            }
            Fault::NotAsked => f.write_str("the server returns 'not modified' to an unconditional request"),
            Fault::Endless => f.write_str("the response has no length, so truncation could not be detected"),
            Fault::TooLarge => f.write_str("the response is larger than 4 MiB"),
            Fault::TooSlow => f.write_str("the transfer is slower than 1 KiB/s"),
            Fault::Encoding(name) => {
                write!(f, "the response has the encoding '{name}', which was not requested")
            }
            Fault::Damaged => f.write_str("the compressed response is damaged or truncated"),
            Fault::Range(fault) => write!(f, "{fault}"),
            Fault::Repeated { other } => write!(f, "the response repeats range {other}"),
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
