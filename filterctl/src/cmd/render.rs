//! `filterctl render`: a picture of the bits.

use std::path::PathBuf;

use nearmiss_filters::storage::{Access, Replacement};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    paths,
    picture::{Subject, draw},
};

const AFTER: &str = "\
Pictures:
  A filter of up to 4 rows of bits for each pixel of its width is drawn bit by bit, from
  the first bit of the first page; a larger one as squares, a page each or several,
  coloured by the fraction of ones. Below it are the facts of the header.

Examples:
  filterctl render words.filter --output words.png
  filterctl render before.filter --with after.filter --output both.png";

/// Rows of bits for each pixel of width.
const MOST_ROWS: u64 = 4;

/// Draws the bits of a filter or a ladder as a PNG picture.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter.
    file: PathBuf,
    /// The picture to write, for yourself alone; an older one is replaced in one step.
    #[arg(short, long, value_name = "PNG")]
    output: PathBuf,
    /// Draw this filter beside it.
    #[arg(long, value_name = "FILE2")]
    with: Option<PathBuf>,
    /// Pixels of width for each filter.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u16).range(256..=4096))]
    width: u16,
}

impl Args {
    /// Draws the picture.
    ///
    /// # Errors
    /// A filter cannot be read, the picture cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let width = u64::from(self.width);
        let most_bits = width.saturating_mul(width).saturating_mul(MOST_ROWS);
        let files = [Some(&self.file), self.with.as_ref()];
        let subjects = files.into_iter().flatten().map(|file| Subject::read(&paths::real(file), most_bits));
        let subjects = subjects.collect::<Result<Vec<_>, _>>()?;
        let picture = draw(&subjects, usize::from(self.width))?;
        let written = Replacement::create(&self.output, Access::Private).and_then(|mut file| {
            file.write(&picture)?;
            file.commit()
        });
        written.map_err(|e| Failure::new("cannot write the picture", e))?;
        Ok(Exit::Done)
    }
}
