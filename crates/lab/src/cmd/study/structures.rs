//! `filterlab study structures`: time and memory beside a hash table and a search tree.

use std::{
    env,
    io::{self, Read, Write},
    process::{Command, Stdio},
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
    report::{self, Report, counted},
};
use serde::Serialize;

use super::Common;
use crate::study::{
    OutputFolder, Steps,
    structures::{Numbers, Structure, csv, medians, memory_chart, run, time_chart},
};

const AFTER: &str = "\
Method:
  Each structure is built and queried in a separate process, several times; medians
  are printed. Memory is the growth of the process while the structure was built. The
  hash table and the tree contain copies of the words, the tree in random order.

Files:
  structures.csv         all numbers
  structures-memory.svg  bytes a word
  structures-time.svg    nanoseconds to build and to look up

Examples:
  filterlab study structures /usr/share/dict/words --output study";

/// Compares a Bloom filter with a hash table and a binary search tree: time and memory.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// The false positive rate of the Bloom filter.
    #[arg(long, value_name = "RATE", default_value_t = 0.01, value_parser = rate)]
    rate: f64,
    /// Runs of each structure.
    #[arg(long, value_name = "N", default_value_t = 7,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Run this structure alone, once, on the words on standard input as they are, and print its numbers as
    /// JSON.
    #[arg(long, value_name = "STRUCTURE")]
    only: Option<Structure>,
    #[command(flatten)]
    common: Common,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if (1e-9..=0.5).contains(&rate) => Ok(rate),
        _ => Err("expected a rate from 1e-9 to 0.5".to_owned()),
    }
}

/// The medians.
#[derive(Serialize)]
struct StructuresReport {
    runs: u32,
    structures: Vec<Numbers>,
    files: Vec<String>,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        if let Some(structure) = self.only {
            // Large enough to be mapped on its own from the start: growing then frees nothing (see
            // `Shuffled`).
            let mut words = Vec::with_capacity(1 << 20);
            io::stdin().lock().read_to_end(&mut words).map_err(unmeasurable)?;
            let numbers = run(structure, &words, self.rate).map_err(unmeasurable)?;
            report::print(&numbers, true)?;
            return Ok(Exit::Done);
        }
        let mut folder = OutputFolder::open(&self.common.results.output)?;
        let structures = self.measure_all()?;
        folder.write("structures.csv", &csv(&structures, self.runs))?;
        folder.plot("structures-memory.svg", &memory_chart(&structures))?;
        folder.plot("structures-time.svg", &time_chart(&structures))?;
        if !self.common.results.quiet || self.common.results.json {
            let told = StructuresReport { runs: self.runs, structures, files: folder.into_files() };
            report::print(&told, self.common.results.json)?;
        }
        Ok(Exit::Done)
    }

    fn measure_all(&self) -> Result<Vec<Numbers>, Failure> {
        let words = self.common.words()?;
        let words = words.iter().flat_map(|word| [word.as_bytes(), b"\n"]).collect::<Vec<_>>().concat();
        let steps =
            Steps::new("measuring", u64::from(self.runs).saturating_mul(3), self.common.results.quiet);
        let mut all = Vec::new();
        for structure in Structure::ALL {
            let runs = (0..self.runs).map(|_| {
                let numbers = self.run_apart(structure, &words);
                steps.advance();
                numbers
            });
            all.extend(medians(&runs.collect::<Result<Vec<_>, _>>()?));
        }
        Ok(all)
    }

    /// One run in a process of its own.
    fn run_apart(&self, structure: Structure, words: &[u8]) -> Result<Numbers, Failure> {
        let program = env::current_exe().map_err(unmeasurable)?;
        let rate = self.rate.to_string();
        let mut command = Command::new(program);
        command.args(["study", "structures", "--only", structure.option(), "--rate", &rate, "-"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(unmeasurable)?;
        // The run reads all words before it says anything; dropping the pipe tells it where they end.
        if let Some(mut pipe) = child.stdin.take() {
            pipe.write_all(words).map_err(unmeasurable)?;
        }
        let output = child.wait_with_output().map_err(unmeasurable)?;
        if !output.status.success() {
            return Err(Failure::plain(keys::SYSTEM_ERROR, "cannot measure: a run failed"));
        }
        serde_json::from_slice(&output.stdout).map_err(|e| unmeasurable(e.into()))
    }
}

fn unmeasurable(source: io::Error) -> Failure {
    Failure::new("cannot measure", source)
}

impl Report for Numbers {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{:<13} {:>9.2} {:>9.1} {:>8.1} {:>8.1} {:>10.3} %",
            self.title(),
            self.bytes_per_word(),
            self.build_ns,
            self.hit_ns,
            self.miss_ns,
            100.0 * self.false_positive_rate
        )
    }
}

impl Report for StructuresReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let words = self.structures.first().map_or(0, |numbers| numbers.words);
        writeln!(out, "{}, medians of {}", counted(words, "word"), counted(self.runs.into(), "run"))?;
        writeln!(out, "              bytes/word  build ns   hit ns  miss ns  false pos.")?;
        self.structures.iter().try_for_each(|numbers| numbers.write_text(out))?;
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}
