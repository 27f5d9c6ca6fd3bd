//! The paths of the ladder and its key: the configuration's, or the command line's.

use std::path::{Path, PathBuf};

use nearmiss_cli::{failure::Failure, keys, paths};
use nearmiss_filters::ladder::{LadderFiles, OpenLadder};
use nearmiss_policy::config::{Config, DEFAULT_PATH};

use crate::configuration;

/// The flags of every command on a ladder.
#[derive(clap::Args)]
pub(super) struct LadderPlace {
    /// Read the paths from this configuration.
    #[arg(long, value_name = "FILE", default_value = DEFAULT_PATH)]
    conf: PathBuf,
    /// The ladder, instead of the configured one.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Its key, instead of the configured one.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Use the ladder of guessed passwords instead of the ladder of chosen ones.
    #[arg(long)]
    guessed: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

impl LadderPlace {
    /// The configuration; none, without reading it, if the command line gives both paths.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub(super) fn config(&self) -> Result<Option<Config>, Failure> {
        if self.file.is_some() && self.key.is_some() {
            return Ok(None);
        }
        configuration::load(&self.conf).map(Some)
    }

    /// True for the ladder of guessed passwords.
    pub(super) fn is_guessed(&self) -> bool {
        self.guessed
    }

    /// The two paths of an existing ladder; links are followed.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub(super) fn files(&self) -> Result<LadderFiles, Failure> {
        self.files_by(paths::absolute)
    }

    /// The two paths of a ladder that is to be written; links are not followed.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub(super) fn written_files(&self) -> Result<LadderFiles, Failure> {
        self.files_by(paths::written)
    }

    fn files_by(&self, path: fn(&Path) -> PathBuf) -> Result<LadderFiles, Failure> {
        let config = self.config()?.unwrap_or_default();
        let configured = if self.guessed { config.guess_files() } else { config.ladder };
        Ok(self.given_over(configured, path))
    }

    /// The paths of the ladder of guessed passwords, regardless of `--guessed`.
    ///
    /// # Errors
    /// The configuration cannot be read.
    pub(super) fn guess_files(&self) -> Result<LadderFiles, Failure> {
        let configured = self.config()?.unwrap_or_default().guess_files();
        Ok(self.given_over(configured, paths::absolute))
    }

    /// These paths, replaced by those that the command line gives.
    fn given_over(&self, files: LadderFiles, path: fn(&Path) -> PathBuf) -> LadderFiles {
        LadderFiles {
            file: self.file.as_deref().map_or(files.file, path),
            key: self.key.as_deref().map_or(files.key, path),
        }
    }

    /// Opens the ladder for lookups.
    ///
    /// # Errors
    /// It was never made or cannot be used.
    pub(super) fn open(&self) -> Result<OpenLadder, Failure> {
        self.opened(&self.files()?)
    }

    /// Opens the ladder for writing.
    ///
    /// # Errors
    /// It was never made or cannot be used.
    pub(super) fn open_to_write(&self) -> Result<OpenLadder, Failure> {
        self.opened(&self.written_files()?)
    }

    fn opened(&self, files: &LadderFiles) -> Result<OpenLadder, Failure> {
        let ladder = OpenLadder::open(files).map_err(|e| Failure::new("cannot use the ladder", e))?;
        ladder.ok_or_else(|| {
            Failure::plain(keys::LADDER_MISSING, format!("{}: {}", files.file.display(), self.never_made()))
        })
    }

    /// The message for a missing ladder.
    pub(super) fn never_made(&self) -> &'static str {
        if self.guessed {
            "there is no ladder; make one with filterctl ladder init --guessed"
        } else {
            "there is no ladder; make one with filterctl ladder init"
        }
    }
}
