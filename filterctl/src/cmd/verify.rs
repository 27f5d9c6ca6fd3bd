//! `filterctl verify`: is a filter intact, and does it keep its rate? `all` asks that of every filter that is
//! configured.

mod all;

use std::{
    io::{self, Write},
    path::{Component, Path, PathBuf},
};

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
        measure::{Measured, measure},
    },
    flags::system::System,
    report::{self, Report, access::Readers, counted},
};

const AFTER: &str = "\
Every page is read: its checksum, how full it is beside what the header claims, and whether
it contains random strings, or lacks the most common passwords where it is a corpus of
leaked ones, of a million digests or more.

Where pam_nearmiss would not trust the file for its owner, mode or links, or the ones of a
folder on the way to it, that is reported too. filterctl doctor examines the whole system.

Exit status:
  0  the file is intact and, with --measure, keeps its rate
  1  the file is damaged, says what its header does not claim, or rejects more often than it
     states; with --all, or pam_nearmiss refuses it
  2  the file cannot be read, or was made by a newer format

With --all each filter with a problem is one line of the system log, too. The timer
nearmiss-verify.timer runs filterctl verify --all every week, with
--record /var/cache/nearmiss/verified.

Examples:
  filterctl verify /var/cache/nearmiss/words.filter
  filterctl verify --all
  filterctl verify --measure 1000000 words.filter";

/// Checks every byte of a filter against its checksums, what it says against its header, and its false
/// rejection rate by trial.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter.
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    file: Option<PathBuf>,
    /// Verify every filter that the configuration and the line of the PAM stack ask.
    #[arg(long)]
    all: bool,
    /// Write the result to this file, for filterctl doctor and metrics: with --all.
    #[arg(long, value_name = "FILE", requires = "all")]
    record: Option<PathBuf>,
    #[command(flatten)]
    system: System,
    /// Look up this many random and as many word-like strings, and compare with the rate stated.
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
            readers: inspection.readers.clone(),
            problems: inspection.problems().into_iter().chain(expected).collect(),
            refused: refused(file),
            measured,
        })
    }
}

/// Owner, mode or links that the module does not trust, of the file or on the way to it.
fn refused(file: &Path) -> Option<String> {
    open_trusted(&without_parents(file)?).err().map(|error| error.to_string())
}

/// The path as a configuration would name it: absolute, without `..`. Links that lead up to the last `..` are
/// followed, those behind it are not: the module refuses them.
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
    pages: u64,
    #[serde(flatten)]
    readers: Readers,
    problems: Vec<String>,
    /// Why the module does not open it where it lies, whatever it holds.
    refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<Measured>,
}

impl Verified {
    /// It is intact, and keeps its rate where that was measured.
    fn is_good(&self) -> bool {
        self.is_intact && self.measured.as_ref().is_none_or(Measured::is_within_stated_rate)
    }

    /// The reason why the module cannot ask it as it was built.
    fn problem(&self) -> Option<String> {
        let rate = || (!self.is_good()).then(|| "rejects more often than it states".to_owned());
        self.problems.first().or(self.refused.as_ref()).cloned().or_else(rate)
    }
}

impl Report for Verified {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let file = printable(&self.file);
        if self.is_intact {
            writeln!(out, "{file}: intact, {}", counted(self.pages, "page"))?;
        }
        write!(out, "{file}: ")?;
        self.readers.write(out)?;
        writeln!(out)?;
        self.problems.iter().try_for_each(|problem| writeln!(out, "{file}: {problem}"))?;
        if let Some(refused) = &self.refused {
            writeln!(out, "pam_nearmiss refuses it: {}", printable(refused))?;
        }
        self.measured.iter().try_for_each(|measured| measured.write_text(out))
    }
}
