//! A run: reuses existing data, fetches the rest, and installs the new filter when it is complete.

mod marks;
mod settings;
mod start;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use futures_util::{StreamExt as _, stream};
use nearmiss_cli::replaceable::begins_like;
use nearmiss_filters::{
    dictionary::builder::OrderError,
    format::MAGIC,
    storage::{Act, FolderLock},
};
use tokio::runtime::Builder;

pub(crate) use self::settings::Settings;
use self::{marks::Marks, settings::Run, start::Start};
use crate::{
    client::{Client, Fault, Refused},
    clock,
    earlier::PreviousRun,
    failure::{Failure, warn},
    groups::{self, Fetched, RangeGroup, RangeRequest},
    keys,
    making::{CANNOT, Making, ranges_of},
    range::Range,
    report::{self, Done},
    watching::Watching,
};

/// A corpus counts as shrunk if it has fewer digests than before by more than this fraction.
const SMALLER: u64 = 100;

/// The reason that stays if a run is killed.
const UNFINISHED: &str = "the run did not end: it still runs, or it was stopped or killed";

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
    refuse_other_files(&settings.output).map_err(Failed::Unable)?;
    // The result of a run that is killed.
    report::keep(&settings.output, clock::now(), Err(UNFINISHED));
    let run = prepared(settings).map_err(|failure| {
        report::keep(&settings.output, clock::now(), Err(&failure.to_string()));
        Failed::Unable(failure)
    })?;
    let done = run.to_the_end();
    let Run { runtime, .. } = run;
    runtime.shutdown_background();
    done.map(|done| Done { seconds: start.elapsed().as_secs_f64(), ..done }).map_err(Failed::Stopped)
}

/// Refuses to replace a file that is no filter, unless an earlier run was for the same output: a damaged
/// filter is replaced. The same of the result of the last run.
fn refuse_other_files(output: &Path) -> Result<(), Failure> {
    let result = report::path(output);
    let refused = |file: &Path, what: &str| {
        let message = "refused to overwrite it; name another file, or remove it first";
        Err(Failure::plain(keys::FILE_NOT_REPLACED, format!("{}: {what}; {message}", file.display())))
    };
    if !begins_like(&result, report::START) {
        return refused(&result, "is not the result of a run");
    }
    if !begins_like(output, &MAGIC) && !result.exists() {
        return refused(output, "is not a filter");
    }
    Ok(())
}

/// A run with all that it needs before its first request.
fn prepared(settings: &Settings) -> Result<Run<'_>, Failure> {
    let client = Client::new(&settings.client, settings.roots.as_deref());
    let client = client.map_err(|e| Failure::plain(keys::ARGUMENTS, e))?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let runtime = Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    let runtime = runtime.map_err(|e| Failure::new("cannot start threads", e))?;
    Ok(Run { settings, client: Arc::new(client), runtime })
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
        let Start { mut making, earlier, sampled, is_sized_now } = start;
        let groups = making.header().groups();
        let total = u64::from(self.form().ranges());
        let mut watching = Watching::begin(self.settings.is_quiet, total - making.missing(), total);
        let made = self.runtime.block_on(self.ask_for_all(&mut making, earlier, sampled, &mut watching));
        watching.end();
        match made {
            Ok(refused) if refused.is_empty() => {}
            Ok(refused) => return Err(Stopped::Failed(self.refused(&refused, making.missing()))),
            Err(failure) if is_crowded(&failure) && !is_sized_now => return Err(Stopped::TooSmall(None)),
            Err(failure) => return Err(Stopped::Failed(failure)),
        }
        let entries = making.entries();
        if making.is_too_full()? {
            return Err(Stopped::TooSmall(Some(entries)));
        }
        self.check_size(entries, before)?;
        let (copied, resumed) = (making.copied, making.resumed);
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

    /// Requests all groups that are not written, and then once more the ranges that failed; returns those
    /// that failed again.
    async fn ask_for_all(
        &self,
        making: &mut Making,
        earlier: Option<PreviousRun>,
        sampled: BTreeMap<u32, Range>,
        watching: &mut Watching,
    ) -> Result<Vec<Refused>, Failure> {
        let mut marks = Marks::new();
        let refused = self.pass(making, earlier, sampled, (&mut marks, watching)).await?;
        if refused.is_empty() || self.client.has_given_up() {
            return Ok(refused);
        }
        self.client.forgive();
        self.pass(making, None, BTreeMap::new(), (&mut marks, watching)).await
    }

    /// Requests all groups that are not written; returns the ranges that failed.
    async fn pass(
        &self,
        making: &mut Making,
        mut earlier: Option<PreviousRun>,
        mut sampled: BTreeMap<u32, Range>,
        (marks, watching): (&mut Marks, &mut Watching),
    ) -> Result<Vec<Refused>, Failure> {
        let (of_group, parallel) = (making.header().ranges_of_group(), self.settings.client.parallel);
        let (kept, mut next, room) = (making.kept()?, 0, making.room_of_group());
        let questions = making.unwritten().into_iter().map(|group| {
            let earlier = earlier.as_mut().and_then(|earlier| {
                (next..group).try_for_each(|_| earlier.skip()).ok()?;
                next = group + 1;
                earlier.next(group).ok()?
            });
            let ranges = ranges_of(group, of_group);
            // A range that can no longer be read is fetched again.
            let mut known = kept.take(ranges.clone()).unwrap_or_default();
            let rest = sampled.split_off(&ranges.end);
            known.extend(std::mem::replace(&mut sampled, rest));
            let question = RangeRequest { group, ranges, earlier, known, room };
            groups::ask(Arc::clone(&self.client), parallel, question)
        });
        let ahead = parallel.div_ceil(of_group as usize) + 1;
        let mut answers = stream::iter(questions).buffered(ahead);
        let mut refused = Vec::new();
        while let Some((group, answer)) = answers.next().await {
            match answer {
                RangeGroup::Unchanged(earlier) => making.copy(group, &earlier)?,
                RangeGroup::Overfull(digests) => return Err(making.overfull(group, digests)),
                RangeGroup::Fetched(fetched) => refused.extend(self.take(making, group, fetched, marks)?),
            }
            watching.reach(u64::from(self.form().ranges()) - making.missing(), &self.client.tally);
        }
        Ok(refused)
    }

    /// Takes the ranges of a group; returns those that it lacks.
    fn take(
        &self,
        making: &mut Making,
        group: u64,
        fetched: Fetched,
        marks: &mut Marks,
    ) -> Result<Vec<Refused>, Failure> {
        let Fetched { mut ranges, mut refused, .. } = fetched;
        let repeated: Vec<(u32, u32)> = ranges
            .iter()
            .filter_map(|(&number, range)| Some((number, marks.add(range.mark, number)?)))
            .collect();
        for (number, other) in repeated {
            ranges.remove(&number);
            self.client.count_refused(1);
            let fault = Fault::Repeated { other: self.form().name(other) };
            refused.push(Refused { range: self.form().name(number), tries: 1, fault });
        }
        if refused.is_empty() {
            making.fill(group, ranges.into_values().collect())?;
        } else {
            making.keep(group, &ranges)?;
        }
        Ok(refused)
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

fn is_crowded(failure: &Failure) -> bool {
    matches!(failure.source_as(), Some(OrderError::Crowded { .. }))
}
