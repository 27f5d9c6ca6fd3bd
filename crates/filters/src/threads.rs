//! Work that is divided among threads, as far as the system makes some.

use std::{
    panic::resume_unwind,
    sync::{Mutex, PoisonError},
    thread,
};

/// `work` on each of the parts, on as many threads as there are parts; the results are in the order of the
/// parts.
///
/// This thread is one of them: where the system makes no further thread (a limit on processes of a user, a
/// service or a container), it does the work of the missing ones, too. A panic of `work` continues here.
pub fn on_threads<P: Send, R: Send>(
    parts: impl IntoIterator<Item = P>,
    work: impl Fn(P) -> R + Sync,
) -> Vec<R> {
    let parts: Vec<P> = parts.into_iter().collect();
    let further = parts.len().saturating_sub(1);
    let waiting = Mutex::new(parts.into_iter().enumerate());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        let mut done = Vec::new();
        while let Some((at, part)) = next() {
            done.push((at, work(part)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let start = |_| thread::Builder::new().spawn_scoped(scope, run).ok();
        let started: Vec<_> = (0..further).map_while(start).collect();
        let mut done = run();
        for thread in started {
            done.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use std::{panic::catch_unwind, sync::Barrier};

    use super::*;

    #[test]
    fn each_part_is_worked_on_once_and_the_order_is_kept() {
        for count in [0_u32, 1, 2, 50] {
            let mut parts: Vec<u32> = (0..count).collect();
            let doubled = on_threads(&mut parts, |part| {
                *part += 1;
                *part * 2
            });
            assert_eq!(doubled, (1..=count).map(|part| part * 2).collect::<Vec<_>>());
            assert_eq!(parts, (1..=count).collect::<Vec<_>>());
        }
    }

    /// Each waits for the others.
    #[test]
    fn all_parts_are_worked_on_at_once() {
        let all = Barrier::new(4);
        let leaders = on_threads(0..4, |_| all.wait().is_leader());
        assert_eq!(leaders.into_iter().filter(|is_leader| *is_leader).count(), 1);
    }

    #[test]
    fn a_panic_is_not_lost() {
        let run = || on_threads(0..3, |part| assert_ne!(part, 1));
        assert!(catch_unwind(run).is_err());
    }
}
