//! `filterctl union`: unites several filters, without their word lists.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    access::NewAccess,
    exit::Exit,
    failure::{Failure, Outcome, printable},
    keys, shell,
};
use nearmiss_filters::dictionary::builder::{Builder, UnionError};
use serde::Serialize;

use crate::{
    filter_file::{
        change::{self, FilterChange, OpenedFilter, Target},
        orphans::warn_of_counts,
        watched::Watched,
    },
    flags::output::{Output, keep_rate},
    report::{Report, digits, header::Facts},
};

const AFTER: &str = "\
The filters must have the same kind, key, size and rate: build the others with --like
FIRST. The number of words of the union is estimated from the bits that the filters share.

Exit status:
  0  the union is written
  2  error; an earlier filter is untouched

Examples:
  filterctl build --output a.filter --capacity 2000000 a.txt
  filterctl build --output b.filter --like a.filter b.txt
  filterctl union --output both.filter a.filter b.filter";

/// Merges filters into one.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter to write; an older one is replaced in one step.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Unite filters that together have too many words, and state the higher rate of the union.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    access: NewAccess,
    #[command(flatten)]
    reporting: Output,
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
        Watched::new(&self.output).told(self.unite())
    }

    fn unite(&self) -> Outcome {
        let Some((first, others)) = self.filters.split_first() else { return Ok(Exit::Done) };
        let target = Target { act: "write", file: &self.output, counts: None, access: &self.access };
        let progress = self.reporting.progress();
        let change = FilterChange::begin(target, Vec::new(), &progress)?;
        let OpenedFilter { header, pages } = OpenedFilter::open(first)?;
        let mut builder = Builder::over(header, pages);
        for other in others {
            let unite = builder.unite(&change::open(other)?);
            unite.map_err(|e| cannot_unite(first, other, e))?;
        }
        let rate = keep_rate(&mut builder, self.force, |words, rate, stated, room| {
            format!(
                "cannot unite: with about {words} words the false rejection rate of the union would be \
                 {rate:.2e}; the filters state {stated:.2e} and have room for {room} words; rebuild them \
                 with --capacity, or state the new rate with --force"
            )
        })?;
        let (facts, actual_false_rejection) = (change.commit(builder, "united to")?.facts(), rate);
        warn_of_counts(&self.output, None);
        let file = self.output.display().to_string();
        self.reporting.print(&United { file, actual_false_rejection, facts })
    }
}

fn cannot_unite(first: &Path, other: &Path, error: UnionError) -> Failure {
    let like = shell::quoted(first);
    let (first, other) = (first.display(), other.display());
    match error {
        UnionError::Differs(difference) => Failure::plain(
            keys::FILTERS_DIFFER,
            format!(
                "cannot unite {first} and {other}: {difference}; build {other} again with --like {like}, \
                 or add its lists to {first} with filterctl add"
            ),
        ),
        error => Failure::new(format!("cannot unite {first} and {other}"), error),
    }
}

/// The result of a union.
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
        writeln!(out, "  expected rate   {} as the bits are now", digits(self.actual_false_rejection))
    }
}
