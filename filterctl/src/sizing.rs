//! What a filter is to be: the flags of every command that makes or plans one.

use clap::{
    ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use nearmiss_filters::{
    dictionary::{
        Spec,
        sizing::{DEFAULT_FALSE_REJECTION, STATED_CHARACTERS, STATED_LOOKUPS, VARIANT_LOOKUPS},
    },
    format::{Kind, Match, SchemeId, StatedRate},
};

use crate::failure::Failure;

/// What a filter holds and what it can be asked.
#[derive(clap::Args)]
pub(crate) struct Shape {
    /// What the lists hold: words, or digests of passwords in hexadecimal with an optional ":COUNT".
    #[arg(long, value_enum, default_value = "words")]
    kind: KindName,
    /// What can be asked: words and what is one edit away, or words only. Default: near for words, exact for
    /// digests.
    #[arg(long = "match", value_enum, value_name = "MATCH")]
    matching: Option<MatchName>,
    /// How neighbours are found: deletions of words confirmed by words, or the paper's don't-care extension.
    #[arg(long, value_enum, default_value = "deletions")]
    scheme: SchemeName,
}

/// How large a filter is: the rate it keeps, and what it spends on speed.
#[derive(clap::Args)]
pub(crate) struct Sizing {
    /// Bits for each deletion: more are faster and larger; with 0 none are stored.
    #[arg(long, value_name = "BITS", default_value = "6", value_parser = deletion_bits())]
    deletion_bits: u8,
    /// The most probability with which a password that is not near the lists is rejected by accident.
    #[arg(long, value_name = "RATE", default_value_t = DEFAULT_FALSE_REJECTION, value_parser = rate)]
    false_rejection: f64,
    /// State the rate for passwords of this many characters.
    #[arg(long, value_name = "N", default_value_t = STATED_CHARACTERS)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=255))]
    characters: u16,
    /// State the rate for one lookup of each password instead of 64, for a policy whose variants are all off.
    #[arg(long)]
    no_variants: bool,
}

/// What lists hold.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindName {
    /// Words and passwords.
    Words,
    /// SHA-1 digests, as in the Pwned Passwords lists.
    Sha1,
    /// NTLM digests.
    Ntlm,
}

/// What a filter can be asked.
#[derive(Clone, Copy, ValueEnum)]
enum MatchName {
    /// Words and what is one edit away.
    Near,
    /// Words only.
    Exact,
}

/// How neighbours are found.
#[derive(Clone, Copy, ValueEnum)]
enum SchemeName {
    /// Deletions propose, words decide.
    Deletions,
    /// The 1-extension of Manber and Wu.
    Paper,
}

impl KindName {
    /// What the lists hold.
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

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate < 1.0 => Ok(rate),
        _ => Err("expected a probability between 0 and 1".to_owned()),
    }
}

impl Shape {
    /// What the lists hold.
    pub(crate) fn kind(&self) -> Kind {
        self.kind.kind()
    }

    /// What can be asked.
    ///
    /// # Errors
    /// A [`Failure`] when neighbours of digests are asked for.
    pub(crate) fn matching(&self) -> Result<Match, Failure> {
        match (self.kind, self.matching) {
            (KindName::Words, None | Some(MatchName::Near)) => Ok(Match::Near),
            (_, None | Some(MatchName::Exact)) => Ok(Match::Exact),
            (_, Some(MatchName::Near)) => Err(Failure::plain(
                "digests have no neighbours; leave --match near out for --kind sha1 and ntlm",
            )),
        }
    }

    fn scheme(&self) -> SchemeId {
        match self.scheme {
            SchemeName::Deletions => SchemeId::Deletions,
            SchemeName::Paper => SchemeId::Paper,
        }
    }

    /// What a filter of this shape and size is: digests have no parts to be looked up.
    ///
    /// # Errors
    /// As [`Shape::matching`].
    pub(crate) fn spec(&self, sizing: &Sizing) -> Result<Spec, Failure> {
        let mut spec = sizing.spec();
        if self.kind() != Kind::Words {
            spec.stated.lookups = spec.stated.lookups.min(VARIANT_LOOKUPS);
        }
        Ok(Spec { kind: self.kind(), matching: self.matching()?, scheme: self.scheme(), ..spec })
    }
}

impl Sizing {
    /// What a near filter of words of this size is.
    pub(crate) fn spec(&self) -> Spec {
        let lookups = if self.no_variants { 1 } else { STATED_LOOKUPS };
        let (false_rejection, characters) = (self.false_rejection, self.characters);
        Spec {
            deletion_bits: self.deletion_bits,
            stated: StatedRate { false_rejection, characters, lookups },
            ..Spec::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_probabilities() {
        assert!(rate("0.01").is_ok() && rate("1e-6").is_ok());
        for wrong in ["0", "1", "-0.1", "NaN", "inf", "1%"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
