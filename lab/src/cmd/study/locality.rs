//! `filterlab study locality`: what pages cost, and the paper's Table 2.

use std::io::{self, Write};

use nearmiss_filters::{hash::Key, ladder::SeededRandom};
use serde::Serialize;

use super::Common;
use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    report::{self, Report, counted, number},
    study::{
        OutputFolder, Steps,
        extension::{Extension, sample},
        locality::{Measured, PAPER_EXTENSION, chart, csv, page_sizes, sweep, table_2},
    },
};

const AFTER: &str = "\
Method:
  Words are chosen from the list at random until their 1-extension (Manber & Wu 1994)
  has as many distinct strings as the paper's list of 194,168 words. Filters with 5
  probes hold the extension and are asked for random passwords: 8 printable characters,
  at least one of them neither letter nor digit.

Files:
  locality.csv  every size with pages of 32 bytes to 64 KiB, and without pages
  locality.svg  the rate against the page size (Figure 1 of the paper)
  table-2.csv   original and local, measured and by formula 3.5 (Table 2 of the paper)

Examples:
  filterlab study locality /usr/share/dict/american-english-huge --output study";

/// Measures what it costs to keep all bits of a string in one page.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// Sizes of the filters in 10^6 bytes.
    #[arg(long, value_name = "MB", num_args = 1.., default_values_t = [5.0, 7.5], value_parser = megabytes)]
    megabytes: Vec<f64>,
    /// Distinct strings of the extension.
    #[arg(long, value_name = "N", default_value_t = PAPER_EXTENSION,
        value_parser = clap::value_parser!(u64).range(1000..))]
    extension: u64,
    /// Random passwords that each filter is asked for.
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
        value_parser = clap::value_parser!(u64).range(1..))]
    queries: u64,
    /// Choose words by this seed.
    #[arg(long, value_name = "N", default_value_t = 1994)]
    seed: u64,
    #[command(flatten)]
    common: Common,
}

fn megabytes(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(size) if (0.001..=10_000.0).contains(&size) => Ok(size),
        _ => Err("expected a size from 0.001 to 10000".to_owned()),
    }
}

/// What was measured.
#[derive(Serialize)]
struct Told {
    words: u64,
    strings: u64,
    table_2: Vec<Measured>,
    files: Vec<String>,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let mut folder = OutputFolder::open(&self.common.results.output)?;
        let key = Key::new([0x4d; 16]);
        let extension = self.sample(&key)?;
        let mut sizes = self.megabytes.clone();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let count = (sizes.len() as u64).saturating_mul(page_sizes().len() as u64);
        let steps = Steps::new("measuring", count, self.common.results.quiet);
        let all = sweep(&extension, &key, &sizes, self.queries, &steps);
        drop(steps);
        let table = table_2(&all);
        folder.write("locality.csv", &csv(&all))?;
        folder.plot("locality.svg", &chart(&all))?;
        folder.write("table-2.csv", &csv(&table))?;
        let strings = extension.hashes.len() as u64;
        if !self.common.results.quiet || self.common.results.json {
            let told = Told { words: extension.words, strings, table_2: table, files: folder.into_files() };
            report::print(&told, self.common.results.json)?;
        }
        Ok(Exit::Done)
    }

    fn sample(&self, key: &Key) -> Result<Extension, Failure> {
        let mut words = self.common.words()?;
        let extension = sample(&mut words, self.extension, key, &mut SeededRandom::new(self.seed));
        // The last words may not fit exactly; a list that falls shorter has run out.
        if (extension.hashes.len() as u64) < self.extension.saturating_sub(100) {
            let (got, wanted) = (extension.hashes.len(), self.extension);
            let advice = "give a larger list, as Debian's wamerican-huge has, or a smaller --extension";
            let message = format!("the list's extension has {got} distinct strings of {wanted}; {advice}");
            return Err(Failure::plain(message));
        }
        Ok(extension)
    }
}

impl Report for Told {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{}, {} distinct strings of their extension",
            counted(self.words, "word"),
            number(self.strings)
        )?;
        writeln!(out, "    MB  layout    measured  formula 3.5  paper measured  us/password")?;
        for row in &self.table_2 {
            let paper = row.paper.map_or("-".to_owned(), |rate| format!("{:.2} %", 100.0 * rate));
            let (measured, formula) = (100.0 * row.rate, 100.0 * row.formula);
            let (size, layout, time) = (row.megabytes, row.layout(), row.microseconds);
            writeln!(
                out,
                "{size:>6}  {layout:<8}  {measured:>6.3} %  {formula:>9.3} %  {paper:>14}  {time:>11.3}"
            )?;
        }
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}
