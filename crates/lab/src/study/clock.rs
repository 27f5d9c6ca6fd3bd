//! Processor time of this thread: what a measurement takes, whatever else the machine does meanwhile.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// A stopwatch that runs while this thread does.
pub(crate) struct Stopwatch(Timespec);

impl Stopwatch {
    /// Starts it.
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(clock_gettime(ClockId::ThreadCPUTime))
    }

    /// Nanoseconds since the start, for each of `count`.
    pub(crate) fn nanoseconds_each(&self, count: u64) -> f64 {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        let (seconds, nanoseconds) = (now.tv_sec - self.0.tv_sec, now.tv_nsec - self.0.tv_nsec);
        (seconds as f64 * 1e9 + nanoseconds as f64) / count.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_while_work_is_done() {
        let watch = Stopwatch::start();
        let before = watch.nanoseconds_each(1);
        let sum: u64 = (0..20_000_000_u64).map(|i| std::hint::black_box(i) % 7).sum();
        assert!(sum > 0 && watch.nanoseconds_each(1) > before);
    }
}
