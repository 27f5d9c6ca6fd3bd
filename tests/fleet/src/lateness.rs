//! The lateness of the machine itself beside a test: an answer that misses a deadline of milliseconds for
//! that reason is no fault of what is tested. On a machine that is never late, nothing is excused.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{JoinHandle, sleep, spawn},
    time::{Duration, Instant},
};

/// The control's sleep, and the excess of a sleep that is late.
const SLEEP: Duration = Duration::from_millis(5);
const LATE: Duration = Duration::from_millis(10);
/// A call waits for so many processes, one after the other: caller, agent, server, agent, caller.
const WAKES_OF_A_CALL: u32 = 5;
/// One call that is late has the agent leave the node alone for so long.
const BREAK: Duration = Duration::from_millis(250);

/// Short sleeps beside a test.
pub struct Control(Arc<AtomicBool>, JoinHandle<Lateness>);

/// The result of the sleeps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lateness {
    slept: u32,
    late: u32,
    longest: Duration,
    lasted: Duration,
}

impl Control {
    /// Sleeps until it is stopped.
    pub fn start() -> Control {
        let is_over = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&is_over);
        let measure = move || {
            let (mut seen, whole) = (Lateness::default(), Instant::now());
            while !end.load(Relaxed) {
                let begin = Instant::now();
                sleep(SLEEP);
                let over = begin.elapsed().saturating_sub(SLEEP);
                seen.slept += 1;
                seen.late += u32::from(over > LATE);
                seen.longest = seen.longest.max(over);
            }
            Lateness { lasted: whole.elapsed(), ..seen }
        };
        Control(is_over, spawn(measure))
    }

    /// Ends the sleeps.
    pub fn end(self) -> Lateness {
        self.0.store(true, Relaxed);
        self.1.join().expect("the control ends")
    }
}

impl Lateness {
    /// The share of sleeps that were late.
    pub fn share(&self) -> f64 {
        f64::from(self.late) / f64::from(self.slept.max(1))
    }

    /// True if the machine was late at all.
    pub fn is_late(&self) -> bool {
        self.late > 0
    }

    /// The share of calls that this may have cost: those that were late, and those that met the breaks after.
    pub fn excused(&self) -> f64 {
        let breaks = f64::from(self.late) * BREAK.as_secs_f64() / self.lasted.as_secs_f64().max(0.001);
        (self.share() * f64::from(WAKES_OF_A_CALL) + breaks).min(1.0)
    }

    /// The excess that a call may have taken.
    pub fn delay(&self) -> Duration {
        self.longest * WAKES_OF_A_CALL
    }
}
