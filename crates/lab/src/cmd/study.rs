//! `filterlab study`: the measurements that a choice of parameters rests on.

mod catch;
mod false_positives;
mod locality;
mod spelling;
mod structures;
mod toy;

use std::path::PathBuf;

use clap::Subcommand;
use nearmiss_cli::{
    failure::{Failure, Outcome},
    progress::Progress,
};
use nearmiss_filters::word::Word;

use crate::study;

/// Measures filters and policies as CSV and plots: the catch, false positives, other structures, the
/// cost of pages.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The study.
    #[command(subcommand)]
    study: Study,
}

/// The studies.
#[derive(Subcommand)]
enum Study {
    Catch(catch::Args),
    FalsePositives(false_positives::Args),
    Structures(structures::Args),
    Locality(locality::Args),
    Spelling(spelling::Args),
    Toy(toy::Args),
}

/// The folder of the results.
#[derive(clap::Args)]
struct Results {
    /// Write CSV and SVG files into this folder.
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress and print no report.
    #[arg(short, long)]
    quiet: bool,
}

/// The input of the studies of structures.
#[derive(clap::Args)]
struct Common {
    #[command(flatten)]
    results: Results,
    /// Word lists, as for filterctl build.
    #[arg(value_name = "LIST", required = true)]
    lists: Vec<PathBuf>,
}

impl Args {
    /// Runs the study.
    ///
    /// # Errors
    /// A list cannot be read, a result cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        match &self.study {
            Study::Catch(args) => args.run(),
            Study::FalsePositives(args) => args.run(),
            Study::Structures(args) => args.run(),
            Study::Locality(args) => args.run(),
            Study::Spelling(args) => args.run(),
            Study::Toy(args) => args.run(),
        }
    }
}

impl Common {
    fn words(&self) -> Result<Vec<Word>, Failure> {
        let words = study::read_words(&self.lists, &Progress::new(self.results.quiet));
        words.map_err(|e| Failure::new("cannot study the list", e))
    }
}
