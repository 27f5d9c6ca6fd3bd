//! `filterctl add`: adds words to a filter.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use indicatif::HumanCount;
use nearmiss_cli::{
    access::NewAccess,
    clock::now,
    failure::{Failure, Outcome, printable},
    keys, shell,
};
use nearmiss_filters::dictionary::Build;
use serde::Serialize;

use crate::{
    filter_file::{
        change::{ExistingFilter, OpenedFilter, Target},
        orphans::counts_beside,
        watched::Watched,
    },
    flags::{
        input::{Input, ListsOf, WordForms},
        jobs::Jobs,
        output::{Output, keep_rate},
    },
    report::{Report, digits, header::Facts, lists::Tally},
};

const AFTER: &str = "\
The filter is replaced in one step; programs that have the old one open keep it. It is
locked before the lists are read: another command that changes it is refused. Words that
would raise the false rejection rate above the stated one are refused; build with
--capacity to leave room for later words.

Exit status:
  0  the words are added
  2  error; the filter is untouched

Examples:
  filterctl add words.filter site-words.txt
  filterctl add words.filter --counts words.counts more.txt.gz";

/// Adds words to a filter.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter, which is replaced by one with the words added.
    #[arg(value_name = "FILTER")]
    file: PathBuf,
    /// The filter's counts, which are replaced with it.
    #[arg(long, value_name = "FILE")]
    counts: Option<PathBuf>,
    /// Add the words even if counts lie beside FILTER (FILTER.counts, or its name with the ending .counts),
    /// which then no longer match it.
    #[arg(long, conflicts_with = "counts")]
    without_counts: bool,
    /// Add more words than the filter has room for, and state the higher rate that it then has.
    #[arg(long)]
    force: bool,
    /// Leave out digests with a smaller count than this; by default 1.
    #[arg(long, value_name = "N")]
    min_count: Option<u64>,
    #[command(flatten)]
    access: NewAccess,
    #[command(flatten)]
    forms: WordForms,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    output: Output,
    /// Lists of the filter's kind, words or digests.
    #[arg(value_name = "LIST", required = true)]
    lists: Vec<PathBuf>,
}

impl Args {
    /// Adds the words.
    ///
    /// # Errors
    /// The filter, its counts or a list cannot be read, the words do not fit, a file cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        Watched::new(&self.file).told(self.add())
    }

    fn add(&self) -> Outcome {
        let progress = self.output.progress();
        let (counts, access) = (self.counts.as_deref(), &self.access);
        let target = Target { act: "add to", file: &self.file, counts, access };
        let existing = ExistingFilter::begin(target, &progress)?;
        let ExistingFilter { mut change, opened, counters, finished_interrupted_change } = existing;
        let OpenedFilter { header, pages } = opened;
        self.refuse_to_orphan_counts()?;
        let min_count = ("--min-count", self.min_count.is_some(), ListsOf::Digests);
        self.input.refuse_useless(header.kind, &[min_count, self.forms.flag()])?;
        let lists = self.input.open_named(&self.lists, header.kind, &progress);
        change.read(lists.map_err(|e| target.failure(e))?)?;
        let (min_count, threads, forms) =
            (self.min_count.unwrap_or(1), self.jobs.threads(), self.forms.forms());
        let build = Build { min_count, threads, forms, ..Build::of(&header) };
        let before = header.words;
        let findings = change.survey(&build)?;
        let extending = build.extending(header, pages, &findings);
        let mut builder = extending.map_err(|e| target.failure(e))?;
        change.count_on(counters);
        change.insert_lists(&mut builder)?;
        match &change.counters {
            Some(counters) => builder.count_exactly(counters.counts()),
            None => builder.count_inserted(),
        }
        builder.date(now());
        let rate = keep_rate(&mut builder, self.force, |words, rate, stated, room| {
            format!(
                "{}: with {words} words its false rejection rate would be {rate:.2e}; it states {stated:.2e} \
                 and has room for {room} words; rebuild it with --capacity, or state the new rate with \
                 --force",
                self.file.display()
            )
        })?;
        let written = change.commit(builder, "added to")?;
        self.output.print(&Addition {
            file: self.file.display().to_string(),
            added: written.header.words.saturating_sub(before),
            finished_interrupted_change,
            actual_false_rejection: rate,
            facts: written.facts(),
            lists: written.lists,
        })
    }

    /// Fails if counts lie beside the filter: they would no longer match it.
    fn refuse_to_orphan_counts(&self) -> Result<(), Failure> {
        let beside = counts_beside(&self.file).filter(|_| self.counts.is_none() && !self.without_counts);
        let Some(beside) = beside else { return Ok(()) };
        let (counts, quoted) = (beside.display(), shell::quoted(&beside));
        Err(Failure::plain(
            keys::COUNTS_LEFT_BEHIND,
            format!(
                "{counts}: would no longer match {}; pass --counts {quoted} to update them, or \
             --without-counts to leave them",
                self.file.display()
            ),
        ))
    }
}

/// The added words, and their lists.
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

impl Report for Addition {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}: {} added", printable(&self.file), HumanCount(self.added))?;
        if self.finished_interrupted_change {
            writeln!(out, "  finished an earlier, interrupted change first")?;
        }
        self.facts.write_text(out)?;
        writeln!(out, "  expected rate   {} as the bits are now", digits(self.actual_false_rejection))?;
        self.lists.iter().try_for_each(|list| list.write_text(out).and_then(|()| list.write_examples(out)))
    }
}
