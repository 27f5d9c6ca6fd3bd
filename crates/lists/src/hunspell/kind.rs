//! Prefixes and suffixes.

/// The two kinds of affixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Prefix,
    Suffix,
}

impl Kind {
    /// The kind of a line that begins with `keyword`.
    pub(super) fn of(keyword: &str) -> Option<Self> {
        match keyword {
            "PFX" => Some(Self::Prefix),
            "SFX" => Some(Self::Suffix),
            _ => None,
        }
    }

    pub(super) fn other(self) -> Self {
        match self {
            Self::Prefix => Self::Suffix,
            Self::Suffix => Self::Prefix,
        }
    }
}
