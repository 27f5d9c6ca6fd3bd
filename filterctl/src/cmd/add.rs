//! `filterctl add`: more words into a filter.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use indicatif::HumanCount;
use nearmiss_filters::{
    dictionary::{Build, build::Builder},
    list::LineCounts,
};
use serde::Serialize;

use crate::{
    access::NewAccess,
    counts::{self, Opened},
    exit::Exit,
    failure::{Failure, Outcome, printable},
    input::{self, ListName, WordList},
    jobs::Jobs,
    make,
    progress::Progress,
    report::{
        self, Report,
        header::Facts,
        lists::{self, Tally},
    },
};

const AFTER: &str = "\
The filter is replaced in one step; whoever is using the old one goes on with it.
It is refused to add so many words that more passwords would be rejected by
accident than the filter states; build with --capacity to leave room.

Examples:
  filterctl add words.filter site-words.txt
  filterctl add words.filter --counts words.counts more.txt.gz";

/// Adds words to a filter.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter, replaced by one with the words added.
    #[arg(value_name = "FILTER")]
    file: PathBuf,
    /// The filter's counts, replaced too.
    #[arg(long, value_name = "FILE")]
    counts: Option<PathBuf>,
    /// Add more words than the filter has room for, and state the higher rate that it then has.
    #[arg(long)]
    force: bool,
    /// Leave out digests with a smaller count.
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_count: u64,
    #[command(flatten)]
    access: NewAccess,
    #[command(flatten)]
    jobs: Jobs,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress and print no report.
    #[arg(short, long)]
    quiet: bool,
    /// Lists of what the filter holds, words or digests.
    #[arg(value_name = "LIST", required = true)]
    lists: Vec<PathBuf>,
}

impl Args {
    /// Adds the words.
    ///
    /// # Errors
    /// The filter, its counts or a list cannot be read, the words do not fit, a file cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let progress = Progress::new(self.quiet);
        let Opened { header, pages, mut counters, was_finished } =
            Opened::open(&self.file, self.counts.as_deref(), &self.access)?;
        let names: Vec<ListName> = self.lists.iter().cloned().map(ListName::Path).collect();
        let lists = input::open(&names, header.kind, &progress).map_err(|e| self.failure(e))?;
        let file = make::begin(&self.file, &lists, &self.access)?;
        let counts_file = counts::begin(self.counts.as_deref(), &lists)?;
        let (min_count, threads) = (self.min_count, self.jobs.threads());
        let build = Build { min_count, threads, ..Build::of(&header) };
        let before = header.words;
        let surveyed = make::survey(&lists, build.survey(), &progress).map_err(|e| self.failure(e))?;
        let extending = build.extending(header, pages, &surveyed.findings);
        let mut builder = extending.map_err(|e| self.failure(e))?;
        let with = counters.as_mut().map(|counters| (counters, self.min_count));
        let sink = make::Sink { builder: &mut builder, counters: with };
        make::insert(sink, &lists, &surveyed.counts, &progress).map_err(|e| self.failure(e))?;
        match &counters {
            Some(counters) => builder.count_exactly(counters.counts()),
            None => builder.count_inserted(),
        }
        builder.date(make::now());
        let rate = self.keep_rate(&mut builder)?;
        let written = make::write(builder, file, counters.zip(counts_file))?;
        make::log("added to", &self.file, &written.header);
        let added = written.header.words.saturating_sub(before);
        self.print(&Addition::new(
            self,
            &written.facts(),
            (added, rate, was_finished),
            &lists,
            &surveyed.counts,
        ))
    }

    /// The rate that the filter now has, restated when that was asked for.
    fn keep_rate(&self, builder: &mut Builder) -> Result<f64, Failure> {
        let rate = builder.actual_rate();
        if builder.keeps_rate() {
            return Ok(rate);
        }
        let (words, stated) = (builder.header().words, builder.header().stated.false_rejection);
        if !self.force {
            let (file, room) = (self.file.display(), builder.header().capacity);
            return Err(Failure::plain(format!(
                "{file}: with {words} words it would reject {rate:.2e} of all passwords by accident, where it states {stated:.2e} and has room for {room}; build it again with --capacity, or state the new rate with --force"
            )));
        }
        builder.restate(rate, words.max(builder.header().capacity));
        Ok(rate)
    }

    fn print(&self, added: &Addition) -> Outcome {
        if !self.quiet || self.json {
            report::print(added, self.json)?;
        }
        Ok(Exit::Done)
    }

    fn failure(&self, source: impl std::error::Error + 'static) -> Failure {
        Failure::new(format!("cannot add to {}", self.file.display()), source)
    }
}

/// What was added from what.
#[derive(Serialize)]
struct Addition {
    file: String,
    added: u64,
    finished_interrupted_change: bool,
    actual_false_rejection: f64,
    #[serde(flatten)]
    facts: Facts,
    lists: Vec<Tally>,
}

impl Addition {
    fn new(
        args: &Args,
        facts: &Facts,
        (added, actual_false_rejection, finished_interrupted_change): (u64, f64, bool),
        lists: &[WordList],
        counts: &[LineCounts],
    ) -> Addition {
        Addition {
            file: args.file.display().to_string(),
            added,
            finished_interrupted_change,
            actual_false_rejection,
            facts: facts.clone(),
            lists: lists::of(lists, counts),
        }
    }
}

impl Report for Addition {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}: {} added", printable(&self.file), HumanCount(self.added))?;
        if self.finished_interrupted_change {
            writeln!(out, "  an earlier change that was interrupted was finished first")?;
        }
        self.facts.write_text(out)?;
        writeln!(out, "  expected rate   {:.3e} as the bits are now", self.actual_false_rejection)?;
        self.lists.iter().try_for_each(|list| list.write_text(out))
    }
}
