//! A second cluster, at another site: it is stepped like the first, and a request gets the higher of both
//! heights. Arrays cannot be merged, so each site has its own under the same key.
//!
//! Neither waits for the other: the last to finish replies. The remote cluster has its own deadline, after
//! which it counts as down; if none of its workers is free, a step is queued for them without waiting.

use std::{
    os::unix::net::UnixStream,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc::SyncSender,
    },
    time::{Duration, Instant},
};

use nearmiss_filters::ladder::fleet::frame::{Op, Request};

use crate::{
    cluster::{Cluster, Fault},
    shards::Done,
};

/// The result of one site.
pub(super) type Half = Result<Done, Fault>;

/// A client that waits for two sites.
pub(super) struct Both {
    pub(super) peer: UnixStream,
    first: Mutex<Option<Half>>,
}

impl Both {
    /// The combined result for the last to finish; none for the first.
    pub(super) fn join(&self, own: Half) -> Option<Whole> {
        let mut first = self.first.lock().ok()?;
        if let Some(other) = first.take() {
            return Some(higher(other, own));
        }
        *first = Some(own);
        None
    }
}

/// The combined result of all sites.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Whole {
    pub(super) half: Half,
    /// True if the result is incomplete: a site was late, or overloaded.
    pub(super) is_late: bool,
}

impl Whole {
    /// The result of the only queried site.
    pub(super) fn of(half: Half) -> Whole {
        let is_late = half.as_ref().is_err_and(Fault::is_late);
        Whole { half, is_late }
    }
}

fn higher(one: Half, other: Half) -> Whole {
    let is_late = [&one, &other].into_iter().any(|half| half.as_ref().is_err_and(Fault::is_late));
    let half = match (one, other) {
        (Ok(one), Ok(other)) => {
            Ok(Done { height: one.height.max(other.height), is_counted: one.is_counted || other.is_counted })
        }
        (Ok(done), Err(_)) | (_, Ok(done)) => Ok(done),
        (Err(fault), Err(_)) => Err(fault),
    };
    Whole { half, is_late }
}

/// The receiver of the reply.
pub(super) enum To {
    /// This client.
    One(UnixStream),
    /// This client, with a note that the other site is overloaded.
    Half(UnixStream),
    /// This client, when both sites have finished.
    Both(Arc<Both>),
    /// None: only the step is needed.
    Nobody,
}

/// A request to the far site.
pub(super) struct FarJob {
    pub(super) request: Request,
    pub(super) end: Instant,
    pub(super) to: To,
}

/// The second cluster, and the queue of its workers.
pub(super) struct Far {
    pub(super) cluster: Cluster,
    /// The time after a request for which its reply is waited for.
    timeout: Duration,
    workers: usize,
    busy: AtomicUsize,
    jobs: SyncSender<FarJob>,
}

impl Far {
    pub(super) fn new(cluster: Cluster, timeout: Duration, workers: usize, jobs: SyncSender<FarJob>) -> Far {
        Far { cluster, timeout, workers, busy: AtomicUsize::new(0), jobs }
    }

    /// Passes a request to the far site, and returns the receiver of the near site's reply.
    pub(super) fn hand_over(&self, request: &Request, arrived: Instant, peer: UnixStream) -> To {
        let end = arrived.checked_add(self.timeout).unwrap_or(arrived);
        let job = |to| FarJob { request: request.clone(), end, to };
        if self.busy.load(Relaxed) >= self.workers {
            if request.op != Op::Height {
                let _ = self.send(job(To::Nobody));
            }
            return To::Half(peer);
        }
        let both = Arc::new(Both { peer, first: Mutex::default() });
        match self.send(job(To::Both(Arc::clone(&both)))) {
            Ok(()) => To::Both(both),
            // It was not accepted: only this side replies to the client.
            Err(()) => Arc::into_inner(both).map_or(To::Nobody, |both| To::Half(both.peer)),
        }
    }

    fn send(&self, job: FarJob) -> Result<(), ()> {
        self.busy.fetch_add(1, Relaxed);
        self.jobs.try_send(job).map_err(|_| {
            self.busy.fetch_sub(1, Relaxed);
        })
    }

    /// Records that a job is done.
    pub(super) fn done(&self) {
        self.busy.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;
    use crate::fake_node;

    #[test]
    fn the_later_site_sends_the_higher_of_both() {
        let both = || Both { peer: UnixStream::pair().unwrap().0, first: Mutex::default() };
        let done = |height, is_counted| Ok(Done { height, is_counted });
        for (one, other, half, is_late) in [
            (done(3, true), done(9, false), done(9, true), false),
            (Err(Fault::Timeout), done(9, false), done(9, false), true),
            (done(4, true), Err(Fault::NoOwner), done(4, true), false),
            (Err(Fault::Timeout), Err(Fault::NoOwner), Err(Fault::Timeout), true),
            (Err(Fault::NoOwner), Err(Fault::Timeout), Err(Fault::NoOwner), true),
            (Err(Fault::NoOwner), Err(Fault::NoOwner), Err(Fault::NoOwner), false),
        ] {
            let both = both();
            assert_eq!(both.join(one), None);
            assert_eq!(both.join(other), Some(Whole { half, is_late }));
        }
    }

    /// If no worker of the far site is free, it is not waited for, and only takes steps.
    #[test]
    fn a_far_site_that_is_busy_is_left_the_steps_alone() {
        let (to_far, jobs) = sync_channel(8);
        let far = Far::new(fake_node::cluster(&[]), Duration::from_millis(30), 0, to_far);
        let observe = Op::Observe { bucket: 1, fingerprint: 2 };
        for (op, is_left) in [(Op::Height, false), (Op::Step, true), (observe, true)] {
            let request = Request { op, tag: [1; 4], log_bits: 29, page: 3, steps: 1, places: vec![7] };
            let peer = UnixStream::pair().unwrap().0;
            assert!(matches!(far.hand_over(&request, Instant::now(), peer), To::Half(_)));
            let left = jobs.try_recv().ok();
            assert_eq!(left.map(|job| matches!(job.to, To::Nobody)), is_left.then_some(true), "{op:?}");
        }
    }
}
