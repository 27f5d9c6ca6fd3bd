//! Where the ladder and its key are: what the configuration says, or the command line.

use std::path::PathBuf;

use nearmiss_filters::{
    config::{Config, DEFAULT_PATH},
    ladder::{ChosenLadder, LadderFiles},
};

use crate::{configuration, failure::Failure, paths};

/// The flags that name a ladder.
#[derive(clap::Args)]
pub(super) struct Place {
    /// Read the paths from this configuration.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    conf: PathBuf,
    /// The ladder, instead of the configured one.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Its key, instead of the configured one.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Place {
    /// The configuration; none where the command line gives both paths, and it is not read.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub(super) fn config(&self) -> Result<Option<Config>, Failure> {
        if self.file.is_some() && self.key.is_some() {
            return Ok(None);
        }
        configuration::load(&self.conf).map(Some)
    }

    /// The two paths.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub(super) fn files(&self) -> Result<LadderFiles, Failure> {
        let LadderFiles { file, key } = self.config()?.unwrap_or_default().ladder;
        Ok(LadderFiles {
            file: self.file.as_deref().map_or(file, paths::real),
            key: self.key.as_deref().map_or(key, paths::real),
        })
    }

    /// The ladder, open.
    ///
    /// # Errors
    /// It was never made or cannot be used.
    pub(super) fn open(&self) -> Result<ChosenLadder, Failure> {
        let files = self.files()?;
        let ladder = ChosenLadder::open(&files).map_err(|e| Failure::new("cannot use the ladder", e))?;
        ladder.ok_or_else(|| Failure::plain(format!("{}: {NEVER_MADE}", files.file.display())))
    }
}

/// What is reported of a ladder that does not exist.
pub(super) const NEVER_MADE: &str = "there is no ladder; make one with filterctl ladder init";
