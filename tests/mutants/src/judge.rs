//! What the tests say of each change.

use std::{
    collections::BTreeMap,
    fs::File,
    io::Write,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    build::Program,
    list::Mutant,
    tests::{self, End, Test, Told},
    tree::Tree,
};

/// How many of the tests that meet a change run first, the quickest first; the next part is four times as
/// long.
const FIRST: usize = 12;

/// The fate of a change.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Fate {
    Caught,
    TimedOut,
    /// All tests that meet it pass.
    Survived,
    /// No test meets it.
    Unmet,
    /// The tests that meet it take longer than the budget, and the ones that ran pass.
    Cut,
}

/// What is needed to judge.
#[derive(Debug)]
pub(crate) struct Court<'c> {
    pub(crate) tree: &'c Tree,
    pub(crate) programs: &'c [Program],
    pub(crate) told: Told,
    pub(crate) jobs: usize,
    /// How long the tests of one change may take together.
    pub(crate) budget: Duration,
    /// Gets each fate as soon as it is known: a run that is ended loses none.
    pub(crate) log: &'c File,
    /// The changes, by number.
    pub(crate) mutants: &'c [Mutant],
}

/// How far a round is: a bar, or a line for each tenth where nobody watches.
struct Progress {
    bar: ProgressBar,
    what: &'static str,
    done: AtomicUsize,
    count: usize,
}

impl Progress {
    fn new(what: &'static str, count: usize) -> Progress {
        let style = ProgressStyle::with_template("{msg} [{wide_bar}] {pos}/{len} {eta}");
        let bar = ProgressBar::new(count as u64).with_message(what);
        Progress {
            bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())),
            what,
            done: 0.into(),
            count,
        }
    }

    fn step(&self) {
        let before = self.done.fetch_add(1, Ordering::Relaxed);
        self.bar.inc(1);
        let tenth = |done: usize| done * 10 / self.count;
        if self.bar.is_hidden() && tenth(before + 1) > tenth(before) {
            eprintln!("{}: {} of {}", self.what, before + 1, self.count);
        }
    }
}

/// Runs `work` for each item on `jobs` threads, and says how far that is.
pub(crate) fn side_by_side<T: Sync, R: Send>(
    what: &'static str,
    jobs: usize,
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let progress = Progress::new(what, items.len());
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let hands: Vec<_> = (0..jobs)
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let result = work(item)?;
                        progress.step();
                        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(result);
                    }
                    Ok(())
                })
            })
            .collect();
        hands.into_iter().try_for_each(|hand| hand.join().unwrap_or_else(|_| anyhow::bail!("a thread died")))
    })?;
    progress.bar.finish_and_clear();
    Ok(done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

impl Court<'_> {
    /// What the tests make of these changes.
    pub(crate) fn judge(&self, changes: &[usize], all: &[Test]) -> Result<BTreeMap<usize, Fate>> {
        let fates = side_by_side("changes", self.jobs, changes, |&id| {
            let meeting = all.iter().filter(|test| test.reaches.contains(&id)).collect();
            let fate = self.fate_by(Some(id), meeting)?;
            self.note(id, Some(fate))?;
            Ok((id, fate))
        })?;
        Ok(fates.into_iter().collect())
    }

    /// Writes a fate into the log.
    pub(crate) fn note(&self, id: usize, fate: Option<Fate>) -> Result<()> {
        let fate = fate.map_or_else(|| "Uncompiled".to_owned(), |fate| format!("{fate:?}"));
        let mut log = self.log;
        Ok(log.write_all(format!("{fate}\t{}\n", self.mutants[id].name).as_bytes())?)
    }

    /// What these tests make of a change, or of the programs as they are.
    pub(crate) fn fate_by(&self, change: Option<usize>, mut meeting: Vec<&Test>) -> Result<Fate> {
        if meeting.is_empty() {
            return Ok(Fate::Unmet);
        }
        meeting.sort_by_key(|test| test.takes);
        let (mut rest, mut size, mut spent) = (&*meeting, FIRST, Duration::ZERO);
        while !rest.is_empty() {
            let (part, later) = rest.split_at(size.min(rest.len()));
            let within: Vec<&Test> = part
                .iter()
                .copied()
                .filter(|test| {
                    spent += test.takes;
                    spent <= self.budget
                })
                .collect();
            match self.run(change, &within)? {
                End::Passed => {}
                End::Failed => return Ok(Fate::Caught),
                End::TimedOut => return Ok(Fate::TimedOut),
            }
            (rest, size) = (later, size * 4);
        }
        Ok(if spent > self.budget { Fate::Cut } else { Fate::Survived })
    }

    fn run(&self, change: Option<usize>, part: &[&Test]) -> Result<End> {
        let mut programs: BTreeMap<usize, Vec<&Test>> = BTreeMap::new();
        for test in part {
            programs.entry(test.program).or_default().push(test);
        }
        for (program, tests) in programs {
            let names: Vec<&str> = tests.iter().map(|test| &*test.name).collect();
            let limit = tests::limit(&tests);
            let run =
                |change| tests::run(self.tree, &self.programs[program], &names, change, self.told, limit);
            let end = run(change)?;
            // What fails without the change as well says nothing of it.
            let is_fault =
                end != End::Passed && (self.told == Told::ByEnvironment || run(None)? == End::Passed);
            if is_fault {
                return Ok(end);
            }
        }
        Ok(End::Passed)
    }
}
