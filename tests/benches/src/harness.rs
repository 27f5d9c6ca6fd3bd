//! Medians over interleaved rounds: in each round every contender runs once, so that whatever else the
//! machine does hits all of them alike and a ratio means something.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};

/// Rounds of a race; odd, so that the median is one of them.
pub const ROUNDS: usize = 7;

/// One side of a comparison: a name and a run that answers nanoseconds per operation.
pub struct Contender<'a> {
    pub name: String,
    run: Box<dyn FnMut() -> f64 + 'a>,
}

impl<'a> Contender<'a> {
    /// A contender that measures itself.
    pub fn timed(name: impl Into<String>, run: impl FnMut() -> f64 + 'a) -> Contender<'a> {
        Contender { name: name.into(), run: Box::new(run) }
    }

    /// A contender that does `one` with each input on this thread, first once for the caches, which the
    /// others have emptied, then once for the clock; nanoseconds of processor time an input.
    pub fn each<T>(
        name: impl Into<String>,
        inputs: &'a [T],
        mut one: impl FnMut(&T) -> bool + 'a,
    ) -> Contender<'a> {
        Contender::timed(name, move || {
            let mut run = || {
                let start = processor_time();
                for input in inputs {
                    black_box(one(black_box(input)));
                }
                (processor_time() - start) / inputs.len().max(1) as f64
            };
            run();
            run()
        })
    }
}

/// Nanoseconds of processor time of this thread: what another process takes away is not counted.
pub fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The median of each contender over [`ROUNDS`] rounds, after one to warm up.
pub fn race(contenders: &mut [Contender]) -> Vec<f64> {
    let mut times = vec![Vec::new(); contenders.len()];
    for round in 0..=ROUNDS {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            let time = (contender.run)();
            if round > 0 {
                times.push(time);
            }
        }
    }
    times.into_iter().map(median).collect()
}

/// The middle value.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
