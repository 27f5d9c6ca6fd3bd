//! `filterlab render`: a picture of the bits.

use std::path::PathBuf;

use nearmiss_cli::{exit::Exit, failure::Outcome};
use nearmiss_filters::storage::Access;

use crate::{
    output,
    picture::{PictureSubject, draw},
};

const AFTER: &str = "\
Pictures:
  A file with at most as many bits as a square of this width has pixels is drawn bit by
  bit, from the first bit of the first page; a larger one as squares of one or more pages,
  coloured by the share of ones. Two files side by side are drawn in the same way, unless
  one has less than a quarter of the other's pages. Numbers on the left count pages; below
  are the facts of the header.
  Only its owner can read a picture (0600) of a ladder, or of a file that not every user may
  read.

Examples:
  filterlab render words.filter --output words.png
  filterlab render before.filter --with after.filter --output both.png";

/// Draws the bits of a filter or a ladder as a PNG picture.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter or ladder.
    file: PathBuf,
    /// The picture to write; an older one is replaced in one step.
    #[arg(short, long, value_name = "PNG")]
    output: PathBuf,
    /// Draw this filter or ladder next to it.
    #[arg(long, value_name = "FILE2")]
    with: Option<PathBuf>,
    /// The width of each, in pixels.
    #[arg(long, value_name = "N", default_value_t = 1024,
        value_parser = clap::value_parser!(u16).range(256..=4096))]
    width: u16,
}

impl Args {
    /// Draws the picture.
    ///
    /// # Errors
    /// A filter cannot be read, the picture cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let width = u64::from(self.width);
        let most_bits = width.saturating_mul(width);
        let files = [Some(&self.file), self.with.as_ref()];
        let subjects = files.into_iter().flatten().map(|file| PictureSubject::read(file, most_bits));
        let subjects = subjects.collect::<Result<Vec<_>, _>>()?;
        let picture = draw(&subjects, usize::from(self.width))?;
        let is_private = subjects.iter().any(PictureSubject::is_private);
        let access = if is_private { Access::Private } else { Access::Public };
        output::replace(&self.output, &picture, access)?;
        Ok(Exit::Done)
    }
}
