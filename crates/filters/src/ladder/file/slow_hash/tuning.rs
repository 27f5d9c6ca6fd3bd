//! Tunes the cost of a new ladder's slow hash on this machine, by processor time.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::{Cost, MAX_MEMORY_KIB, MAX_PASSES, SlowHashError};

/// The target processor time of the slow hash of a new ladder.
pub const USUAL_TIME: Duration = Duration::from_millis(100);

impl Cost {
    /// The processor time of one hash on this machine, now.
    ///
    /// # Errors
    /// As the hash itself.
    pub fn processor_time(self) -> Result<Duration, SlowHashError> {
        shortest(thread_time, || self.hash(&[0; 16], b"tuning").map(drop))
    }
}

/// The cost that takes about `target` of processor time on this machine, at most `max_memory_kib` of memory,
/// and never less than [`Cost::MIN`]: as much memory as two passes fit into the time, then as many passes
/// as fit it.
///
/// It is processor time, not wall-clock time: other load while the ladder is created (a package's
/// installation, for instance) must not weaken the hash for the lifetime of the ladder. Programs that use the
/// memory bus at the same time still make a hash slower, so two passes may take half as long again before the
/// memory is reduced.
///
/// # Errors
/// As the hash itself.
pub fn tune(target: Duration, max_memory_kib: u32) -> Result<Cost, SlowHashError> {
    tune_by(target, max_memory_kib, Cost::processor_time)
}

fn tune_by(
    target: Duration,
    max_memory_kib: u32,
    time_of: impl Fn(Cost) -> Result<Duration, SlowHashError>,
) -> Result<Cost, SlowHashError> {
    let Cost { memory_kib: least_kib, passes: least_passes } = Cost::MIN;
    let mut memory_kib = max_memory_kib.clamp(least_kib, MAX_MEMORY_KIB);
    loop {
        let time = time_of(Cost { memory_kib, passes: least_passes })?;
        if time <= target.saturating_add(target.div_f32(2.0)) || memory_kib == least_kib {
            let pass = time.checked_div(least_passes).unwrap_or(time).as_micros();
            let rounded = target.as_micros().saturating_add(pass >> 1);
            let passes = u32::try_from(rounded.checked_div(pass).unwrap_or(0)).unwrap_or(MAX_PASSES);
            return Ok(Cost { memory_kib, passes: passes.clamp(least_passes, MAX_PASSES) });
        }
        memory_kib = (memory_kib >> 1).max(least_kib);
    }
}

/// The number of runs of a timed hash.
const RUNS: u32 = 5;

/// The shortest of a few runs, by this clock: longer ones suffer from cold caches, or from other programs on
/// the processor.
fn shortest(
    clock: impl Fn() -> Duration,
    run: impl Fn() -> Result<(), SlowHashError>,
) -> Result<Duration, SlowHashError> {
    let mut shortest = Duration::MAX;
    for _ in 0..RUNS {
        let start = clock();
        run()?;
        shortest = shortest.min(clock().saturating_sub(start));
    }
    Ok(shortest)
}

/// The processor time of this thread so far: it does not advance while other threads and processes run.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let part = |part| u32::try_from(part).unwrap_or(0);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), part(time.tv_nsec))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The tuned cost if a pass over a MiB takes this number of microseconds.
    fn tuned(target_ms: u64, max_memory_kib: u32, micros: u64) -> (u32, u32) {
        let time_of = |cost: Cost| {
            let passes_of_a_mib = u64::from(cost.memory_kib()) * u64::from(cost.passes());
            Ok(Duration::from_micros(micros * passes_of_a_mib / 1024))
        };
        let cost = tune_by(Duration::from_millis(target_ms), max_memory_kib, time_of).unwrap();
        assert!(cost.is_enough() && cost.memory_kib() <= max_memory_kib.max(19_456));
        (cost.memory_kib(), cost.passes())
    }

    #[test]
    fn tuning_takes_what_memory_the_time_allows_then_passes_and_stays_above_its_floor() {
        // 64 MiB twice take 51 ms: four passes come nearest to 100.
        assert_eq!(tuned(100, 65_536, 400), (65_536, 4));
        assert_eq!(tuned(115, 65_536, 400), (65_536, 4));
        assert_eq!(tuned(116, 65_536, 400), (65_536, 5));
        assert_eq!(tuned(35, 65_536, 400), (65_536, 2));
        assert_eq!(tuned(34, 65_536, 400), (32_768, 3));
        assert_eq!(tuned(18, 65_536, 400), (32_768, 2));
        assert_eq!(tuned(17, 65_536, 400), (19_456, 2));
        assert_eq!(tuned(17, 65_536, 300), (32_768, 2));
        assert_eq!(tuned(17, 20_000, 300), (20_000, 3));
        assert_eq!(tuned(100, 20_000, 400), (20_000, 13));
        // Nothing is too slow for the floor, nothing so fast that there is no end.
        assert_eq!(tuned(0, 65_536, 400), (19_456, 2));
        assert_eq!(tuned(100, 1, 1_000_000), (19_456, 2));
        assert_eq!(tuned(5000, 65_536, 0), (65_536, 2));
        assert_eq!(tuned(5_000_000, 65_536, 400), (65_536, 1024));
    }

    /// A machine with two clocks: processor time, and wall-clock time, which also advances while others have
    /// the processor.
    struct Machine {
        processor: Cell<Duration>,
        wall: Cell<Duration>,
        /// The number of programs that share the processor.
        load: u32,
        runs: Cell<u32>,
    }

    impl Machine {
        fn with(load: u32) -> Machine {
            let zero = || Cell::new(Duration::ZERO);
            Machine { processor: zero(), wall: zero(), load, runs: Cell::new(0) }
        }

        /// A hash at 750 microseconds a MiB, with others at the memory a thousand; all but one run of five
        /// meet cold caches as well.
        fn run(&self, cost: Cost) {
            let micros = if self.load > 1 { 1000 } else { 750 };
            let micros = micros * u64::from(cost.memory_kib()) * u64::from(cost.passes()) / 1024;
            let extra = if self.runs.get() % 5 == 3 { 1 } else { self.load };
            let processor = Duration::from_micros(micros) * extra;
            self.runs.set(self.runs.get() + 1);
            self.processor.set(self.processor.get() + processor);
            self.wall.set(self.wall.get() + processor * self.load);
        }

        fn tuned_by(&self, clock: &Cell<Duration>) -> Cost {
            let run = |cost| {
                self.run(cost);
                Ok(())
            };
            let time_of = |cost| shortest(|| clock.get(), || run(cost));
            tune_by(USUAL_TIME, MAX_MEMORY_KIB, time_of).unwrap()
        }
    }

    #[test]
    fn load_makes_no_weaker_hash() {
        let idle = Machine::with(1);
        let cost = idle.tuned_by(&idle.processor);
        assert_eq!((cost.memory_kib(), cost.passes()), (65_536, 2));
        for load in [2, 5, 100] {
            let loaded = Machine::with(load);
            assert_eq!(loaded.tuned_by(&loaded.processor), cost);
            // The control: by wall-clock time the cost would fall, to the floor and no further.
            let by_wall = Machine::with(load);
            let weaker = by_wall.tuned_by(&by_wall.wall);
            assert!(weaker.memory_kib() * weaker.passes() < cost.memory_kib() * cost.passes());
            assert!(weaker.is_enough());
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri has no clock of a thread")]
    fn the_clock_is_the_threads_own() {
        let start = thread_time();
        std::thread::sleep(Duration::from_millis(200));
        let other = std::thread::spawn(|| while thread_time() < Duration::from_millis(100) {});
        other.join().unwrap();
        assert!(thread_time().saturating_sub(start) < Duration::from_millis(50), "it went on meanwhile");
        assert!(shortest(thread_time, || Ok(())).unwrap() < Duration::from_millis(50));
        let cost = Cost::new(4096, 2).unwrap();
        assert!(cost.processor_time().unwrap() > Duration::from_micros(100));
    }

    #[test]
    fn a_hash_that_fails_has_no_time() {
        let failing = |_| Err(SlowHashError::Memory);
        assert_eq!(tune_by(USUAL_TIME, MAX_MEMORY_KIB, failing), Err(SlowHashError::Memory));
        assert_eq!(shortest(thread_time, || Err(SlowHashError::Memory)), Err(SlowHashError::Memory));
    }
}
