//! The faults of servers.

use std::{fmt, time::Duration};

use crate::range::RangeFault;

/// The reason why a server's response is refused.
#[derive(Debug)]
pub(crate) enum Fault {
    /// There is none: no connection, no response, or an incomplete one.
    Transport(String),
    /// The status is an error.
    Status { status: u16, retry_after: Option<Duration> },
    /// The server requests a longer delay than a run allows.
    TooLater { wait: Duration },
    /// The run has reached its time limit.
    TooLong,
    /// A redirect to a forbidden target.
    Redirect(String),
    /// "Not modified" without a condition in the request.
    NotAsked,
    /// The response has no length.
    Endless,
    /// The response is larger than any range.
    TooLarge,
    /// The transfer is slower than any usable connection.
    TooSlow,
    /// The response has an encoding that was not requested.
    Encoding(String),
    /// The compressed bytes are damaged or truncated.
    Damaged,
    /// The response is not a valid range.
    Range(RangeFault),
    /// Too many ranges failed before: this one was not requested.
    GivenUp,
    /// The same content was sent for another range.
    Repeated { other: String },
}

impl Fault {
    /// True for a fault that may be temporary.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Fault::Transport(_) | Fault::TooSlow => true,
            Fault::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504),
            _ => false,
        }
    }

    /// True for a fault that all further ranges would have.
    pub(super) fn is_of_all(&self) -> bool {
        matches!(self, Fault::TooLater { .. } | Fault::TooLong | Fault::Redirect(_))
    }

    /// The delay that the server requests.
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
            Fault::GivenUp => f.write_str("it was not requested, since too many others failed"),
            Fault::Repeated { other } => write!(f, "the response repeats range {other}"),
        }
    }
}

/// A range that cannot be fetched.
#[derive(Debug)]
pub(crate) struct Refused {
    /// Its name.
    pub(crate) range: String,
    /// The number of attempts.
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
