//! `filterctl union`: the words of several filters in one, without the words.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use nearmiss_filters::dictionary::build::{Builder, UnionError};
use serde::Serialize;

use crate::{
    access::NewAccess,
    exit::Exit,
    failure::{Failure, Outcome, printable},
    make::{self, Written},
    report::{self, Report, header::Facts},
};

const AFTER: &str = "\
The filters must have the same kind, key, size and rate: build the others with
--like the first. How many words the union has is estimated from the bits they share.

Examples:
  filterctl build --output a.filter --capacity 2000000 a.txt
  filterctl build --output b.filter --like a.filter b.txt
  filterctl union --output both.filter a.filter b.filter";

/// Makes one filter of several.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter to write; an older one is replaced in one step.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Unite filters that have too many words together, and state the higher rate of the union.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    access: NewAccess,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Print no report.
    #[arg(short, long)]
    quiet: bool,
    /// The filters.
    #[arg(value_name = "FILTER", required = true, num_args = 2..)]
    filters: Vec<PathBuf>,
}

impl Args {
    /// Unites the filters.
    ///
    /// # Errors
    /// A filter cannot be read, is damaged or differs from the first, or the union cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let Some((first, others)) = self.filters.split_first() else { return Ok(Exit::Done) };
        let file = make::begin(&self.output, &[], &self.access)?;
        let mut builder = begin(first)?;
        for other in others {
            let unite = builder.unite(&make::open(other)?);
            unite.map_err(|e| cannot_unite(first, other, e))?;
        }
        let rate = builder.actual_rate();
        if !builder.keeps_rate() {
            self.restate(&mut builder, rate)?;
        }
        let written = make::write(builder, file, None)?;
        make::log("united to", &self.output, &written.header);
        self.print(&written, rate)
    }

    fn restate(&self, builder: &mut Builder, rate: f64) -> Result<(), Failure> {
        let (words, stated) = (builder.header().words, builder.header().stated.false_rejection);
        if !self.force {
            let room = builder.header().capacity;
            return Err(Failure::plain(format!(
                "cannot unite: with about {words} words the union would reject {rate:.2e} of all passwords by accident, where {stated:.2e} is stated and room for {room}; build the filters again with --capacity, or state the new rate with --force"
            )));
        }
        builder.restate(rate, words.max(builder.header().capacity));
        Ok(())
    }

    fn print(&self, written: &Written, actual_false_rejection: f64) -> Outcome {
        if !self.quiet || self.json {
            let file = self.output.display().to_string();
            report::print(&United { file, actual_false_rejection, facts: written.facts() }, self.json)?;
        }
        Ok(Exit::Done)
    }
}

fn begin(first: &Path) -> Result<Builder, Failure> {
    let filter = make::open(first)?;
    let header = filter.header().clone();
    let pages = filter.copied_pages().map_err(|e| Failure::new("cannot read the filter", e))?;
    Ok(Builder::over(header, pages))
}

fn cannot_unite(first: &Path, other: &Path, error: UnionError) -> Failure {
    let (first, other) = (first.display(), other.display());
    match error {
        UnionError::Differs(difference) => Failure::plain(format!(
            "cannot unite {first} and {other}: {difference}; build {other} again with --like {first}, or add its lists to {first} with filterctl add"
        )),
        error => Failure::new(format!("cannot unite {first} and {other}"), error),
    }
}

/// What was united.
#[derive(Serialize)]
struct United {
    file: String,
    actual_false_rejection: f64,
    #[serde(flatten)]
    facts: Facts,
}

impl Report for United {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", printable(&self.file))?;
        self.facts.write_text(out)?;
        writeln!(out, "  expected rate   {:.3e} as the bits are now", self.actual_false_rejection)
    }
}
