//! The policy that a study measures, and the lists that it reads.

use std::{
    fs,
    path::{Path, PathBuf},
};

use nearmiss_cli::{failure::Failure, paths};
use nearmiss_policy::{
    config::{Config, DEFAULT_PATH, DictionaryRule},
    site::{Site, Unusable},
};

/// The policy to measure.
#[derive(clap::Args)]
pub(super) struct PolicyOptions {
    /// Read the policy from this file; default /etc/security/nearmiss.conf if no filter is given.
    #[arg(long, value_name = "FILE")]
    conf: Option<PathBuf>,
    /// A filter to use instead of the configured ones; may be given more than once.
    #[arg(short, long = "filter", value_name = "FILE")]
    filters: Vec<PathBuf>,
}

impl PolicyOptions {
    /// The configuration that they give.
    ///
    /// # Errors
    /// A [`Failure`] for a file that cannot be used.
    pub(super) fn config(&self) -> Result<Config, Failure> {
        let is_bare = self.conf.is_none() && !self.filters.is_empty();
        let path = self.conf.as_deref().unwrap_or(Path::new(DEFAULT_PATH));
        let mut config = if is_bare { Config::default() } else { load(path)? };
        if !self.filters.is_empty() {
            let rule = |path: &PathBuf| DictionaryRule::new(paths::absolute(path));
            config.dictionaries = self.filters.iter().map(rule).collect();
        }
        Ok(config)
    }
}

fn load(path: &Path) -> Result<Config, Failure> {
    Config::load(&paths::absolute(path)).map_err(|error| Failure::new("cannot use the configuration", error))
}

/// The site without its ladder: only the policy and the filters are measured.
///
/// # Errors
/// A [`Failure`] for a filter that cannot be used.
pub(super) fn usable(config: Config) -> Result<Site, Failure> {
    let site = Site::without_ladder(config);
    match site.unusable().into_iter().next() {
        None => Ok(site),
        Some(unusable) => Err(cannot_study(unusable)),
    }
}

/// The failure of a study whose filter is damaged.
pub(super) fn cannot_study(unusable: Unusable) -> Failure {
    Failure::new("cannot study the policy", unusable)
}

/// The bytes of a file.
///
/// # Errors
/// A [`Failure`] for a file that cannot be read.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::new(format!("cannot read {}", path.display()), error))
}

/// The lines of a file that are not empty.
///
/// # Errors
/// A [`Failure`] for a file that cannot be read.
pub(super) fn lines_of(path: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let text = read(path)?;
    let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    Ok(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
}

/// The name of a file without its folder.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
