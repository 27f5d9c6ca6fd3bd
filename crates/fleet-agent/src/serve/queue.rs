//! What waits for a worker, and whether one more can be begun in time: what cannot is turned away before it
//! waits, so that its sender can send it again, and those before it are not held up.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    time::Duration,
};

use super::{OF_USE, QUEUE, job::Job};

/// Of a new duration, this share goes into the usual one: 1/8.
const SHARE: u32 = 3;

/// How much there is to do.
#[derive(Debug)]
pub(super) struct Work {
    workers: usize,
    /// Jobs that wait or are being done.
    open: AtomicUsize,
    /// How long a job usually keeps a worker, in microseconds.
    usual: AtomicU64,
}

impl Work {
    pub(super) fn new(workers: usize) -> Work {
        Work { workers: workers.max(1), open: AtomicUsize::new(0), usual: AtomicU64::new(0) }
    }

    /// One worker, which each job keeps for a second.
    #[cfg(test)]
    pub(super) fn slow() -> Work {
        Work { usual: AtomicU64::new(1_000_000), ..Work::new(1) }
    }

    /// Whether a worker would take one more in time: the jobs before it are done in rounds, one for each
    /// worker. What the job itself takes is left to its deadline: jobs for a node that does not answer last
    /// long, and those for other nodes are not to be turned away for it.
    fn has_time(&self) -> bool {
        let rounds = self.open.load(Relaxed).checked_div(self.workers).unwrap_or(0);
        let rounds = u64::try_from(rounds).unwrap_or(u64::MAX);
        let of_use = u64::try_from(OF_USE.as_micros()).unwrap_or(u64::MAX);
        rounds.saturating_mul(self.usual.load(Relaxed)) <= of_use
    }

    /// A job was done, and kept a worker for so long.
    pub(super) fn done(&self, after: Duration) {
        self.open.fetch_sub(1, Relaxed);
        let took = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        let usual = self.usual.load(Relaxed);
        // Two workers at once may lose one of the two, which changes little.
        self.usual.store(usual.saturating_sub(usual >> SHARE).saturating_add(took >> SHARE), Relaxed);
    }
}

/// The way to the workers.
pub(super) struct Queue {
    jobs: SyncSender<Job>,
    work: Arc<Work>,
}

/// Why a job was not taken.
pub(super) enum Refusal {
    /// It cannot be begun in time.
    Full(Job),
    /// Every worker has ended.
    Over,
}

impl Queue {
    /// A queue, and its end for the workers.
    pub(super) fn new(work: Arc<Work>) -> (Queue, Receiver<Job>) {
        let (jobs, at_workers) = sync_channel(QUEUE);
        (Queue { jobs, work }, at_workers)
    }

    /// Has a job done, if there is time for it.
    pub(super) fn add(&self, job: Job) -> Result<(), Refusal> {
        if !self.work.has_time() {
            return Err(Refusal::Full(job));
        }
        self.work.open.fetch_add(1, Relaxed);
        let added = self.jobs.try_send(job);
        if added.is_err() {
            self.work.open.fetch_sub(1, Relaxed);
        }
        added.map_err(|error| match error {
            TrySendError::Full(job) => Refusal::Full(job),
            TrySendError::Disconnected(_) => Refusal::Over,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight workers that need 20 ms for each job: eight jobs are begun at once, eight after 20 ms, eight
    /// after 40 ms, and the 25th would be begun after 60 ms.
    #[test]
    fn what_cannot_be_done_in_time_is_not_taken() {
        let taken = |usual: u64| {
            let work = Work::new(8);
            work.usual.store(usual, Relaxed);
            let fits = std::iter::from_fn(|| work.has_time().then(|| work.open.fetch_add(1, Relaxed)));
            fits.take(1000).count()
        };
        assert_eq!([20_000, 22_500, 22_501, 15_000, 1_000_000].map(taken), [24, 24, 16, 32, 8]);
        assert_eq!(taken(0), 1000, "nothing is known yet");
    }

    #[test]
    fn the_usual_time_follows_what_jobs_take() {
        let work = Work::new(1);
        for (millis, least, most) in [(20, 19_900, 20_000), (1, 1_000, 1_100)] {
            for _ in 0..64 {
                work.open.fetch_add(1, Relaxed);
                work.done(Duration::from_millis(millis));
            }
            let usual = work.usual.load(Relaxed);
            assert!((least..=most).contains(&usual), "{usual}");
        }
        assert_eq!(work.open.load(Relaxed), 0);
    }
}
