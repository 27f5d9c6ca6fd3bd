//! What changes is logged, as AUTHPRIV: a filter that decides over passwords was built or replaced.

use syslog::{Facility, Formatter3164};

/// Logs one line. A system without a log does not make the change fail.
pub(crate) fn changed(message: &str) {
    let formatter = Formatter3164 {
        facility: Facility::LOG_AUTHPRIV,
        hostname: None,
        process: "filterctl".to_owned(),
        pid: std::process::id(),
    };
    if let Ok(mut log) = syslog::unix(formatter) {
        let _ = log.notice(message);
    }
}
