//! Opening what a configuration names.

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

use super::Unusable;
use crate::{
    config::{Config, DictionaryRule},
    dictionary::{DictionaryFilter, FilterError, Loading},
    format::{Kind, Match},
    ladder::ChosenLadder,
    policy::Rule,
    storage::mapped::Mapped,
};

/// The dictionaries that could be opened, and the others.
#[derive(Debug)]
pub(super) struct Dictionaries {
    pub(super) rules: Vec<Rule<Mapped>>,
    pub(super) unusable: Vec<Unusable>,
}

impl Dictionaries {
    /// Opens every dictionary the configuration names, so that nobody who may read a filter can observe what it is
    /// asked.
    pub(super) fn open(config: &Config) -> Dictionaries {
        let loading = if config.private_copy { Loading::Copied } else { Loading::Unobserved };
        let mut opened = Dictionaries { rules: Vec::new(), unusable: Vec::new() };
        for rule in &config.dictionaries {
            match open_rule(rule, loading) {
                Ok(rule) => opened.rules.push(rule),
                Err(error) => opened.unusable.push(Unusable::filter(&error, config.on_error)),
            }
        }
        opened
    }
}

fn open_rule(rule: &DictionaryRule, loading: Loading) -> Result<Rule<Mapped>, OpenError> {
    let filter = DictionaryFilter::open(&rule.file, loading).map_err(OpenError::Filter)?;
    let built_for = filter.header().matching;
    let matching = rule.matching.unwrap_or(built_for);
    if matching == Match::Near && built_for == Match::Exact {
        return Err(OpenError::NotNear { path: rule.file.clone(), kind: filter.header().kind });
    }
    Ok(Rule { filter, matching })
}

/// Opens the ladder of chosen passwords; none where it was never made.
pub(super) fn ladder(config: &Config) -> Result<Option<ChosenLadder>, Unusable> {
    let is_root = rustix::process::geteuid().is_root();
    let opened = ChosenLadder::open(&config.ladder);
    opened.map_err(|error| Unusable::ladder_opened_by(is_root, &error, config.on_error))
}

/// Why a dictionary filter cannot be used as configured.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// It is missing, not trusted or damaged.
    Filter(FilterError),
    /// The configuration asks a filter for near matches that was built for exact ones.
    NotNear {
        /// The filter file.
        path: PathBuf,
        /// What it holds: digests have no neighbours, words could have been built with them.
        kind: Kind,
    },
}

impl OpenError {
    /// True when the caller of a setuid program could have brought the error about.
    pub fn may_be_provoked(&self) -> bool {
        match self {
            OpenError::Filter(error) => error.may_be_provoked(),
            OpenError::NotNear { .. } => false,
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Filter(error) => error.fmt(f),
            OpenError::NotNear { path, kind } => not_near(f, path, *kind),
        }
    }
}

fn not_near(f: &mut fmt::Formatter<'_>, path: &Path, kind: Kind) -> fmt::Result {
    let path = path.display();
    match kind {
        Kind::Words => write!(
            f,
            "{path}: built for exact matches; rebuild it with --match near, or configure match = \"exact\""
        ),
        Kind::Sha1 | Kind::Ntlm => write!(
            f,
            "{path}: holds {} digests, which have no neighbours; leave match out, or configure match = \"exact\"",
            kind.name()
        ),
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            OpenError::Filter(error) => error.source(),
            OpenError::NotNear { .. } => None,
        }
    }
}
