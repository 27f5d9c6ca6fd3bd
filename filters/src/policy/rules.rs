//! What a site asks of passwords.

/// The rules of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Least number of characters (Unicode scalar values), not bytes.
    pub min_length: usize,
    /// Which variants of a candidate are looked up.
    pub variants: VariantRules,
    /// Which parts of the context a candidate must not be near.
    pub context: ContextRules,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { min_length: 8, variants: VariantRules::default(), context: ContextRules::default() }
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
    pub fn changes_any(&self) -> bool {
        VariantRules { transpositions: false, ..*self } != VariantRules::NONE
    }
}
