//! What a site asks of passwords.

use super::never_words::NeverWords;

/// The rules of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Least number of characters (Unicode scalar values), not bytes. Han, kana and Hangul count twice.
    pub min_length: usize,
    /// Which variants of a candidate are looked up.
    pub variants: VariantRules,
    /// Which parts of the context a candidate must not be near.
    pub context: ContextRules,
    /// What a candidate must not be made of.
    pub structure: StructureRules,
    /// Words that a candidate must not contain.
    pub never: NeverWords,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            min_length: 8,
            variants: VariantRules::default(),
            context: ContextRules::default(),
            structure: StructureRules::default(),
            never: NeverWords::default(),
        }
    }
}

/// Which parts of the context a candidate must not be near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct ContextRules {
    /// The user name.
    pub user: bool,
    /// The words of the GECOS field.
    pub gecos: bool,
    /// The host name.
    pub host: bool,
    /// The old password.
    pub old_password: bool,
}

impl Default for ContextRules {
    fn default() -> ContextRules {
        ContextRules { user: true, gecos: true, host: true, old_password: true }
    }
}

/// Which variants are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct VariantRules {
    /// Without accents.
    pub accents: bool,
    /// With digits and symbols that stand for letters undone.
    pub leet: bool,
    /// Backwards.
    pub reversed: bool,
    /// One half of a doubled word.
    pub doubled: bool,
    /// Without digits and punctuation at the ends.
    pub affixes: bool,
    /// Also words that have two neighbouring characters swapped.
    pub transpositions: bool,
}

impl Default for VariantRules {
    fn default() -> VariantRules {
        let transpositions = false;
        VariantRules {
            accents: true,
            leet: true,
            reversed: true,
            doubled: true,
            affixes: true,
            transpositions,
        }
    }
}

impl VariantRules {
    /// Every variant.
    pub const ALL: VariantRules = VariantRules {
        accents: true,
        leet: true,
        reversed: true,
        doubled: true,
        affixes: true,
        transpositions: true,
    };

    /// The candidate as it is, cleaned.
    pub const NONE: VariantRules = VariantRules {
        accents: false,
        leet: false,
        reversed: false,
        doubled: false,
        affixes: false,
        transpositions: false,
    };

    /// True when a variant that differs from the candidate is looked up.
    pub(crate) fn changes_any(self) -> bool {
        VariantRules { transpositions: false, ..self } != VariantRules::NONE
    }
}

/// What a candidate must not be made of, beside words and what is near to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct StructureRules {
    /// Two words of the dictionaries.
    pub two_words: bool,
    /// Digits only, up to this many: 0 for no limit on digits.
    pub digits_max: usize,
    /// A short text again and again.
    pub repetition: bool,
    /// Runs of the alphabet, of digits, of keys, of one character.
    pub runs: bool,
    /// Two edits from a long word.
    pub distance_2: bool,
    /// A word of six characters or more and three more at most.
    pub word_and_few: bool,
    /// One to three letters and a number.
    pub few_letters: bool,
    /// A word and a few characters more.
    pub substring: Substring,
}

impl StructureRules {
    /// No rule.
    pub const NONE: StructureRules = StructureRules {
        two_words: false,
        digits_max: 0,
        repetition: false,
        runs: false,
        distance_2: false,
        word_and_few: false,
        few_letters: false,
        substring: Substring::Off,
    };
}

impl Default for StructureRules {
    fn default() -> StructureRules {
        StructureRules {
            two_words: true,
            digits_max: 10,
            repetition: true,
            runs: true,
            distance_2: true,
            word_and_few: true,
            few_letters: true,
            substring: Substring::Off,
        }
    }
}

/// How much of a candidate a word may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Substring {
    /// Any part: NIST SP 800-63B-4 §3.1.1.2 has the whole password compared, not substrings.
    #[default]
    Off,
    /// Less than two thirds of it.
    TwoThirds,
    /// All but five characters of it.
    AllBut4,
}
