//! The specification of a filter: the flags of every command that makes or plans one.

use clap::{
    ValueEnum,
    builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser},
};
use nearmiss_cli::{failure::Failure, keys, ladder::numbers::probability};
use nearmiss_filters::{
    dictionary::{
        Spec,
        sizing::{Geometry, VARIANT_LOOKUPS},
    },
    format::{Kind, Match, SchemeId, StatedRate},
};

/// A filter's content, and the matches that it supports.
#[derive(clap::Args)]
pub(crate) struct Shape {
    /// The lists' kind: words, or digests of passwords in hexadecimal with an optional ":COUNT".
    #[arg(long, value_enum, default_value = "words")]
    kind: KindName,
    /// What the filter can match: words and texts one edit away (near), or words only (exact). Default: near
    /// for words, exact for digests.
    #[arg(long = "match", value_enum, value_name = "MATCH")]
    matching: Option<MatchName>,
    /// How near matches are found: by deletions that are confirmed by the word (deletions), or by the
    /// paper's 1-extension (paper).
    #[arg(long, value_enum, default_value = "deletions")]
    scheme: SchemeName,
    /// Build a filter for checks at login (`logins = true` in nearmiss.conf(5)), for exact matches: its false
    /// positive rate is 1 in 1,000,000, so that a leaked password can be made to expire at login. About 29
    /// bits per entry.
    #[arg(long, conflicts_with_all = ["false_rejection", "bits"])]
    logins: bool,
}

/// The size of a filter: the rate it keeps, and the bits it spends on speed.
#[derive(Clone, clap::Args)]
pub(crate) struct Sizing {
    /// Bits for each deletion: more bits make lookups faster and the filter larger; 0 stores no deletions.
    /// Default: 6.
    #[arg(long, value_name = "BITS", value_parser = deletion_bits())]
    deletion_bits: Option<u8>,
    /// The maximum false rejection rate: the probability that a password that is not near the lists is
    /// rejected. Default: 0.001.
    #[arg(long, value_name = "RATE", value_parser = probability)]
    false_rejection: Option<f64>,
    /// State the rate for passwords of this many characters. Default: 12.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=255))]
    characters: Option<u16>,
    /// State the rate for one lookup per password instead of 164 (64 for digests), for a policy with all
    /// variants and all rules for structure off.
    #[arg(long)]
    no_variants: bool,
}

/// Size and probes chosen by hand.
#[derive(clap::Args)]
pub(crate) struct ByHand {
    /// Build a filter of this many bits, rounded up to whole pages of 32,736, for exact matches; the filter
    /// states the rate that results.
    #[arg(long, value_name = "M", requires = "probes")]
    #[arg(value_parser = RangedU64ValueParser::<u64>::new().range(1..=Geometry::MAX_BITS))]
    #[arg(conflicts_with_all = ["false_rejection", "deletion_bits"])]
    pub(crate) bits: Option<u64>,
    /// Set this many bits for each word.
    #[arg(long, value_name = "K", requires = "bits")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=i64::from(Geometry::MAX_PROBES)))]
    probes: Option<u8>,
}

impl ByHand {
    /// The geometry that was chosen.
    ///
    /// # Errors
    /// The filter is to support near matches.
    pub(crate) fn geometry(&self, spec: &Spec) -> Result<Option<Geometry>, Failure> {
        let (Some(bits), Some(probes)) = (self.bits, self.probes) else { return Ok(None) };
        if spec.effective_scheme() != SchemeId::Whole {
            return Err(Failure::plain(
                keys::ARGUMENTS,
                "--bits and --probes are for exact matches: add --match exact; the size of a near filter \
                 follows from --false-rejection and --deletion-bits",
            ));
        }
        Ok(Geometry::by_hand(bits, probes))
    }
}

/// The content of lists.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindName {
    /// Words and passwords.
    Words,
    /// SHA-1 digests, as in the Pwned Passwords lists.
    Sha1,
    /// NTLM digests.
    Ntlm,
}

/// The matches that a filter supports.
#[derive(Clone, Copy, ValueEnum)]
enum MatchName {
    /// Words, and texts one edit away.
    Near,
    /// Words only.
    Exact,
}

/// The search for neighbours.
#[derive(Clone, Copy, ValueEnum)]
enum SchemeName {
    /// Deletions find candidates, the words confirm them.
    Deletions,
    /// The 1-extension of Manber and Wu.
    Paper,
}

impl KindName {
    /// The lists' kind.
    pub(crate) fn kind(self) -> Kind {
        match self {
            KindName::Words => Kind::Words,
            KindName::Sha1 => Kind::Sha1,
            KindName::Ntlm => Kind::Ntlm,
        }
    }
}

fn deletion_bits() -> impl TypedValueParser<Value = u8> {
    PossibleValuesParser::new(["0", "2", "4", "6", "8"]).try_map(|bits| bits.parse::<u8>())
}

impl Shape {
    /// The lists' kind.
    pub(crate) fn kind(&self) -> Kind {
        self.kind.kind()
    }

    /// The supported matches.
    ///
    /// # Errors
    /// A [`Failure`] if near matches of digests are requested.
    pub(crate) fn matching(&self) -> Result<Match, Failure> {
        match (self.kind, self.matching) {
            (KindName::Words, None | Some(MatchName::Near)) => Ok(Match::Near),
            (_, None | Some(MatchName::Exact)) => Ok(Match::Exact),
            (_, Some(MatchName::Near)) => Err(Failure::plain(
                keys::ARGUMENTS,
                "digests have no near matches; omit --match near with --kind sha1 and ntlm",
            )),
        }
    }

    fn scheme(&self) -> SchemeId {
        match self.scheme {
            SchemeName::Deletions => SchemeId::Deletions,
            SchemeName::Paper => SchemeId::Paper,
        }
    }

    /// The matches of a filter of this shape and size: digests have no parts to look up.
    ///
    /// # Errors
    /// As [`Shape::matching`], and if near matches are requested for logins.
    pub(crate) fn spec(&self, sizing: &Sizing) -> Result<Spec, Failure> {
        let mut spec = sizing.spec_over(Spec::default());
        if self.kind() != Kind::Words {
            spec.stated.lookups = spec.stated.lookups.min(VARIANT_LOOKUPS);
        }
        let spec = Spec { kind: self.kind(), matching: self.matching()?, scheme: self.scheme(), ..spec };
        match (self.logins, spec.effective_scheme()) {
            (false, _) => Ok(spec),
            (true, SchemeId::Whole) => Ok(spec.for_logins()),
            (true, _) => Err(Failure::plain(
                keys::ARGUMENTS,
                "--logins needs exact matches, since logins use no others: add --match exact, or --kind sha1 \
                 or ntlm",
            )),
        }
    }
}

impl Sizing {
    /// The values given here replace the ones in `spec`.
    pub(crate) fn spec_over(&self, spec: Spec) -> Spec {
        let StatedRate { false_rejection, characters, lookups } = spec.stated;
        let stated = StatedRate {
            false_rejection: self.false_rejection.unwrap_or(false_rejection),
            characters: self.characters.unwrap_or(characters),
            lookups: if self.no_variants { 1 } else { lookups },
        };
        Spec { deletion_bits: self.deletion_bits.unwrap_or(spec.deletion_bits), stated, ..spec }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_the_defaults() {
        let Spec { deletion_bits, stated, .. } = Spec::default();
        assert_eq!((deletion_bits, stated.characters), (6, 12));
        assert!((stated.false_rejection - 0.001).abs() < 1e-12);
        assert_eq!((stated.lookups, VARIANT_LOOKUPS), (164, 64));
    }
}
