//! `filterctl ladder info`: the parameters and the state of the ladder; nothing about any password.

use std::io::{self, Write};

use nearmiss_cli::{
    clock,
    exit::Exit,
    failure::{Failure, Outcome, printable},
    keys,
};
use nearmiss_filters::ladder::{BitStore, FileBits, Header, LadderError, ones, open_array};
use serde::Serialize;

use super::{
    init::{SlowHash, write_slow_hash},
    place::LadderPlace,
    plan::LadderNumbers,
};
use crate::report::{self, Report, counted};

const AFTER: &str = "\
Exit status:
  0  the ladder is intact
  1  its header is damaged
  2  it cannot be read or does not exist

Examples:
  filterctl ladder info --json";

/// Shows the ladder's parameters, its age, and the share of its bits that are ones.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    place: LadderPlace,
}

impl Args {
    /// Reads the array, without its key, and prints the facts.
    ///
    /// # Errors
    /// There is no ladder or it cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        let files = self.place.files()?;
        let file = printable(&files.file.display().to_string());
        match open_array(&files.file) {
            Ok(Some((header, bits))) => {
                let is_guessed = self.place.is_guessed() || counts_guesses(&header);
                let told = LadderInfoReport::of(file, (&header, &bits), is_guessed)?;
                report::print(&told, self.place.json)?;
                Ok(Exit::Done)
            }
            Ok(None) => {
                Err(Failure::plain(keys::LADDER_MISSING, format!("{file}: {}", self.place.never_made())))
            }
            // It is intact, and says nothing to this program.
            Err(error) if error.is_newer() => Err(Failure::new("cannot read the ladder", error)),
            Err(LadderError::File { problem, .. }) => {
                report::print(&Damaged { file, problem: problem.to_string() }, self.place.json)?;
                Ok(Exit::No)
            }
            Err(error) => Err(Failure::new("cannot read the ladder", error)),
        }
    }
}

#[derive(Serialize)]
struct Damaged {
    file: String,
    problem: String,
}

impl Report for Damaged {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n  DAMAGED         {}", self.file, self.problem)
    }
}

#[derive(Serialize)]
struct LadderInfoReport {
    file: String,
    file_bytes: u64,
    created: u64,
    age_days: i64,
    density: f64,
    slow_hash: Option<SlowHash>,
    stamps: u32,
    #[serde(flatten)]
    numbers: LadderNumbers,
}

impl LadderInfoReport {
    fn of(
        file: String,
        (header, bits): (&Header, &FileBits),
        is_guessed: bool,
    ) -> Result<LadderInfoReport, Failure> {
        let now = clock::now();
        Ok(LadderInfoReport {
            file,
            file_bytes: header.file_length(),
            created: header.created,
            age_days: clock::days_since(header.created, now),
            density: density(bits)?,
            slow_hash: header.cost.map(SlowHash::of),
            stamps: header.stamps,
            numbers: LadderNumbers::of(&header.params).with_role(is_guessed),
        })
    }
}

/// True for a ladder that `ladder init --guessed` made: only these have neither a slow hash nor stamps.
fn counts_guesses(header: &Header) -> bool {
    header.cost.is_none() && header.stamps == 0
}

/// The share of ones among the bits.
///
/// # Errors
/// A page cannot be read.
pub(super) fn density(bits: &FileBits) -> Result<f64, Failure> {
    let bytes = bits.byte_count();
    let ones = ones(bits, 0, bytes).map_err(|e| Failure::new("cannot read the ladder", e))?;
    Ok(ones as f64 / (bytes as f64 * 8.0))
}

impl Report for LadderInfoReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.file)?;
        writeln!(out, "  size            {} bytes", self.file_bytes)?;
        writeln!(out, "  made            {}", clock::ago_with_reason(self.age_days))?;
        writeln!(out, "  density         {:.6} of all bits are ones", self.density)?;
        write_slow_hash(self.slow_hash.as_ref(), out)?;
        writeln!(out, "  stamps          room for {}", counted(self.stamps.into(), "account"))?;
        self.numbers.write_text(out)
    }
}
