//! Ctrl-C and similar signals: unfinished files are removed, the progress bar is cleared, and the process is
//! terminated by the signal, as the waiting shell expects. A second signal terminates it at once. The limit
//! of file size does not end the process: the write fails.

use std::{
    fs, io,
    sync::{Arc, atomic::AtomicBool},
    thread,
};

use nearmiss_filters::storage::abandon_replacements;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag,
    iterator::Signals,
    low_level::emulate_default_handler,
};

use crate::{failure, progress};

/// The signals, with the message for each.
const SIGNALS: [(i32, &str); 3] = [(SIGINT, "interrupted"), (SIGTERM, "terminated"), (SIGHUP, "hung up")];

/// Handles the signals, except the ones that the caller ignores (`nohup`). If they cannot be handled, they
/// terminate the process as usual.
pub(crate) fn watch() {
    // A failure is ignored: it only leaves a file that the next command removes.
    let _ = try_to_watch();
}

fn try_to_watch() -> io::Result<()> {
    let ignored = ignored_signals(&fs::read_to_string("/proc/self/status").unwrap_or_default());
    let watched = SIGNALS.map(|(signal, _)| signal).into_iter().filter(|signal| !is_in(ignored, *signal));
    // A write beyond the limit of file size (`ulimit -f`) is then an error like any other, with its message;
    // programs that this one starts have the default again.
    if !is_in(ignored, SIGXFSZ) {
        flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    }
    // The thread is started first: a signal that is caught but not handled could not terminate the process at
    // all.
    let mut signals = Signals::new::<_, i32>([])?;
    let handle = signals.handle();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        if let Some(signal) = signals.forever().next() {
            end_by(signal);
        }
    })?;
    let was_sent = Arc::new(AtomicBool::new(false));
    for signal in watched {
        handle.add_signal(signal)?;
        // In this order: the first signal finds the flag unset, every further one set.
        flag::register_conditional_default(signal, Arc::clone(&was_sent))?;
        flag::register(signal, Arc::clone(&was_sent))?;
    }
    Ok(())
}

fn end_by(signal: i32) {
    let _abandoned = abandon_replacements();
    progress::clear();
    if let Some((_, words)) = SIGNALS.iter().find(|(known, _)| *known == signal) {
        failure::say(words);
    }
    // It does not return for signals that terminate a process.
    let _ = emulate_default_handler(signal);
}

/// The mask of ignored signals in a `/proc/PID/status` (proc(5)); none if it cannot be read.
fn ignored_signals(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn is_in(mask: u64, signal: i32) -> bool {
    u32::try_from(signal).ok().and_then(|signal| mask.checked_shr(signal.saturating_sub(1))).unwrap_or(0) & 1
        != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_found_in_the_status_of_a_process() {
        let status =
            "Name:\tx\nSigBlk:\t0000000000000002\nSigIgn:\t0000000000001003\nSigCgt:\t0000000000000004\n";
        let ignored = ignored_signals(status);
        assert_eq!([1, 2, 3, 13, 15].map(|signal| is_in(ignored, signal)), [true, true, false, true, false]);
        assert_eq!((ignored_signals(""), ignored_signals("SigIgn:\tno\n")), (0, 0));
        assert!(!is_in(u64::MAX, 100) && !is_in(u64::MAX, -1));
    }
}
