//! The priority of a line of the system log: shared by the messages and by the host that logs them.

/// The priority of a line of the system log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    Critical,
    Error,
    Warning,
    Notice,
    Info,
    Debug,
}
