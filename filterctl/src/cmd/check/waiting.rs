//! Candidates that take long, as with a ladder's slow hash: verdicts are printed batch by batch, and a
//! terminal shows the progress.

use std::{
    io::IsTerminal,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use nearmiss_cli::progress::Progress;

/// Candidates of a batch, for each thread: a second or two with a slow hash, milliseconds without.
const LINES: usize = 32;

/// Work that takes less shows no progress.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// The progress of the candidates.
pub(super) struct WaitNotice {
    progress: Progress,
    began: Instant,
    all: Option<u64>,
    done: AtomicU64,
    is_shown: AtomicBool,
}

impl WaitNotice {
    /// The progress before the first byte, of `all` bytes if their number is known. Nothing is shown while
    /// candidates are typed.
    pub(super) fn new(all: Option<u64>) -> WaitNotice {
        let progress = Progress::new(std::io::stdin().is_terminal());
        let (done, is_shown) = (AtomicU64::new(0), AtomicBool::new(false));
        WaitNotice { progress, began: Instant::now(), all, done, is_shown }
    }

    /// Records that the candidate of a line of this many bytes is done, on any thread.
    pub(super) fn advance(&self, bytes: usize) {
        let bytes = bytes as u64;
        let done = self.done.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if self.is_shown() {
            self.progress.advance(bytes);
        } else if self.began.elapsed() > SHOWN_AFTER && !self.is_shown.swap(true, Ordering::Relaxed) {
            match self.all {
                Some(all) => self.progress.start("checking", all),
                None => self.progress.start_endless("checking"),
            }
            self.progress.advance(done);
        }
    }

    fn is_shown(&self) -> bool {
        self.is_shown.load(Ordering::Relaxed)
    }

    /// Runs an act that may write to the screen.
    pub(super) fn aside<T>(&self, act: impl FnOnce() -> T) -> T {
        if self.is_shown() { self.progress.aside(act) } else { act() }
    }

    /// Takes the bar off the screen.
    pub(super) fn finish(&self) {
        if self.is_shown() {
            self.progress.finish();
        }
    }
}

/// Splits whole lines into batches with a few lines for each thread.
pub(super) fn batches(lines: &[u8], threads: usize) -> impl Iterator<Item = &[u8]> {
    let most = LINES.saturating_mul(threads.max(1));
    let mut rest = lines;
    std::iter::from_fn(move || {
        let end = memchr::memchr_iter(b'\n', rest).nth(most.saturating_sub(1));
        let (batch, behind) = rest.split_at_checked(end.map_or(rest.len(), |end| end.saturating_add(1)))?;
        rest = behind;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_all_the_lines_in_order() {
        for count in [0, 1, 31, 32, 33, 64, 100] {
            for end in ["", "the last"] {
                let text: String = (0..count).map(|n| format!("{n}\n")).chain([end.to_owned()]).collect();
                for threads in [0, 1, 2] {
                    let parts: Vec<&[u8]> = batches(text.as_bytes(), threads).collect();
                    assert_eq!(parts.concat(), text.as_bytes());
                    let lines = |part: &&[u8]| part.split_inclusive(|byte| *byte == b'\n').count();
                    assert!(parts.iter().all(|part| (1..=LINES * threads.max(1)).contains(&lines(part))));
                    let (_, whole) = parts.split_last().unwrap_or((&&b""[..], &[]));
                    assert!(whole.iter().all(|part| part.ends_with(b"\n")));
                }
            }
        }
    }
}
