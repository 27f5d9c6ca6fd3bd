//! Dictionaries of hunspell: the entries of a `.dic` file, expanded by the rules of its `.aff` file.
//!
//! The crates that read these files (`spellbook`, `zspell`) tell whether a word is spelt well and give no
//! forms, so the rules are applied here.
//!
//! A form is a stem with at most two suffixes and one prefix (two prefixes and one suffix with
//! `COMPLEXPREFIXES`), as hunspell takes words apart. Compounds are not built. A form that hunspell refuses
//! because of another entry (a word that is forbidden by an entry of its own) is given.
//!
//! The format is described in the manual page hunspell(5).

mod chain;
mod charset;
mod class;
mod condition;
mod draft;
mod entry;
mod flags;
mod kind;
mod recognize;
mod rule;
mod settings;
mod walk;

use class::Class;
pub use entry::{is_count_line, is_undecoded, stem};
use flags::{Flag, Notation};
use kind::Kind;
pub use recognize::{looks_like_affixes, looks_like_dictionary};
use rule::Rule;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// The rules that are read of one `.aff` file. The largest known file has 122,000.
pub const MAX_RULES: usize = 1_000_000;
/// The forms that are given of one entry if [`Affixes::set_max_forms`] sets no other number. Verbs of
/// Hungarian and Korean have more.
pub const MAX_FORMS: usize = 100_000;
/// The rules that are tried for one entry, whether they give a form or not. One counts as often as it is
/// tried: on the stem, and on its forms.
pub const MAX_TRIALS: usize = 2_000_000;
/// The bytes of a stem that is expanded. Of a longer one only the stem itself is given.
pub const MAX_STEM: usize = 512;

/// The rules of an `.aff` file.
#[derive(Debug)]
pub struct Affixes {
    charset: &'static encoding_rs::Encoding,
    notation: Notation,
    special: class::Special,
    full_strip: bool,
    /// The kind of which a form has up to two.
    inner: Kind,
    /// `IGNORE`: characters that are left out of words.
    ignored: Vec<char>,
    groups: Groups,
    classes: Vec<Class>,
    /// Indices into `classes`: what a number after the slash stands for, if the file has `AF` lines.
    aliases: Option<Vec<u32>>,
    skipped: usize,
    limited: bool,
    max_forms: usize,
}

/// Rules by kind and flag.
#[derive(Debug, Default)]
struct Groups {
    prefixes: Table,
    suffixes: Table,
}

/// The rules of one kind: a group for each flag.
#[derive(Debug, Default)]
struct Table {
    by_flag: HashMap<Flag, u32>,
    rules: Vec<Vec<Rule>>,
}

impl Groups {
    fn of(&self, kind: Kind) -> &Table {
        match kind {
            Kind::Prefix => &self.prefixes,
            Kind::Suffix => &self.suffixes,
        }
    }

    fn of_mut(&mut self, kind: Kind) -> &mut Table {
        match kind {
            Kind::Prefix => &mut self.prefixes,
            Kind::Suffix => &mut self.suffixes,
        }
    }
}

impl Table {
    fn group(&self, id: u32) -> &[Rule] {
        usize::try_from(id).ok().and_then(|at| self.rules.get(at)).map_or(&[], Vec::as_slice)
    }
}

/// Why a file is not read as an `.aff` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AffixError {
    /// It has NUL bytes: it is no text, or text in UTF-16.
    Binary,
    /// Its `SET` line names a charset that is not known here.
    Charset(String),
    /// No line of it begins with a keyword of the format.
    NotAffixes,
}

impl fmt::Display for AffixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Binary => write!(f, "it has NUL bytes: convert it to UTF-8 and write SET UTF-8"),
            Self::Charset(label) => {
                write!(f, "its charset {label} is unknown: convert both files to UTF-8 and write SET UTF-8")
            }
            Self::NotAffixes => write!(f, "it has no line of an .aff file: name the right file"),
        }
    }
}

impl std::error::Error for AffixError {}

/// What was given of one entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Words given, the stem included. The same word can be among them more than once.
    pub forms: usize,
    /// A limit was met ([`Affixes::set_max_forms`], [`MAX_TRIALS`], [`MAX_STEM`]): the entry has more forms.
    /// Those with fewer affixes are given first.
    pub limited: bool,
}

impl Affixes {
    /// Reads an `.aff` file. Unknown lines are ignored, and broken rules are skipped and counted
    /// ([`Affixes::skipped`]).
    ///
    /// # Errors
    ///
    /// If `aff` cannot be such a file.
    pub fn parse(aff: &[u8]) -> Result<Self, AffixError> {
        if memchr::memchr(0, aff).is_some() {
            return Err(AffixError::Binary);
        }
        let aff = aff.strip_prefix(charset::BOM).map_or((aff, false), |rest| (rest, true));
        let charset = charset::of_affixes(aff.0, aff.1)?;
        let text = charset::decode(charset, aff.0);
        let settings = settings::read(&text, charset).ok_or(AffixError::NotAffixes)?;
        Ok(draft::read(&text, settings))
    }

    /// Sets how many forms are given of one entry.
    pub fn set_max_forms(&mut self, forms: usize) {
        self.max_forms = forms;
    }

    /// The charset of both files.
    pub fn charset(&self) -> &'static encoding_rs::Encoding {
        self.charset
    }

    /// Rules and blocks of rules that were broken and are left out.
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// The file has more than [`MAX_RULES`] rules: the rest was not read.
    pub fn limited(&self) -> bool {
        self.limited
    }

    /// Rules read.
    pub fn rules(&self) -> usize {
        let count = |kind| self.groups.of(kind).rules.iter().map(Vec::len).sum::<usize>();
        count(Kind::Prefix).saturating_add(count(Kind::Suffix))
    }

    /// Decodes a line of the `.dic` file for [`Affixes::expand`]. Unlike a decoder of the charset, it keeps
    /// flags that are no text.
    pub fn decode<'a>(&self, line: &'a [u8]) -> Cow<'a, str> {
        charset::decode(self.charset, line)
    }

    /// Gives `take` the words of `entry`, a decoded line of the `.dic` file: its stem and all forms of it.
    /// Nothing is given of a comment, of a forbidden word, of a word that only compounds have, and of one
    /// with bytes that are no text.
    pub fn expand(&self, entry: &str, take: &mut dyn FnMut(&str)) -> Expansion {
        let (stem, flags) = entry::split(entry);
        let stem = self.without_ignored(stem);
        if stem.is_empty() || stem.chars().any(|c| charset::byte(c).is_some()) {
            return Expansion::default();
        }
        match (flags, &self.aliases) {
            (None, _) => walk::expand(self, &stem, &Class::NONE, take),
            (Some(number), Some(aliases)) => {
                let class = flags::alias(aliases, number).and_then(|id| self.class(id));
                walk::expand(self, &stem, class.unwrap_or(&Class::NONE), take)
            }
            (Some(flags), None) => {
                let mut read = Vec::new();
                self.notation.read(flags, &mut read);
                walk::expand(self, &stem, &Class::new(read, &self.special, &self.groups), take)
            }
        }
    }

    fn class(&self, id: u32) -> Option<&Class> {
        self.classes.get(usize::try_from(id).ok()?)
    }

    fn without_ignored<'a>(&self, stem: Cow<'a, str>) -> Cow<'a, str> {
        if self.ignored.is_empty() || !stem.contains(self.ignored.as_slice()) {
            return stem;
        }
        Cow::Owned(stem.chars().filter(|c| !self.ignored.contains(c)).collect())
    }
}
