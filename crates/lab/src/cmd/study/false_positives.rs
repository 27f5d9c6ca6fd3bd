//! `filterlab study false-positives`: the rate against size and probes.

use std::io::{self, Write};

use nearmiss_cli::{
    exit::Exit,
    failure::Outcome,
    report::{self, Report, counted},
};
use serde::Serialize;

use super::Common;
use crate::study::{
    OutputFolder, Steps,
    false_positives::{Best, Sweep, best, chart, csv, default_bits, measure},
};

const AFTER: &str = "\
Method:
  A Bloom filter of each size and number of probes contains the list. Every string of
  3 or 4 letters a-z that is not in the list is looked up; matches are false positives.

Files:
  false-positives.csv  every point, measured and by the formula
  false-positives.svg  the rate against the number of probes, a curve for each size

Examples:
  filterlab study false-positives /usr/share/dict/words --output study
  filterlab study false-positives words.txt --bits 800000 1000000 --probes 4 5 6 7";

/// Sweeps size and probes of a Bloom filter and counts false positives.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// Sizes in bits; default 4, 6, 8 ... 16 for each word.
    #[arg(long, value_name = "M", num_args = 1.., value_parser = clap::value_parser!(u64).range(8..=1 << 40))]
    bits: Vec<u64>,
    /// Numbers of probes; default 1 to 14.
    #[arg(long, value_name = "K", num_args = 1.., value_parser = clap::value_parser!(u32).range(1..=64))]
    probes: Vec<u32>,
    /// Measure each point with this many hash keys.
    #[arg(long, value_name = "N", default_value_t = 4,
        value_parser = clap::value_parser!(u64).range(1..=1000))]
    keys: u64,
    #[command(flatten)]
    common: Common,
}

/// The sweep's result.
#[derive(Serialize)]
struct FalsePositivesReport {
    words: u64,
    sizes: Vec<Best>,
    files: Vec<String>,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let mut folder = OutputFolder::open(&self.common.results.output)?;
        let words = self.common.words()?;
        let sweep = self.sweep(words.len() as u64);
        let count =
            (sweep.bits.len() as u64).saturating_mul(sweep.probes.len() as u64).saturating_mul(sweep.keys);
        let steps = Steps::new("measuring", count, self.common.results.quiet);
        let points = measure(&words, &sweep, &steps);
        drop(steps);
        folder.write("false-positives.csv", &csv(&points))?;
        folder.plot("false-positives.svg", &chart(&points))?;
        let told = FalsePositivesReport {
            words: words.len() as u64,
            sizes: best(&points),
            files: folder.into_files(),
        };
        if !self.common.results.quiet || self.common.results.json {
            report::print(&told, self.common.results.json)?;
        }
        Ok(Exit::Done)
    }

    fn sweep(&self, words: u64) -> Sweep {
        let mut bits = if self.bits.is_empty() { default_bits(words) } else { self.bits.clone() };
        let mut probes = if self.probes.is_empty() { (1..=14).collect() } else { self.probes.clone() };
        bits.sort_unstable();
        bits.dedup();
        probes.sort_unstable();
        probes.dedup();
        Sweep { bits, probes, keys: self.keys }
    }
}

impl Report for FalsePositivesReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", counted(self.words, "word"))?;
        writeln!(
            out,
            "      bits  bits/word  (m/n) ln 2  best k, formula  best k, measured  \
             least rate, formula  measured"
        )?;
        self.sizes.iter().try_for_each(|size| size.write_text(out))?;
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}
