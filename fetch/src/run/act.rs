//! The acts of a run, one after the other.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use futures_util::{StreamExt as _, stream};
use nearmiss_filters::{
    dictionary::build::OrderError,
    format::{StatedRate, encode},
    hash::Key,
    storage::{Act, FolderLock},
};
use rustix::fs::statvfs;
use tokio::runtime::{Builder, Runtime};

use super::marks::Marks;
use crate::{
    client::{Client, ClientSettings, Fault, Refused},
    earlier::{Earlier, state_of},
    failure::{Failure, warn},
    groups::{self, Group, Question},
    making::{CANNOT, Making, first_header},
    range::{Range, RangeForm},
    report::{Done, size},
    state::StateHeader,
    unfinished::Unfinished,
    watching::Watching,
};

/// Ranges that are looked at to choose the size of a filter: five hundred thousand digests of today.
const SAMPLE: u32 = 256;

/// The part of all ranges that they are at most.
const SAMPLE_PART: u32 = 16;

/// Deviations that the number seen in them is raised by.
const DEVIATIONS: f64 = 3.0;

/// One part in this many fewer than before is a corpus that shrank.
const SMALLER: u64 = 100;

/// Threads that unpack ranges.
const MAX_THREADS: usize = 4;

/// What a run is to do.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The filter.
    pub(crate) output: PathBuf,
    /// The server and its ranges.
    pub(crate) client: ClientSettings,
    /// Certificates that are trusted besides the system's.
    pub(crate) roots: Option<PathBuf>,
    /// The rate to keep.
    pub(crate) stated: StatedRate,
    /// The hash key; a random one if there is none.
    pub(crate) key: Option<Key>,
    /// Takes a corpus that shrank.
    pub(crate) accept_smaller: bool,
    /// Shows no progress.
    pub(crate) is_quiet: bool,
}

/// A run that did not come to its end.
pub(crate) enum Failed {
    /// Nothing was begun.
    Unable(Failure),
    /// The filter before stays.
    Stopped(Failure),
}

/// The end of a filter that is not finished.
enum Stopped {
    /// It is too small for the corpus: begin again, for about so many digests if they were counted.
    TooSmall(Option<u64>),
    /// Nothing can be done now.
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Failed(failure)
    }
}

/// A run.
struct Run<'s> {
    settings: &'s Settings,
    client: Arc<Client>,
    runtime: Runtime,
}

/// Where a filter begins.
struct Start {
    making: Making,
    earlier: Option<Earlier>,
    sampled: Vec<Range>,
    /// Its size was chosen by this run.
    is_sized_now: bool,
}

/// Does it all.
///
/// # Errors
/// [`Failed`].
pub(crate) fn run(settings: &Settings) -> Result<Done, Failed> {
    let start = Instant::now();
    let _lock = lock(&settings.output).map_err(Failed::Unable)?;
    let client = Client::new(&settings.client, settings.roots.as_deref());
    let client = client.map_err(|e| Failed::Unable(Failure::plain(e)))?;
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
            return Failure::plain(format!("another run is at work in {folder}; wait for its end"));
        }
        Failure::new(CANNOT, error)
    })
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
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
                    return Err(Failure::plain("the corpus is larger than its first ranges show"));
                }
                Err(Stopped::TooSmall(counted)) => {
                    warn("the corpus has grown beyond the filter; all ranges are fetched for a larger one");
                    start = self.anew(counted)?;
                }
            }
        }
    }

    fn form(&self) -> RangeForm {
        self.settings.client.form
    }

    /// Digests of the last run with the same settings of what is counted.
    fn entries_before(&self) -> Option<u64> {
        let (header, _) = state_of(&self.settings.output).ok()??;
        (header.form == self.form()).then_some(header.entries)
    }

    /// True for a state that this run goes on with.
    fn is_ours(&self, header: &StateHeader) -> bool {
        let key = self.settings.key.as_ref();
        header.form == self.form()
            && header.base == self.settings.client.base.as_str()
            && header.filter.stated == self.settings.stated
            && key.is_none_or(|key| key.bytes() == header.filter.key.bytes())
    }

    /// What is there already.
    fn start(&self) -> Result<Start, Failure> {
        let earlier = self.earlier();
        let unfinished = Unfinished::resume(&self.settings.output, |header| self.is_ours(header));
        let unfinished = unfinished.map_err(|e| Failure::new("cannot read the unfinished filter", e))?;
        if let Some((files, written)) = unfinished {
            let making = Making::over(files, &written)?;
            let first = encode(&making.header().filter);
            let mut earlier = earlier.filter(|earlier| encode(&earlier.header.filter) == first);
            for _ in 0..making.next {
                earlier.as_mut().map_or(Ok(()), Earlier::skip).map_err(|e| Failure::new(CANNOT, e))?;
            }
            return Ok(Start { making, earlier, sampled: Vec::new(), is_sized_now: false });
        }
        let Some(earlier) = earlier else { return self.anew(None) };
        let header = StateHeader { ended: 0, entries: 0, ..earlier.header.clone() };
        let making = self.begin(header)?;
        Ok(Start { making, earlier: Some(earlier), sampled: Vec::new(), is_sized_now: false })
    }

    fn earlier(&self) -> Option<Earlier> {
        let output = &self.settings.output;
        let opened = match state_of(output) {
            Ok(Some((header, _))) if !self.is_ours(&header) => return None,
            Ok(Some((header, file))) => Earlier::open(output, header, file),
            Ok(None) => return None,
            Err(reason) => Err(reason),
        };
        opened.map_err(|reason| warn(&format!("{reason}; all ranges are fetched"))).ok()
    }

    fn anew(&self, counted: Option<u64>) -> Result<Start, Failure> {
        let form = self.form();
        let (sampled, digests) = match counted {
            Some(digests) => (Vec::new(), digests),
            None => self.sample()?,
        };
        let (key, created) = match &self.settings.key {
            Some(key) => (key.clone(), 0),
            None => (Key::random().map_err(|e| Failure::new("cannot choose a key", e))?, now()),
        };
        let filter = first_header(&form, self.settings.stated, &key, created, digests);
        let filter = filter.map_err(|e| Failure::new(CANNOT, e))?;
        let base = self.settings.client.base.as_str().to_owned();
        let making = self.begin(StateHeader { form, base, ended: 0, entries: 0, filter })?;
        Ok(Start { making, earlier: None, sampled, is_sized_now: true })
    }

    /// The first ranges, and about how many digests there are in all.
    fn sample(&self) -> Result<(Vec<Range>, u64), Failure> {
        let ranges = self.form().ranges();
        let count = SAMPLE.min(ranges / SAMPLE_PART).max(1);
        let parallel = self.settings.client.parallel;
        let sampled = self.runtime.block_on(groups::fetch(&self.client, parallel, 0..count));
        let sampled = sampled.map_err(|refused| self.refused(&refused, ranges.into()))?;
        let seen: f64 = sampled.iter().map(|range| f64::from(range.entries)).sum();
        let most = seen + DEVIATIONS * seen.sqrt();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2⁵²")]
        let digests = (most * f64::from(ranges / count)).ceil() as u64;
        Ok((sampled, digests))
    }

    /// Begins the files, if there is room for them.
    fn begin(&self, header: StateHeader) -> Result<Making, Failure> {
        let output = &self.settings.output;
        let folder = output.parent().unwrap_or(Path::new("/"));
        if let Ok(disk) = statvfs(folder) {
            let (free, needed) = (disk.f_bavail.saturating_mul(disk.f_frsize), header.filter.file_bytes());
            if free < needed {
                let (free, needed) = (size(free as f64), size(needed as f64));
                return Err(Failure::plain(format!(
                    "{CANNOT}: {} has {free} left; the new filter takes {needed} beside the old one",
                    folder.display()
                )));
            }
        }
        Making::begin(output, header)
    }

    fn refused(&self, refused: &Refused, missing: u64) -> Failure {
        let total = self.form().ranges();
        Failure::plain(format!(
            "cannot fetch from {}: {refused}; {missing} of {total} ranges are missing, and the filter is as \
             it was; run it again to go on",
            self.settings.client.base.as_str()
        ))
    }

    /// Asks for all groups that are missing, and puts the filter in place.
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
                let question = Question { ranges: first..first + of_group, earlier, sampled };
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
        let header = making.finish(&self.settings.output, now())?;
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

    fn take(&self, making: &mut Making, group: Group, first: u32, marks: &mut Marks) -> Result<(), Ended> {
        let ranges = match group {
            Group::Unchanged(group) => return making.copy(&group).map_err(Ended::Failed),
            Group::Fetched(ranges) => ranges,
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
        Err(Failure::plain(format!(
            "the corpus has {entries} digests where it had {before}: refused, since it may lack what was \
             leaked; --accept-smaller takes it"
        )))
    }
}

/// Why the groups were not all taken.
enum Ended {
    Refused(Refused),
    Failed(Failure),
}

fn is_crowded(failure: &Failure) -> bool {
    matches!(failure.source_as(), Some(OrderError::Crowded { .. }))
}
