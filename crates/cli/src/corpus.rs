//! The corpus of leaked passwords' digests, as two tools name it: `nearmiss-fetch`, which fetches it, and
//! `filterctl breaches`, which says so to an administrator.

use clap::ValueEnum;
use nearmiss_filters::format::Kind;

/// Where the corpus is served, unless a mirror is named.
pub const SERVER: &str = "https://api.pwnedpasswords.com";

/// The digests that the corpus has, as `--kind` names them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DigestName {
    /// SHA-1.
    Sha1,
    /// NTLM.
    Ntlm,
}

impl DigestName {
    /// The kind of a filter of these digests.
    pub fn kind(self) -> Kind {
        match self {
            DigestName::Sha1 => Kind::Sha1,
            DigestName::Ntlm => Kind::Ntlm,
        }
    }

    /// The value of `--kind`.
    pub fn name(self) -> &'static str {
        match self {
            DigestName::Sha1 => "sha1",
            DigestName::Ntlm => "ntlm",
        }
    }
}
