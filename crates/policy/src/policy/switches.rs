//! The switches of variants and of names.

/// The parts of the context that a candidate must not be near.
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

/// The variants that are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct VariantRules {
    /// Without accents.
    pub accents: bool,
    /// With digits and symbols replaced by the letters that they stand for.
    pub leet: bool,
    /// Backwards.
    pub reversed: bool,
    /// One half of a doubled word.
    pub doubled: bool,
    /// Without digits and punctuation at the ends.
    pub affixes: bool,
}

impl VariantRules {
    /// Every variant.
    pub const ALL: VariantRules = VariantRules::each(true);

    /// The cleaned candidate only.
    pub const NONE: VariantRules = VariantRules::each(false);

    const fn each(on: bool) -> VariantRules {
        VariantRules { accents: on, leet: on, reversed: on, doubled: on, affixes: on }
    }

    /// True if any variant that differs from the candidate is looked up.
    pub(crate) fn changes_any(self) -> bool {
        self != VariantRules::NONE
    }
}
