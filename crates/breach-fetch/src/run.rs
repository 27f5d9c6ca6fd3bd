//! A run: reuses existing data, fetches the rest, and installs the new filter when it is complete.

mod marks;
mod settings;
mod start;

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use futures_util::{StreamExt as _, stream};
use nearmiss_filters::{
    dictionary::builder::OrderError,
    storage::{Act, FolderLock},
};
use tokio::runtime::Builder;

pub(crate) use self::settings::Settings;
use self::{marks::Marks, settings::Run, start::Start};
use crate::{
    client::{Client, Fault, Refused},
    clock,
    failure::{Failure, warn},
    groups::{self, RangeGroup, RangeRequest},
    keys,
    making::{CANNOT, Making},
    report::Done,
    watching::Watching,
};

/// A corpus counts as shrunk if it has fewer digests than before by more than this fraction.
const SMALLER: u64 = 100;

/// The number of threads that decompress ranges.
const MAX_THREADS: usize = 4;

/// A run that did not complete.
pub(crate) enum Failed {
    /// Nothing was started.
    Unable(Failure),
    /// The earlier filter stays.
    Stopped(Failure),
}

/// The reason why a filter was not completed.
enum Stopped {
    /// It is too small for the corpus: start again, with this number of digests if they were counted.
    TooSmall(Option<u64>),
    /// The run cannot continue.
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Failed(failure)
    }
}

/// Executes a run.
///
/// # Errors
/// [`Failed`].
pub(crate) fn run(settings: &Settings) -> Result<Done, Failed> {
    let start = Instant::now();
    let _lock = lock(&settings.output).map_err(Failed::Unable)?;
    let client = Client::new(&settings.client, settings.roots.as_deref());
    let client = client.map_err(|e| Failed::Unable(Failure::plain(keys::ARGUMENTS, e)))?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let runtime = Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    let runtime = runtime.map_err(|e| Failed::Unable(Failure::new("cannot start threads", e)))?;
    let run = Run { settings, client: Arc::new(client), runtime };
    let done = run.to_the_end();
    let Run { runtime, .. } = run;
    runtime.shutdown_background();
    done.map(|done| Done { seconds: start.elapsed().as_secs_f64(), ..done }).map_err(Failed::Stopped)
}

fn lock(output: &Path) -> Result<FolderLock, Failure> {
    FolderLock::of(&[output]).map_err(|error| {
        if error.act == Act::Busy {
            let folder = output.parent().unwrap_or(output).display();
            return Failure::plain(
                keys::FILE_BUSY,
                format!("another run is active in {folder}; wait until it ends"),
            );
        }
        Failure::new(CANNOT, error)
    })
}

impl Run<'_> {
    fn to_the_end(&self) -> Result<Done, Failure> {
        let before = self.entries_before();
        let has_before = self.settings.output.exists();
        let mut start = self.start()?;
        loop {
            let is_sized_now = start.is_sized_now;
            match self.make(start, before) {
                Ok(done) => {
                    let state = if has_before { "refreshed" } else { "built" };
                    return Ok(Done { state, ..done });
                }
                Err(Stopped::Failed(failure)) => return Err(failure),
                Err(Stopped::TooSmall(None)) if is_sized_now => {
                    return Err(Failure::plain(
                        keys::BREACHES_REFUSED,
                        "the corpus is larger than estimated from its first ranges; run it again",
                    ));
                }
                Err(Stopped::TooSmall(counted)) => {
                    warn(
                        keys::FETCH_ANEW,
                        "the corpus no longer fits the filter; all ranges are fetched again for a larger one",
                    );
                    start = self.anew(counted)?;
                }
            }
        }
    }

    /// Requests all missing groups, and installs the filter.
    fn make(&self, start: Start, before: Option<u64>) -> Result<Done, Stopped> {
        let Start { mut making, mut earlier, sampled, is_sized_now } = start;
        let of_group = making.header().ranges_of_group();
        let groups = making.header().groups();
        let done_before = making.next * u64::from(of_group);
        let mut watching = Watching::begin(self.settings.is_quiet, done_before, self.form().ranges().into());
        let made = self.runtime.block_on(async {
            let mut sampled = sampled.into_iter();
            let parallel = self.settings.client.parallel;
            let questions = (making.next..groups).map(|number| {
                let first = u32::try_from(number).unwrap_or(u32::MAX).saturating_mul(of_group);
                let sampled = sampled.by_ref().take(of_group as usize).collect();
                let earlier = earlier.as_mut().and_then(|earlier| earlier.next(number).ok()?);
                let question = RangeRequest { ranges: first..first + of_group, earlier, sampled };
                groups::ask(Arc::clone(&self.client), parallel, question)
            });
            let ahead = parallel.div_ceil(of_group as usize) + 1;
            let mut answers = stream::iter(questions).buffered(ahead);
            let mut marks = Marks::new();
            while let Some(group) = answers.next().await {
                let group = group.map_err(Ended::Refused)?;
                let first = u32::try_from(making.next).unwrap_or(u32::MAX).saturating_mul(of_group);
                self.take(&mut making, group, first, &mut marks)?;
                watching.advance(of_group.into(), &self.client.tally);
            }
            Ok(())
        });
        let missing = watching.end();
        made.map_err(|ended| match ended {
            Ended::Refused(refused) => Stopped::Failed(self.refused(&refused, missing)),
            Ended::Failed(failure) if is_crowded(&failure) && !is_sized_now => Stopped::TooSmall(None),
            Ended::Failed(failure) => Stopped::Failed(failure),
        })?;
        if making.is_too_full() {
            return Err(Stopped::TooSmall(Some(making.entries)));
        }
        self.check_size(making.entries, before)?;
        let (copied, resumed, entries) = (making.copied, making.resumed, making.entries);
        let header = making.finish(&self.settings.output, clock::now())?;
        let of = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
        let tally = &self.client.tally;
        Ok(Done {
            file: self.settings.output.clone(),
            ranges: self.form().ranges().into(),
            asked: of(&tally.asked),
            unchanged: of(&tally.unchanged),
            fetched: of(&tally.fetched),
            bytes: of(&tally.bytes),
            groups_resumed: resumed,
            groups_copied: copied,
            groups,
            entries,
            file_bytes: header.file_bytes(),
            false_rejection: header.stated.false_rejection,
            ..Done::default()
        })
    }

    fn take(
        &self,
        making: &mut Making,
        group: RangeGroup,
        first: u32,
        marks: &mut Marks,
    ) -> Result<(), Ended> {
        let ranges = match group {
            RangeGroup::Unchanged(group) => return making.copy(&group).map_err(Ended::Failed),
            RangeGroup::Fetched(ranges) => ranges,
        };
        for (number, range) in (first..).zip(&ranges) {
            if let Some(other) = marks.add(range.mark, number) {
                let fault = Fault::Repeated { other: self.form().name(other) };
                return Err(Ended::Refused(Refused { range: self.form().name(number), tries: 1, fault }));
            }
        }
        making.fill(ranges).map_err(Ended::Failed)
    }

    fn check_size(&self, entries: u64, before: Option<u64>) -> Result<(), Failure> {
        let Some(before) = before.filter(|_| !self.settings.accept_smaller) else { return Ok(()) };
        if entries >= before - before / SMALLER {
            return Ok(());
        }
        Err(Failure::plain(
            keys::BREACHES_REFUSED,
            format!(
                "the corpus has shrunk from {before} to {entries} digests: refused, since leaked passwords \
                 may be missing; --accept-smaller accepts it"
            ),
        ))
    }
}

/// The reason why not all groups were written.
enum Ended {
    Refused(Refused),
    Failed(Failure),
}

fn is_crowded(failure: &Failure) -> bool {
    matches!(failure.source_as(), Some(OrderError::Crowded { .. }))
}
