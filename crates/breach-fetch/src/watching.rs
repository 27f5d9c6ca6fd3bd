//! The progress of a run: a bar on a terminal, otherwise a line a minute.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of ranges and bytes, far below 2⁶⁴")]

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use crate::{
    client::TransferTally,
    failure::say,
    progress::Progress,
    report::{number, size},
};

/// The time between two lines.
const EACH: Duration = Duration::from_secs(60);

/// Shows the progress of a run.
pub(crate) struct Watching {
    progress: Progress,
    is_quiet: bool,
    ranges: u64,
    total: u64,
    /// Ranges of an interrupted run.
    before: u64,
    start: Instant,
    said: Instant,
}

impl Watching {
    /// Begins with `before` of `total` ranges.
    pub(crate) fn begin(is_quiet: bool, before: u64, total: u64) -> Watching {
        let progress = Progress::new(is_quiet);
        progress.start_counting("fetching", total);
        progress.advance(before);
        let now = Instant::now();
        Watching { progress, is_quiet, ranges: before, total, before, start: now, said: now }
    }

    /// Advances to this number of ranges.
    pub(crate) fn reach(&mut self, reached: u64, tally: &TransferTally) {
        let ranges = reached.saturating_sub(self.ranges);
        self.ranges = self.ranges.max(reached);
        self.progress.advance(ranges);
        let rate = tally.bytes.load(Ordering::Relaxed) as f64 / self.start.elapsed().as_secs_f64().max(0.001);
        self.progress.note(format!("{}/s", size(rate)));
        if self.said.elapsed() >= EACH {
            self.said = Instant::now();
            self.say(rate);
        }
    }

    fn say(&self, rate: f64) {
        if self.is_quiet || self.progress.is_shown() {
            return;
        }
        let done = (self.ranges - self.before).max(1);
        let left = self.start.elapsed().mul_f64((self.total - self.ranges) as f64 / done as f64);
        let (ranges, total) = (number(self.ranges), number(self.total));
        say(&format!("{ranges} of {total} ranges, {}/s, {} minutes left", size(rate), left.as_secs() / 60));
    }

    /// Removes the bar from the screen.
    pub(crate) fn end(self) {
        self.progress.finish();
    }
}
