//! `filterctl verify`: verifies that a filter is intact and keeps its rate; `all` verifies every configured
//! filter.

mod all;

use std::{
    io::{self, Write},
    path::{Component, Path, PathBuf},
};

use clap::ArgGroup;
use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, printable},
};
use nearmiss_filters::{format::FormatError, storage::open_trusted};
use serde::Serialize;

use crate::{
    breaches::expected::mismatch,
    filter_file::{
        file_kind,
        inspect::Inspection,
        measure::{MeasuredRates, measure},
    },
    flags::system::System,
    report::{self, Report, access::Readers, counted, header::and_table},
};

const AFTER: &str = "\
Every page is read and its checksum verified. The fill of the pages is compared with the
header. A filter must not contain random strings; a corpus of a million leaked passwords or
more must contain the most common ones.

Also reports if pam_nearmiss would refuse the file because of the owner, mode or a symbolic
link on its path. filterctl doctor examines the whole system.

Exit status:
  0  the file is intact and, with --measure, keeps its rate
  1  the file is damaged, does not match its header, or rejects more often than stated; with
     --all also if pam_nearmiss refuses it
  2  the file cannot be read, or has a newer format

With --all, each filter with a problem is also logged to the system log, on one line. The
timer nearmiss-verify.timer runs filterctl verify --all every week, with --record
/var/cache/nearmiss/verified.

Examples:
  filterctl verify /var/cache/nearmiss/words.filter
  filterctl verify --all
  filterctl verify --measure 1000000 words.filter";

/// Verifies the checksums of a filter, compares its content with its header, and measures its false rejection
/// rate.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[command(group = ArgGroup::new("filters").args(["file", "all"]).required(true))]
pub(crate) struct Args {
    /// The filter.
    file: Option<PathBuf>,
    /// Verify every filter that the configuration and the line of the PAM stack name.
    #[arg(long)]
    all: bool,
    /// With --all: write the result to this file, for filterctl doctor and metrics. Only an earlier result is
    /// replaced.
    #[arg(long, value_name = "FILE", requires = "all", conflicts_with = "file")]
    record: Option<PathBuf>,
    #[command(flatten)]
    system: System,
    /// Look up this many random strings and as many word-like ones, and compare with the stated rate.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    measure: Option<u64>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Verifies the filter, or all of them.
    ///
    /// # Errors
    /// The file cannot be read, or was made by a newer format; with `--all`, the configuration cannot be
    /// read, or what was found cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        match &self.file {
            Some(file) => self.verify_one(file),
            None => all::verify(self),
        }
    }

    fn verify_one(&self, file: &Path) -> Outcome {
        if let Some(reported) = file_kind::report_on(file, self.json) {
            return reported;
        }
        let verified = self.verified(file)?;
        report::print(&verified, self.json)?;
        Ok(if verified.is_good() { Exit::Done } else { Exit::No })
    }

    fn verified(&self, file: &Path) -> Result<Verified, Failure> {
        let inspection = Inspection::of(file)?;
        if let Some(FormatError::Version { .. }) = inspection.format_error {
            inspection.refuse_unknown()?;
        }
        let expected = inspection.header.as_ref().and_then(|h| mismatch(&self.system.root, file, h));
        let is_intact = inspection.is_intact() && expected.is_none();
        let failure = |source| Failure::new(format!("cannot measure {}", file.display()), source);
        let measured = match self.measure.filter(|_| is_intact) {
            Some(count) => Some(measure(file, count).map_err(failure)?),
            None => None,
        };
        Ok(Verified {
            file: file.display().to_string(),
            is_intact,
            pages: inspection.pages.read,
            table_pages: inspection.header.as_ref().map_or(0, |header| header.four_gram_pages.into()),
            readers: inspection.readers.clone(),
            problems: inspection.problems().into_iter().chain(expected).collect(),
            refused: refused(file),
            measured,
        })
    }
}

/// An owner, mode or link that the module does not trust, of the file or of a folder on its path.
fn refused(file: &Path) -> Option<String> {
    open_trusted(&without_parents(file)?).err().map(|error| error.to_string())
}

/// The path as a configuration would name it: absolute, without `..`. Links up to the last `..` are followed,
/// later ones are not: the module refuses them.
fn without_parents(file: &Path) -> Option<PathBuf> {
    let file = std::path::absolute(file).ok()?;
    let parts: Vec<Component<'_>> = file.components().collect();
    let Some(last) = parts.iter().rposition(|part| *part == Component::ParentDir) else { return Some(file) };
    let (above, below) = parts.split_at_checked(last.saturating_add(1))?;
    let above = above.iter().collect::<PathBuf>().canonicalize().ok()?;
    Some(above.join(below.iter().collect::<PathBuf>()))
}

/// The verification's result.
#[derive(Serialize)]
struct Verified {
    file: String,
    is_intact: bool,
    /// All pages that were read.
    pages: u64,
    /// The pages of the table of 4-grams among them.
    #[serde(skip)]
    table_pages: u64,
    #[serde(flatten)]
    readers: Readers,
    problems: Vec<String>,
    /// The reason why the module refuses to open it at its path, regardless of its content.
    refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<MeasuredRates>,
}

impl Verified {
    /// It is intact, and keeps its rate where that was measured.
    fn is_good(&self) -> bool {
        self.is_intact && self.measured.as_ref().is_none_or(MeasuredRates::is_within_stated_rate)
    }

    /// The reason why the module cannot use it as it was built.
    fn problem(&self) -> Option<String> {
        let rate = || (!self.is_good()).then(|| "rejects more often than stated".to_owned());
        self.problems.first().or(self.refused.as_ref()).cloned().or_else(rate)
    }
}

impl Report for Verified {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let file = printable(&self.file);
        if self.is_intact {
            let of_words = self.pages.saturating_sub(self.table_pages);
            writeln!(out, "{file}: intact, {}{}", counted(of_words, "page"), and_table(self.table_pages))?;
        }
        write!(out, "{file}: ")?;
        self.readers.write(out)?;
        writeln!(out)?;
        self.problems.iter().try_for_each(|problem| writeln!(out, "{file}: {problem}"))?;
        if let Some(refused) = &self.refused {
            writeln!(out, "pam_nearmiss refuses this file: {}", printable(refused))?;
        }
        self.measured.iter().try_for_each(|measured| measured.write_text(out))
    }
}
