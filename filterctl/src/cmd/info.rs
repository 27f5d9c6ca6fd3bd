//! `filterctl info`: the facts of a filter, damaged or not.

mod sample;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Outcome, printable},
    paths,
};
use nearmiss_filters::{dictionary::ranks::Ranks, format::Header};
use serde::Serialize;

use self::sample::WordSample;
use crate::{
    filter_file::{change, file_kind, inspect::Inspection, provenance::Provenance},
    report::{self, Report, counted, digits, header::Facts},
};

const AFTER: &str = "\
Exit status:
  0  the file is intact
  1  the file is damaged; everything that can be read is reported
  2  the file cannot be read, or is not a filter in a format this program reads

Examples:
  filterctl info /var/cache/nearmiss/words.filter
  filterctl info --sample words.filter
  filterctl info words.filter --json";

/// Shows a filter's content, its stated rate, its provenance, and any damage.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter.
    file: PathBuf,
    /// Also show the kind of words in the filter: their characters, and how many of some well-known words
    /// it contains.
    #[arg(long)]
    sample: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Prints the report.
    ///
    /// # Errors
    /// The file cannot be read or is not a filter.
    pub(crate) fn run(&self) -> Outcome {
        if let Some(reported) = file_kind::report_on(&self.file, self.json) {
            return reported;
        }
        let inspection = Inspection::of(&self.file)?;
        inspection.refuse_unknown()?;
        let mut report = InfoReport::new(&inspection);
        if self.sample {
            report.sample = Some(WordSample::of(&change::open(&self.file)?)?);
        }
        report::print(&report, self.json)?;
        Ok(if inspection.is_intact() { Exit::Done } else { Exit::No })
    }
}

/// The report on a filter.
#[derive(Serialize)]
struct InfoReport {
    file: String,
    is_intact: bool,
    problems: Vec<String>,
    #[serde(flatten)]
    facts: Option<Facts>,
    /// Words with a rank, in the file of ranks beside the filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranked: Option<u64>,
    /// The reason why that file cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks_problem: Option<String>,
    /// The size, if there are no facts that contain it.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<u64>,
    #[serde(flatten)]
    pages: Option<PageReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<WordSample>,
    #[serde(skip_serializing_if = "Option::is_none")]
    built: Option<BuiltBy>,
}

/// The command that built it and its lists, if that is recorded beside it.
#[derive(Serialize)]
struct BuiltBy {
    by: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    installed_from: Option<String>,
    lists: Vec<String>,
}

/// The content of the pages.
#[derive(Serialize)]
struct PageReport {
    pages_read: u64,
    pages_damaged: u64,
    fill: f64,
    actual_false_rejection: f64,
    actual_rate_per_lookup: f64,
}

impl InfoReport {
    fn new(inspection: &Inspection) -> InfoReport {
        let header = inspection.header.as_ref();
        let path = paths::absolute(&inspection.path);
        // Where the folder is not trusted, a filter without ranks has no problem with them.
        let ranked = header.filter(|_| Ranks::path_beside(&path).symlink_metadata().is_ok());
        let ranks = ranked.map(|header| Ranks::beside(&path, &header.key));
        let (ranks, ranks_problem) = match ranks.transpose() {
            Ok(ranks) => (ranks.flatten(), None),
            Err(error) => (None, Some(error.to_string())),
        };
        InfoReport {
            file: inspection.path.display().to_string(),
            is_intact: inspection.is_intact(),
            problems: inspection.problems(),
            facts: header.map(|header| {
                let facts = Facts::of(header).with_file_bytes(inspection.file_bytes);
                facts.with_readers(inspection.readers.clone())
            }),
            ranked: ranks.map(|ranks| ranks.len() as u64),
            ranks_problem,
            file_bytes: header.is_none().then_some(inspection.file_bytes),
            pages: PageReport::new(inspection),
            sample: None,
            built: header.and_then(|header| BuiltBy::of(&inspection.path, header)),
        }
    }
}

impl BuiltBy {
    fn of(path: &Path, header: &Header) -> Option<BuiltBy> {
        let Provenance { built_by: by, installed_from, lists, .. } = Provenance::of(path, header)?;
        Some(BuiltBy { by, installed_from, lists })
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "  built by        {}", printable(&self.by))?;
        if let Some(file) = &self.installed_from {
            writeln!(out, "  installed from  {}", printable(file))?;
        }
        self.lists.iter().try_for_each(|list| writeln!(out, "  built from      {}", printable(list)))
    }
}

impl PageReport {
    fn new(inspection: &Inspection) -> Option<PageReport> {
        let header = inspection.header.as_ref()?;
        let rates = inspection.pages.actual_rates(header);
        Some(PageReport {
            pages_read: inspection.pages.read,
            pages_damaged: inspection.pages.damaged,
            fill: inspection.pages.mean_fill(),
            actual_false_rejection: rates.check,
            actual_rate_per_lookup: rates.lookup,
        })
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "  fill            {:.4} of all bits are ones", self.fill)?;
        let (check, lookup) = (self.actual_false_rejection, self.actual_rate_per_lookup);
        writeln!(
            out,
            "  expected rate   {} for a check, {} for a lookup, as the bits are now",
            digits(check),
            digits(lookup)
        )
    }
}

impl Report for InfoReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", printable(&self.file))?;
        if let Some(facts) = &self.facts {
            facts.write_text(out)?;
        }
        if let Some(ranked) = self.ranked {
            writeln!(out, "  ranks           of {}, beside the filter", counted(ranked, "word"))?;
        }
        if let Some(problem) = &self.ranks_problem {
            writeln!(out, "  ranks           {}", printable(problem))?;
        }
        if let Some(bytes) = self.file_bytes {
            writeln!(out, "  size            {bytes} bytes")?;
        }
        if let Some(pages) = &self.pages {
            pages.write_text(out)?;
        }
        if let Some(sample) = &self.sample {
            sample.write_text(out)?;
        }
        if let Some(built) = &self.built {
            built.write_text(out)?;
        }
        self.problems.iter().try_for_each(|problem| writeln!(out, "  PROBLEM         {problem}"))?;
        if self.is_intact { writeln!(out, "  state           intact") } else { Ok(()) }
    }
}
