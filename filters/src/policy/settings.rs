//! What a site asks of passwords: a value for each row of [`RULES`], and words of its own.

use super::{
    never_words::NeverWords,
    rules::{RULES, StructureRules},
};

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

impl Policy {
    /// No rule: one character is enough.
    pub fn none() -> Policy {
        Policy {
            min_length: 1,
            variants: VariantRules::NONE,
            context: ContextRules { user: false, gecos: false, host: false, old_password: false },
            structure: StructureRules::NONE,
            never: NeverWords::default(),
        }
    }

    /// Every rule, those that are off by default, too.
    pub fn all() -> Policy {
        let mut policy = Policy::none();
        for rule in &RULES {
            rule.switch_on(&mut policy);
        }
        policy
    }

    /// The variants, and the rules that look up words of dictionaries: what holds at the level of a dictionary
    /// that is enforced more strictly than the site's own rules are.
    pub(crate) fn lookups_only(&self) -> Policy {
        let Policy { min_length, variants, context, structure, .. } = *self;
        let mut policy = Policy { min_length, variants, context, structure, never: NeverWords::default() };
        RULES.iter().filter(|rule| !rule.looks_up).for_each(|rule| rule.switch_off(&mut policy));
        policy
    }
}

/// The defaults of [`RULES`], and no further words.
impl Default for Policy {
    fn default() -> Policy {
        let mut policy = Policy::none();
        for rule in &RULES {
            rule.set_default(&mut policy);
        }
        policy
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
        Policy::default().context
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
        Policy::default().variants
    }
}

impl VariantRules {
    /// Every variant.
    pub const ALL: VariantRules = VariantRules::each(true);

    /// The candidate as it is, cleaned.
    pub const NONE: VariantRules = VariantRules::each(false);

    const fn each(on: bool) -> VariantRules {
        VariantRules { accents: on, leet: on, reversed: on, doubled: on, affixes: on, transpositions: on }
    }

    /// True when a variant that differs from the candidate is looked up.
    pub(crate) fn changes_any(self) -> bool {
        VariantRules { transpositions: false, ..self } != VariantRules::NONE
    }
}
