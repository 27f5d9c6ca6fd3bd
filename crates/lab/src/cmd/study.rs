//! `filterlab study`: the measurements on which the choice of parameters is based.

mod catch;
mod false_positives;
mod guessing;
mod locality;
mod policy;
mod spelling;
mod structures;
mod toy;

use std::path::PathBuf;

use nearmiss_cli::{commands, failure::Failure, progress::Progress};
use nearmiss_filters::word::Word;

use crate::study;

commands! {
    /// Measures filters and policies, with results as CSV and plots: the catch, accounts that fall to
    /// guesses, false positives, other structures, the cost of pages.
    struct Args with Study {
        Catch(catch::Args),
        Guessing(guessing::Args),
        FalsePositives(false_positives::Args),
        Structures(structures::Args),
        Locality(locality::Args),
        Spelling(spelling::Args),
        Toy(toy::Args),
    }
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

impl Common {
    fn words(&self) -> Result<Vec<Word>, Failure> {
        let words = study::read_words(&self.lists, &Progress::new(self.results.quiet));
        words.map_err(|e| Failure::new("cannot study the list", e))
    }
}
