//! The rules: one row each in [`RULES`]. The configuration, its defaults, the level at which a rule is
//! enforced, the rehearsal of a check, the studies of the laboratory and the benchmark of a check are derived
//! from these rows. A detector reads its field.

use std::ops::RangeInclusive;

use super::{
    never_words::NeverWords,
    reason::{MAX_PASSWORD_BYTES, Reason},
    switches::{ContextRules, VariantRules},
};

/// The rules of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Least number of characters (Unicode scalar values), not bytes. Han, kana and Hangul count twice.
    pub min_length: usize,
    /// The variants of a candidate that are looked up.
    pub variants: VariantRules,
    /// The parts of the context that a candidate must not be near.
    pub context: ContextRules,
    /// The forbidden structures of a candidate.
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

    /// Every rule, including the ones that are off by default.
    pub fn all() -> Policy {
        let mut policy = Policy::none();
        for rule in &RULES {
            rule.switch_on(&mut policy);
        }
        policy
    }

    /// The variants, and the rules that look up words: the rules for a dictionary whose level is stricter
    /// than the site's.
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

/// The description of a rule, apart from the code that applies it.
#[derive(Debug)]
pub struct Rule {
    /// The section of nearmiss.conf.
    pub section: Section,
    /// The key in it.
    pub key: &'static str,
    /// Its value.
    pub field: Field,
    /// The reason of its rejections; none for a variant, which serves other rules.
    pub reason: Option<Reason>,
    /// True if it rejects only by a dictionary: it is then enforced at the level of that dictionary. Other
    /// rules are enforced at the level of the site.
    pub looks_up: bool,
}

/// A section of nearmiss.conf that contains rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// None: the keys before the first section.
    Top,
    /// `[policy]`.
    Policy,
    /// `[variants]`.
    Variants,
    /// `[context]`.
    Context,
}

impl Section {
    /// The name between the brackets; empty for [`Section::Top`].
    pub fn name(self) -> &'static str {
        match self {
            Section::Top => "",
            Section::Policy => "policy",
            Section::Variants => "variants",
            Section::Context => "context",
        }
    }
}

/// The field of a rule's value in a policy, its valid values, and the default.
#[derive(Debug)]
pub enum Field {
    /// `true` or `false`, and the default.
    Switch(fn(&mut Policy) -> &mut bool, bool),
    /// A number in this range, whose lowest value switches the rule off, and the default.
    Number(fn(&mut Policy) -> &mut usize, RangeInclusive<u16>, u16),
    /// The share of a candidate that a word may be, and the default.
    Part(fn(&mut Policy) -> &mut Substring, Substring),
}

impl Rule {
    /// Sets the default of this rule in the policy.
    pub fn set_default(&self, policy: &mut Policy) {
        match self.field {
            Field::Switch(at, default) => *at(policy) = default,
            Field::Number(at, _, default) => *at(policy) = default.into(),
            Field::Part(at, default) => *at(policy) = default,
        }
    }

    /// Switches this rule off in the policy.
    pub fn switch_off(&self, policy: &mut Policy) {
        match &self.field {
            Field::Switch(at, _) => *at(policy) = false,
            Field::Number(at, range, _) => *at(policy) = usize::from(*range.start()),
            Field::Part(at, _) => *at(policy) = Substring::Off,
        }
    }

    /// Switches this rule on in the policy, with its default unless that is off.
    pub fn switch_on(&self, policy: &mut Policy) {
        match self.field {
            Field::Switch(at, _) => *at(policy) = true,
            Field::Number(at, _, default) => *at(policy) = default.into(),
            Field::Part(at, _) => *at(policy) = Substring::TwoThirds,
        }
    }
}

/// The highest number of characters of a rule: the length of the longest password.
#[allow(clippy::cast_possible_truncation, reason = "511")]
const MOST_CHARACTERS: u16 = MAX_PASSWORD_BYTES as u16;

/// Every rule, in the order of nearmiss.conf(5). A comment states the highest cost of a rule of `[policy]`
/// for one form of a candidate, of *d* characters; a candidate has at most ten forms, and *d* is at most 256.
pub static RULES: [Rule; 18] = [
    Rule {
        section: Section::Top,
        key: "min_length",
        field: Field::Number(|policy| &mut policy.min_length, 1..=MOST_CHARACTERS, 8),
        reason: Some(Reason::TooShort { min_length: 8 }),
        looks_up: false,
    },
    // 2(d − 5) exact lookups of parts; for the whole candidate, up to 16 characters, also 2(d − 8) near
    // lookups, as far as its variants leave some of the 64 near lookups.
    by_words("two_words", Field::Switch(|policy| &mut policy.structure.two_words, true), Reason::TwoWords),
    // One pass over the characters.
    by_itself(
        "digits_max",
        Field::Number(|policy| &mut policy.structure.digits_max, 0..=MOST_CHARACTERS, 10),
        Reason::Digits,
    ),
    // d/2 comparisons of at most d characters; halves: two.
    by_itself("repetition", Field::Switch(|policy| &mut policy.structure.repetition, true), Reason::Pattern),
    // d − 1 pairs in 18 sequences, and only until three characters belong to no run; six pairs on all
    // keyboards, and d²/2 steps on each keyboard with near keys.
    by_itself("sequences", Field::Switch(|policy| &mut policy.structure.sequences, true), Reason::Pattern),
    // Some 4,400 deletions and 20,000 words for 16 letters if every 4-gram occurs in some word, a tenth of
    // that for words of a language, nothing beyond 16 characters.
    by_words(
        "distance_2",
        Field::Switch(|policy| &mut policy.structure.distance_2, true),
        Reason::NearDictionary,
    ),
    // Ten parts.
    by_words(
        "word_plus_few",
        Field::Switch(|policy| &mut policy.structure.word_plus_few, true),
        Reason::MostlyWord,
    ),
    // One pass over the characters.
    by_itself(
        "few_letters",
        Field::Switch(|policy| &mut policy.structure.few_letters, true),
        Reason::FewLetters,
    ),
    // d²/18 parts.
    by_words(
        "substring",
        Field::Part(|policy| &mut policy.structure.substring, Substring::Off),
        Reason::MostlyWord,
    ),
    variant("accents", |policy| &mut policy.variants.accents, true),
    variant("leet", |policy| &mut policy.variants.leet, true),
    variant("reversed", |policy| &mut policy.variants.reversed, true),
    variant("doubled", |policy| &mut policy.variants.doubled, true),
    variant("affixes", |policy| &mut policy.variants.affixes, true),
    name("user", |policy| &mut policy.context.user, Reason::NearUserName),
    name("gecos", |policy| &mut policy.context.gecos, Reason::NearRealName),
    name("host", |policy| &mut policy.context.host, Reason::NearHostName),
    name("old_password", |policy| &mut policy.context.old_password, Reason::NearOldPassword),
];

/// A rule of `[policy]` that rejects without a dictionary.
const fn by_itself(key: &'static str, field: Field, reason: Reason) -> Rule {
    Rule { section: Section::Policy, key, field, reason: Some(reason), looks_up: false }
}

/// A rule of `[policy]` that rejects by words of dictionaries.
const fn by_words(key: &'static str, field: Field, reason: Reason) -> Rule {
    Rule { section: Section::Policy, key, field, reason: Some(reason), looks_up: true }
}

/// A variant of the candidate that is looked up.
const fn variant(key: &'static str, at: fn(&mut Policy) -> &mut bool, default: bool) -> Rule {
    Rule { section: Section::Variants, key, field: Field::Switch(at, default), reason: None, looks_up: true }
}

/// A name of the user or the machine that the candidate must not be near.
const fn name(key: &'static str, at: fn(&mut Policy) -> &mut bool, reason: Reason) -> Rule {
    Rule { section: Section::Context, ..by_itself(key, Field::Switch(at, true), reason) }
}

/// The structures that a candidate must not have, apart from being a word or near one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches of the configuration")]
pub struct StructureRules {
    /// Two words of the dictionaries.
    pub two_words: bool,
    /// The highest number of digits of a rejected password of digits only: 0 switches the rule off.
    pub digits_max: usize,
    /// A repeated short text.
    pub repetition: bool,
    /// Runs of the alphabet, of digits, of keys, of one character.
    pub sequences: bool,
    /// Two edits from a long word.
    pub distance_2: bool,
    /// A word of six characters or more and three more at most.
    pub word_plus_few: bool,
    /// A number and a few letters.
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
        sequences: false,
        distance_2: false,
        word_plus_few: false,
        few_letters: false,
        substring: Substring::Off,
    };
}

impl Default for ContextRules {
    fn default() -> ContextRules {
        Policy::default().context
    }
}

impl Default for VariantRules {
    fn default() -> VariantRules {
        Policy::default().variants
    }
}

impl Default for StructureRules {
    fn default() -> StructureRules {
        Policy::default().structure
    }
}

/// The share of a candidate that a word may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Substring {
    /// Any part: NIST SP 800-63B-4 §3.1.1.2 requires a comparison of the whole password, not of substrings.
    #[default]
    Off,
    /// Less than two thirds of it.
    TwoThirds,
    /// All but five or more characters of it.
    AllBut4,
}

impl Substring {
    /// Each value.
    pub const ALL: [Substring; 3] = [Substring::Off, Substring::TwoThirds, Substring::AllBut4];
    /// Their names in nearmiss.conf, separated by blanks.
    pub const NAMES: &str = "off two-thirds all-but-4";
}

#[cfg(test)]
mod tests;
