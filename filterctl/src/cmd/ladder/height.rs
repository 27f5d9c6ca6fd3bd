//! `filterctl ladder height`: the heights of passwords.

use std::io::{self, Write};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
};
use nearmiss_filters::ladder::OpenLadder;
use serde::Serialize;

use super::place::LadderPlace;
use crate::{
    candidates::reader::Candidates,
    report::{self, Report},
};

const AFTER: &str = "\
For tests: a height says little about a single password, and reading one costs a slow hash. With
--guessed, which has no slow hash, the height shows whether a password is often guessed here.
A line $HEX[...] stands for its bytes.

Exit status:
  0  no password is too common, or often guessed
  1  at least one is
  2  the ladder cannot be used

Examples:
  filterctl ladder height < passwords";

/// Prints the height of each password read from standard input.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    #[command(flatten)]
    place: LadderPlace,
}

impl Args {
    /// Reads passwords and prints heights. Changes nothing.
    ///
    /// # Errors
    /// The ladder or standard input cannot be used.
    pub(crate) fn run(&self) -> Outcome {
        let ladder = self.place.open()?;
        let mut heights = Vec::new();
        Candidates::open()?.for_each_countable(|password| {
            heights.push(height(&ladder, password)?);
            Ok(())
        })?;
        let params = ladder.header().params;
        let is_guessed = self.place.is_guessed();
        let told = HeightReport { rungs: params.rungs(), threshold: params.threshold(), heights, is_guessed };
        report::print(&told, self.place.json)?;
        Ok(if told.is_any_too_common() { Exit::No } else { Exit::Done })
    }
}

fn height(ladder: &OpenLadder, password: &[u8]) -> Result<u32, Failure> {
    let height = ladder.element(password).and_then(|element| ladder.height(&element));
    height.map_err(|e| Failure::new("cannot read the ladder", e))
}

#[derive(Serialize)]
struct HeightReport {
    rungs: u32,
    threshold: u32,
    heights: Vec<u32>,
    #[serde(skip)]
    is_guessed: bool,
}

impl HeightReport {
    fn is_any_too_common(&self) -> bool {
        self.heights.iter().any(|height| *height >= self.threshold)
    }
}

impl Report for HeightReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let frequent = if self.is_guessed { "  guessed often" } else { "  too common" };
        for height in &self.heights {
            let verdict = if *height >= self.threshold { frequent } else { "" };
            writeln!(out, "{height:>3} of {}{verdict}", self.rungs)?;
        }
        Ok(())
    }
}
