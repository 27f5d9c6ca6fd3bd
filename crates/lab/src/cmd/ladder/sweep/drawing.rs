//! The flags of drawings, and the resulting files and reports.

use std::path::{Path, PathBuf};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
    report::{self, Report},
};
use nearmiss_filters::storage::Access;

use crate::{
    curves::{CurvesReport, Panel, csv},
    figures::Figure,
    output, plot,
};

/// The drawing, and its file.
#[derive(clap::Args)]
pub(crate) struct Drawing {
    /// Draw the curves as SVG.
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Write the points of the curves as CSV.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// The range to draw, such as 30..48 or 1e-8..1e-5.
    #[arg(long, value_name = "A..B", value_parser = range)]
    pub(crate) range: Option<(f64, f64)>,
    /// Also simulate points of the curves, each with this many passwords; real bits, in memory.
    #[arg(long, value_name = "N", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    pub(crate) trials: u64,
    /// Start of the random sequence of a simulation.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Draw the vertical axis by powers of ten.
    #[arg(long)]
    pub(crate) log: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

fn range(text: &str) -> Result<(f64, f64), String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let limits = least.parse().ok().zip(most.parse().ok());
    let limits = limits.filter(|&(least, most): &(f64, f64)| least >= 0.0 && least <= most && most <= 7e10);
    limits.ok_or_else(|| "expected two numbers such as 30..48 or 1e-8..1e-5".to_owned())
}

impl Drawing {
    /// Draws a figure of the paper, or the curves of `panel` if a parameter or a file to draw them in is
    /// named; `None` if the command line requests a number.
    pub(crate) fn drawn(
        &self,
        figure: Option<&String>,
        over: Option<&String>,
        panel: impl FnOnce() -> Result<Panel, Failure>,
    ) -> Option<Outcome> {
        match figure {
            Some(figure) => Some(self.figure(figure)),
            None if over.is_none() && self.plot.is_none() && self.csv.is_none() => None,
            None => Some(panel().and_then(|panel| self.tell(vec![panel]))),
        }
    }

    /// Prints a number in place of curves.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn print(&self, report: &impl Report) -> Outcome {
        report::print(report, self.json)?;
        Ok(Exit::Done)
    }

    /// Draws a figure of the paper, by its name.
    ///
    /// # Errors
    /// There is no such figure; no memory for a simulated array; a file cannot be written.
    pub(crate) fn figure(&self, name: &str) -> Outcome {
        let unknown =
            || Failure::plain(keys::ARGUMENTS, format!("the paper has no figure {name} of this kind"));
        let figure = Figure::named(name).ok_or_else(unknown)?;
        self.tell(figure.panels(self.trials, self.seed)?)
    }

    /// Writes the files, and prints the result.
    ///
    /// # Errors
    /// A file or standard output cannot be written.
    pub(crate) fn tell(&self, panels: Vec<Panel>) -> Outcome {
        let csv = csv(&panels);
        let mut files = Vec::new();
        if let Some(path) = &self.csv {
            files.push(output::replace(path, csv.as_bytes(), Access::Public)?);
        }
        if let Some(path) = &self.plot {
            files.push(draw(path, &panels)?);
        }
        let remarks = panels.iter().flat_map(|panel| panel.remarks.clone()).collect();
        let curves = panels.into_iter().flat_map(|panel| panel.lines).collect();
        self.print(&CurvesReport { curves, remarks, files, csv })
    }
}

/// Draws curves as SVG and returns the file's name.
///
/// # Errors
/// It cannot be drawn, or as [`output::replace`].
pub(crate) fn draw(path: &Path, panels: &[Panel]) -> Result<String, Failure> {
    let charts: Vec<plot::Chart> = panels.iter().map(Panel::chart).collect();
    let svg = plot::svg(&charts)
        .map_err(|e| Failure::plain(keys::INTERNAL_ERROR, format!("cannot draw the curves: {e}")))?;
    output::replace(path, svg.as_bytes(), Access::Public)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_two_numbers() {
        assert_eq!((range("30..48"), range("1e-8..1e-5")), (Ok((30.0, 48.0)), Ok((1e-8, 1e-5))));
        for wrong in ["", "..", "5..4", "-1..3", "a..b", "0..inf"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }
}
