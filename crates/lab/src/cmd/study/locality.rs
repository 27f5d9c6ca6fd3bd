//! `filterlab study locality`: the cost of pages, and the paper's Table 2.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
    progress::Progress,
    report::{self, Report, counted, number},
};
use nearmiss_filters::{hash::Key, ladder::SeededRandom};
use serde::Serialize;

use super::Results;
use crate::study::{
    self, OutputFolder, Steps,
    extension::{Extension, sample},
    locality::{
        FigureOne, Measured, PAPER_EXTENSION, Repeated, chart, csv, figure_1, layout, page_sizes,
        repeated_csv, repeated_table_2, sweep, table_2,
    },
};

const AFTER: &str = "\
Method:
  Words are chosen from the list at random until their 1-extension (Manber & Wu 1994)
  has as many distinct strings as the paper's list of 194,168 words. Random passwords are
  looked up in filters of the extension with 5 probes: 8 printable characters, at least
  one of them neither letter nor digit.

Files:
  locality.csv  every size with pages of 32 bytes to 64 KiB, and without pages
  locality.svg  the rate against the page size
  table-2.csv   original and local, measured and by formula 3.5 (Table 2 of the paper)
  figure-1.csv, figure-1.svg: with --figure 1, which needs no list

Examples:
  filterlab study locality --figure 1 --output study
  filterlab study locality --table 2 /usr/share/dict/american-english-huge --output study
  filterlab study locality /usr/share/dict/american-english-huge --output study";

/// Measures the cost of keeping all bits of a string in one page.
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
    /// The number of random passwords, or other strings, that are looked up in each filter. Default: 1000000;
    /// 100000 for each repetition of --figure 1 and 10000 of --table 2.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    queries: Option<u64>,
    /// The seed of the random choice of words.
    #[arg(long, value_name = "N", default_value_t = 1994)]
    seed: u64,
    /// Draw the paper's Figure 1: each string is looked up once, 5 and 7 probes, many repetitions.
    #[arg(long, value_name = "FIGURE", value_parser = ["1"])]
    #[arg(conflicts_with_all = ["megabytes", "extension", "table", "lists"])]
    figure: Option<String>,
    /// Measure only the paper's Table 2, many times, each with other hash functions.
    #[arg(long, value_name = "TABLE", value_parser = ["2"])]
    table: Option<String>,
    /// With --figure or --table: the number of repetitions.
    #[arg(long, value_name = "N", default_value_t = 50)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=10_000))]
    repetitions: u64,
    /// With --figure 1: strings in the filter.
    #[arg(long, value_name = "N", default_value_t = 100_000, requires = "figure")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    keys: u64,
    /// With --figure 1: bits of the filter.
    #[arg(long, value_name = "M", default_value_t = 1_000_000, requires = "figure")]
    #[arg(value_parser = clap::value_parser!(u64).range(1024..=1 << 36))]
    bits: u64,
    /// With --figure 1: numbers of probes, a curve each.
    #[arg(long, value_name = "K", num_args = 1.., default_values_t = [5_u32, 7], requires = "figure")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=64))]
    probes: Vec<u32>,
    #[command(flatten)]
    results: Results,
    /// Word lists, as for filterctl build.
    #[arg(value_name = "LIST", required_unless_present = "figure")]
    lists: Vec<PathBuf>,
}

fn megabytes(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(size) if (0.001..=10_000.0).contains(&size) => Ok(size),
        _ => Err("expected a size from 0.001 to 10000".to_owned()),
    }
}

/// The measurement.
#[derive(Serialize)]
struct LocalityReport {
    words: u64,
    strings: u64,
    table_2: Vec<Measured>,
    files: Vec<String>,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let mut folder = OutputFolder::open(&self.results.output)?;
        if self.figure.is_some() {
            return self.draw_figure_1(folder);
        }
        let key = Key::new([0x4d; 16]);
        let extension = self.sample(&key)?;
        let mut sizes = self.megabytes.clone();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        if self.table.is_some() {
            return self.repeat_table_2(folder, &extension, &key, &sizes);
        }
        let count = (sizes.len() as u64).saturating_mul(page_sizes().len() as u64);
        let steps = Steps::new("measuring", count, self.results.quiet);
        let all = sweep(&extension, &key, &sizes, self.queries.unwrap_or(1_000_000), &steps);
        drop(steps);
        let table = table_2(&all);
        folder.write("locality.csv", &csv(&all))?;
        folder.plot("locality.svg", &chart(&all))?;
        folder.write("table-2.csv", &csv(&table))?;
        let strings = extension.hashes.len() as u64;
        if !self.results.quiet || self.results.json {
            let told = LocalityReport {
                words: extension.words,
                strings,
                table_2: table,
                files: folder.into_files(),
            };
            report::print(&told, self.results.json)?;
        }
        Ok(Exit::Done)
    }

    fn draw_figure_1(&self, mut folder: OutputFolder) -> Outcome {
        let (keys, bits, repetitions) = (self.keys, self.bits, self.repetitions);
        let queries = self.queries.unwrap_or(100_000);
        let figure = FigureOne { keys, bits, probes: self.probes.clone(), queries, repetitions };
        let steps = Steps::new("measuring", figure.count(), self.results.quiet);
        let all = figure.measure(&steps);
        drop(steps);
        folder.write("figure-1.csv", &repeated_csv(&all))?;
        folder.plot("figure-1.svg", &figure_1(&figure, &all))?;
        self.tell(all, folder)
    }

    fn repeat_table_2(
        &self,
        mut folder: OutputFolder,
        extension: &Extension,
        key: &Key,
        sizes: &[f64],
    ) -> Outcome {
        let count = (sizes.len() as u64).saturating_mul(2).saturating_mul(self.repetitions);
        let steps = Steps::new("measuring", count, self.results.quiet);
        let asked = (self.queries.unwrap_or(10_000), self.repetitions);
        let all = repeated_table_2(extension, key, sizes, asked, &steps);
        drop(steps);
        folder.write("table-2.csv", &repeated_csv(&all))?;
        self.tell(all, folder)
    }

    fn tell(&self, rows: Vec<Repeated>, folder: OutputFolder) -> Outcome {
        if !self.results.quiet || self.results.json {
            report::print(&RepeatedReport { rows, files: folder.into_files() }, self.results.json)?;
        }
        Ok(Exit::Done)
    }

    fn sample(&self, key: &Key) -> Result<Extension, Failure> {
        let words = study::read_words(&self.lists, &Progress::new(self.results.quiet));
        let mut words = words.map_err(|e| Failure::new("cannot study the list", e))?;
        let extension = sample(&mut words, self.extension, key, &mut SeededRandom::new(self.seed));
        // The last words may not fit exactly; a list that falls shorter has run out.
        if (extension.hashes.len() as u64) < self.extension.saturating_sub(100) {
            let (got, wanted) = (extension.hashes.len(), self.extension);
            let advice = "use a larger list, such as Debian's wamerican-huge, or a smaller --extension";
            let message = format!("the list's extension has {got} distinct strings of {wanted}; {advice}");
            return Err(Failure::plain(keys::LIST_EMPTY, message));
        }
        Ok(extension)
    }
}

impl Report for LocalityReport {
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
            let ([layout, _], size, time) = (layout(row.page_bytes), row.megabytes, row.microseconds);
            writeln!(
                out,
                "{size:>6}  {layout:<8}  {measured:>6.3} %  {formula:>9.3} %  {paper:>14}  {time:>11.3}"
            )?;
        }
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}

/// A repeated measurement.
#[derive(Serialize)]
struct RepeatedReport {
    rows: Vec<Repeated>,
    files: Vec<String>,
}

impl Report for RepeatedReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "    MB   page  probes  mean of repetitions  deviation  formula  paper measured")?;
        for row in &self.rows {
            let paper = row.paper.map_or("-".to_owned(), |rate| format!("{:.2} %", 100.0 * rate));
            let page = row.page_bytes.map_or("none".to_owned(), |bytes| bytes.to_string());
            let [mean, deviation, formula] = [row.mean, row.deviation, row.formula].map(|rate| 100.0 * rate);
            writeln!(
                out,
                "{:>6.3} {page:>6}  {:>6}  {mean:>9.3} % ({:>4})  {deviation:>7.3} %  {formula:.3} %  \
                 {paper:>14}",
                row.megabytes, row.probes, row.repetitions
            )?;
        }
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}
