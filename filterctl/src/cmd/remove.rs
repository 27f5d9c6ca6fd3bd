//! `filterctl remove`: removes words from a filter, by its counts.

use std::{
    fmt::Write as _,
    io::{self, Write},
    path::PathBuf,
};

use indicatif::HumanCount;
use nearmiss_cli::{
    access::NewAccess,
    clock::now,
    failure::{Failure, Outcome, printable},
    input::{InputError, WordList},
    keys,
    progress::Progress,
};
use nearmiss_filters::{
    dictionary::{builder::Builder, counters::Counters},
    format::Kind,
    list::{Entry, LineFormat},
};
use serde::Serialize;

use crate::{
    filter_file::{
        change::{ExistingFilter, Target, read_all},
        watched::Watched,
    },
    flags::{input::Input, output::Output},
    report::{Report, header::Facts},
};

/// The maximum number of missing words to name.
const NAMED: usize = 5;

/// Why a stored string may not be one to remove.
const FORM_HINT: &str =
    "; a form without accents is removed with the last word that it is a form of: name that word";

const AFTER: &str = "\
Removing needs the counts that filterctl build --counts wrote. If a word was never
added, the error names it and nothing is removed. A word's form without accents is
removed with it, unless the form is also a word of a list, or the form of another
word. The filter still knows characters and pairs of characters that only removed
words had: this costs a little speed, but no accuracy.

Exit status:
  0  the words are removed
  2  error, such as a word that was never added; the filter is untouched

Examples:
  filterctl remove words.filter --counts words.counts not-these.txt
  echo elephant | filterctl remove words.filter --counts words.counts -";

/// Removes words from a filter.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter, which is replaced by one without the words.
    #[arg(value_name = "FILTER")]
    file: PathBuf,
    /// The filter's counts, which are replaced with it.
    #[arg(long, value_name = "FILE")]
    counts: PathBuf,
    #[command(flatten)]
    access: NewAccess,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    /// Lists of the entries to remove.
    #[arg(value_name = "LIST", required = true)]
    lists: Vec<PathBuf>,
}

impl Args {
    /// Removes the words.
    ///
    /// # Errors
    /// The filter, its counts or a list cannot be read, a word was never added, a file cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        Watched::new(&self.file).told(self.remove())
    }

    fn remove(&self) -> Outcome {
        let progress = self.output.progress();
        let target =
            Target { act: "remove from", file: &self.file, counts: Some(&self.counts), access: &self.access };
        let existing = ExistingFilter::begin(target, &progress)?;
        let ExistingFilter { mut change, opened, counters, finished_interrupted_change } = existing;
        let (header, mut counters) = (opened.header, ExistingFilter::named(target, counters)?);
        self.input.refuse_useless(header.kind, &[])?;
        let lists = self.input.open_named(&self.lists, header.kind, &progress);
        change.read(lists.map_err(|e| target.failure(e))?)?;
        Args::refuse_unknown(target, &counters, change.lists(), &progress)?;
        let mut removed = 0_u64;
        for_each(change.lists(), header.kind, &progress, |entry| {
            removed = removed.saturating_add(u64::from(counters.remove(entry)));
        })
        .map_err(|e| target.failure(e))?;
        let pages = counters.filter_pages().map_err(|e| target.failure(e))?;
        let mut builder = Builder::over(header, pages);
        builder.count_exactly(counters.counts());
        builder.date(now());
        let saturated_counters = counters.saturated();
        change.count_on(Some(counters));
        let facts = change.commit(builder, "removed from")?.facts();
        let file = self.file.display().to_string();
        self.output.print(&Removal { file, removed, finished_interrupted_change, saturated_counters, facts })
    }

    fn refuse_unknown(
        target: Target<'_>,
        counters: &Counters,
        lists: &[WordList],
        progress: &Progress,
    ) -> Result<(), Failure> {
        let (mut names, mut count, mut has_form) = (Vec::new(), 0_u64, false);
        let kind = counters.header().kind;
        for_each(lists, kind, progress, |entry| {
            if !counters.contains(entry) {
                count = count.saturating_add(1);
                has_form |= counters.is_plain_form(entry);
                if names.len() < NAMED {
                    names.push(name_of(entry, kind));
                }
            }
        })
        .map_err(|e| target.failure(e))?;
        if count == 0 {
            return Ok(());
        }
        let and = if count > names.len() as u64 {
            format!(" and {} more", count.saturating_sub(NAMED as u64))
        } else {
            String::new()
        };
        let hint = if has_form { FORM_HINT } else { "" };
        let (names, file) = (names.join("', '"), target.file.display());
        Err(Failure::plain(
            keys::WORDS_NOT_HELD,
            format!("{file}: does not count '{names}'{and}; nothing is removed{hint}"),
        ))
    }
}

fn for_each(
    lists: &[WordList],
    kind: Kind,
    progress: &Progress,
    mut each: impl FnMut(&Entry),
) -> Result<(), InputError> {
    let (format, mut entry) = (LineFormat { kind, min_count: 0 }, Entry::default());
    progress.start("removing", lists.iter().map(WordList::stored_bytes).sum());
    for list in lists {
        let counts = read_all(list, progress, |block| format.read_block(block, &mut entry, &mut each))?;
        list.check(&counts)?;
    }
    progress.finish();
    Ok(())
}

fn name_of(entry: &Entry, kind: Kind) -> String {
    if kind == Kind::Words {
        return entry.word.to_text();
    }
    entry.digest.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02X}");
        hex
    })
}

/// The result of a removal.
#[derive(Serialize)]
struct Removal {
    file: String,
    removed: u64,
    finished_interrupted_change: bool,
    saturated_counters: u64,
    #[serde(flatten)]
    facts: Facts,
}

impl Report for Removal {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}: {} removed", printable(&self.file), HumanCount(self.removed))?;
        if self.finished_interrupted_change {
            writeln!(out, "  finished an earlier, interrupted change first")?;
        }
        self.facts.write_text(out)?;
        writeln!(
            out,
            "  saturated       {} counters, whose bits stay set",
            HumanCount(self.saturated_counters)
        )
    }
}
