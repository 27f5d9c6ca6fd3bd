//! The retry policy: a delay after each failure, longer every time and with jitter, and the delay that a
//! server requests for all requests.

#![allow(clippy::arithmetic_side_effects, reason = "waits of at most an hour")]

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use nearmiss_filters::ladder::{RandomSource, SystemRandom};
use tokio::time::{Instant, sleep, sleep_until};

use super::fault::Fault;

/// The longest delay that a server may request.
const LONGEST: Duration = Duration::from_secs(3600);

/// The longest run: ranges that are fetched by then are kept, and the next run resumes there. A server that
/// requests long delays or sends slowly cannot hold a run longer.
const LONGEST_RUN: Duration = Duration::from_secs(3 * 24 * 3600);

/// The longest delay of our own.
const LONGEST_OWN: Duration = Duration::from_secs(60);

/// The delays between attempts.
pub(super) struct Backoff {
    first: Duration,
    /// No request is sent after this time.
    not_after: Instant,
    /// No request is sent before this time.
    not_before: Mutex<Instant>,
}

impl Backoff {
    /// Begins with this delay.
    pub(super) fn new(first: Duration) -> Backoff {
        Backoff { first, not_after: Instant::now() + LONGEST_RUN, not_before: Mutex::new(Instant::now()) }
    }

    /// Waits after the attempt of this number, counted from 1.
    ///
    /// # Errors
    /// [`Fault::TooLater`].
    pub(super) async fn wait(&self, tries: u32, fault: &Fault) -> Result<(), Fault> {
        match fault.retry_after() {
            Some(wait) if wait > LONGEST || Instant::now() + wait > self.not_after => {
                return Err(Fault::TooLater { wait });
            }
            Some(wait) => self.close_for(wait),
            None => sleep(jittered(self.own(tries), random())).await,
        }
        Ok(())
    }

    /// Waits until the server accepts requests.
    ///
    /// # Errors
    /// [`Fault::TooLong`] if the run has reached its time limit.
    pub(super) async fn others(&self) -> Result<(), Fault> {
        let until = *self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        if until > Instant::now() {
            sleep_until(until).await;
        }
        if Instant::now() > self.not_after { Err(Fault::TooLong) } else { Ok(()) }
    }

    fn close_for(&self, wait: Duration) {
        let mut not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        *not_before = (*not_before).max(Instant::now() + wait);
    }

    fn own(&self, tries: u32) -> Duration {
        let factor = 1_u32.checked_shl(tries.saturating_sub(1)).unwrap_or(u32::MAX);
        self.first.saturating_mul(factor).min(LONGEST_OWN)
    }
}

/// A random number; 0 if the system provides none.
fn random() -> u32 {
    let number = SystemRandom.below(1 << 32).ok();
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

/// A random delay between half of this one and all of it.
fn jittered(wait: Duration, random: u32) -> Duration {
    wait / 2 + (wait / 2).mul_f64(f64::from(random) / f64::from(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn status(retry_after: Option<Duration>) -> Fault {
        Fault::Status { status: 429, retry_after }
    }

    #[test]
    fn waits_double_and_are_never_the_same() {
        assert_eq!(
            [0, u32::MAX / 2, u32::MAX].map(|random| jittered(SECOND, random).as_millis()),
            [500, 750, 1000]
        );
    }

    #[tokio::test(start_paused = true)]
    async fn waits_are_those_of_the_server_for_all_and_ours_for_one() {
        let backoff = Backoff::new(SECOND);
        assert_eq!([1, 2, 4, 40].map(|tries| backoff.own(tries).as_secs()), [1, 2, 8, 60]);
        let start = Instant::now();
        backoff.wait(3, &status(None)).await.unwrap();
        assert!((2..=4).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
        backoff.others().await.unwrap();
        assert!(start.elapsed().as_secs() <= 4);
        backoff.wait(1, &status(Some(100 * SECOND))).await.unwrap();
        backoff.wait(1, &status(Some(7 * SECOND))).await.unwrap();
        backoff.others().await.unwrap();
        assert!((102..=105).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
        let refused = backoff.wait(1, &status(Some(3601 * SECOND))).await;
        assert!(matches!(refused, Err(Fault::TooLater { .. })));
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_always_waited_for_holds_no_run_for_weeks() {
        let (backoff, start) = (Backoff::new(SECOND), Instant::now());
        let mut waits = 0;
        while backoff.wait(1, &status(Some(LONGEST))).await.is_ok() {
            backoff.others().await.unwrap();
            waits += 1;
        }
        assert_eq!((waits, start.elapsed() <= LONGEST_RUN), (72, true));
        sleep(LONGEST).await;
        assert!(matches!(backoff.others().await, Err(Fault::TooLong)), "nor one that answers slowly");
    }
}
