//! Errors of filters that cannot be used as configured.

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    dictionary::FilterError,
    format::Kind,
    keys::{self, Keyed, MessageKey},
};

/// A dictionary filter that cannot be used as configured.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// It is missing, not trusted or damaged.
    Filter(FilterError),
    /// The configuration requests near matches from a filter that was built for exact ones.
    NotNear {
        /// The filter file.
        path: PathBuf,
        /// The kind of its entries: digests have no neighbours, words could be built with them.
        kind: Kind,
    },
    /// The configuration requests near matches from a filter for logins.
    NotExact {
        /// The filter file.
        path: PathBuf,
    },
}

impl OpenError {
    /// True when the caller of a setuid program could have brought the error about.
    pub fn may_be_provoked(&self) -> bool {
        match self {
            OpenError::Filter(error) => error.may_be_provoked(),
            OpenError::NotNear { .. } | OpenError::NotExact { .. } => false,
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Filter(error) => error.fmt(f),
            OpenError::NotNear { path, kind } => not_near(f, path, *kind),
            OpenError::NotExact { path } => write!(
                f,
                "{}: is configured for near matches, but logins = true needs exact matches; configure match \
                 = \"exact\", or name a filter of digests",
                path.display()
            ),
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
            "{path}: contains {} digests, which have no neighbours; remove match, or configure match = \
             \"exact\"",
            kind.name()
        ),
    }
}

impl Keyed for OpenError {
    fn key(&self) -> MessageKey {
        match self {
            OpenError::Filter(error) => error.key(),
            OpenError::NotNear { .. } | OpenError::NotExact { .. } => keys::FILTER_MATCH,
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            OpenError::Filter(error) => error.source(),
            OpenError::NotNear { .. } | OpenError::NotExact { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearmiss_filters::dictionary::Problem;

    #[test]
    fn a_filter_that_cannot_be_opened_has_its_own_source() {
        let source = std::io::Error::other("gone");
        let problem = Problem::UnreadablePage { index: 3, source };
        let error = OpenError::Filter(FilterError { path: Some("/f".into()), problem });
        assert_eq!(error.source().map(ToString::to_string), Some("gone".into()));
        assert!(OpenError::NotExact { path: "/f".into() }.source().is_none());
    }
}
