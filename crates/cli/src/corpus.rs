//! The corpus of leaked passwords' digests, shared by two tools: `nearmiss-fetch`, which fetches it, and
//! `filterctl breaches`, which reports on it.

use clap::ValueEnum;
use nearmiss_filters::format::Kind;

/// The default server of the corpus.
pub const SERVER: &str = "https://api.pwnedpasswords.com";

/// The digests of the corpus, with their names for `--kind`.
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
