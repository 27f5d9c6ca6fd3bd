//! The folder a study writes into: files are replaced in one step, and told by name.

use std::path::{Path, PathBuf};

use nearmiss_cli::{failure::Failure, keys};
use nearmiss_filters::storage::{Access, make_folders};

use crate::{
    output,
    plot::{self, Chart},
};

/// A folder for results.
pub(crate) struct OutputFolder {
    path: PathBuf,
    written: Vec<String>,
}

impl OutputFolder {
    /// The folder, made where it is missing.
    ///
    /// # Errors
    /// A [`Failure`] when it cannot be made.
    pub(crate) fn open(path: &Path) -> Result<OutputFolder, Failure> {
        let path = make_folders(path, 0o777)
            .map_err(|e| Failure::new("cannot create the folder of the results", e))?;
        Ok(OutputFolder { path, written: Vec::new() })
    }

    /// Writes a file in it.
    ///
    /// # Errors
    /// A [`Failure`] when it cannot be written; an older file is then as it was.
    pub(crate) fn write(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        self.written.push(output::write(&self.path.join(name), text.as_bytes(), Access::Public)?);
        Ok(())
    }

    /// Draws a plot into it.
    ///
    /// # Errors
    /// A [`Failure`] when it cannot be drawn or written.
    pub(crate) fn plot(&mut self, name: &str, chart: &Chart) -> Result<(), Failure> {
        self.plots(name, std::slice::from_ref(chart))
    }

    /// Draws plots into it, one below the other.
    ///
    /// # Errors
    /// A [`Failure`] when they cannot be drawn or written.
    pub(crate) fn plots(&mut self, name: &str, charts: &[Chart]) -> Result<(), Failure> {
        let svg = plot::svg(charts)
            .map_err(|e| Failure::plain(keys::INTERNAL_ERROR, format!("cannot draw {name}: {e}")))?;
        self.write(name, &svg)
    }

    /// The files written so far.
    pub(crate) fn into_files(self) -> Vec<String> {
        self.written
    }
}
