//! The queue for the workers, and its admission control: a job that cannot be started in time is turned away
//! at once, so that its sender can send it again, and jobs before it are not delayed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    time::Duration,
};

use super::{OF_USE, QUEUE, job::Job};

/// The weight of a new duration in the mean, as a power of two: 1/8.
const SHARE: u32 = 3;

/// The load of the workers.
#[derive(Debug)]
pub(super) struct Work {
    workers: usize,
    /// The number of queued and running jobs.
    open: AtomicUsize,
    /// The mean duration of a job, in microseconds.
    usual: AtomicU64,
}

impl Work {
    pub(super) fn new(workers: usize) -> Work {
        Work { workers: workers.max(1), open: AtomicUsize::new(0), usual: AtomicU64::new(0) }
    }

    /// One worker, with a duration of a second for each job.
    #[cfg(test)]
    pub(super) fn slow() -> Work {
        Work { usual: AtomicU64::new(1_000_000), ..Work::new(1) }
    }

    /// True if a worker would start one more job in time: the jobs before it are processed in rounds, one for
    /// each worker. The duration of the job itself is bounded by its deadline: jobs for a node that does not
    /// reply take long, and must not lead to turning away jobs for other nodes.
    fn has_time(&self) -> bool {
        let rounds = self.open.load(Relaxed).checked_div(self.workers).unwrap_or(0);
        let rounds = u64::try_from(rounds).unwrap_or(u64::MAX);
        let of_use = u64::try_from(OF_USE.as_micros()).unwrap_or(u64::MAX);
        rounds.saturating_mul(self.usual.load(Relaxed)) <= of_use
    }

    /// Records a finished job and its duration.
    pub(super) fn done(&self, after: Duration) {
        self.open.fetch_sub(1, Relaxed);
        let took = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        let usual = self.usual.load(Relaxed);
        // Of two concurrent updates one may be lost, which changes little.
        self.usual.store(usual.saturating_sub(usual >> SHARE).saturating_add(took >> SHARE), Relaxed);
    }
}

/// The sending side of the queue.
pub(super) struct Queue {
    jobs: SyncSender<Job>,
    work: Arc<Work>,
}

/// The reason why a job was refused.
pub(super) enum Refusal {
    /// It cannot be started in time.
    Full(Job),
    /// Every worker has ended.
    Over,
}

impl Queue {
    /// A queue, and its receiving side for the workers.
    pub(super) fn new(work: Arc<Work>) -> (Queue, Receiver<Job>) {
        let (jobs, at_workers) = sync_channel(QUEUE);
        (Queue { jobs, work }, at_workers)
    }

    /// Queues a job, if there is time for it.
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

    /// Eight workers that need 20 ms for each job: eight jobs are started at once, eight after 20 ms, eight
    /// after 40 ms, and the 25th would be started after 60 ms.
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
