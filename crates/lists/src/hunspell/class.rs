//! Sets of flags: the flags of an entry, and an affix's (its continuation class).

use super::flags::Flag;
use super::kind::Kind;
use super::{Groups, Table};

/// The flags with a meaning of their own.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Special {
    /// `NEEDAFFIX`
    pub(super) needs_affix: Option<Flag>,
    /// `FORBIDDENWORD`
    pub(super) forbidden: Option<Flag>,
    /// `ONLYINCOMPOUND`
    pub(super) compound_only: Option<Flag>,
    /// `CIRCUMFIX`
    pub(super) circumfix: Option<Flag>,
}

/// What the flags of an entry or an affix mean.
#[derive(Debug)]
pub(super) struct Class {
    /// Indices of groups of rules, in order.
    prefixes: Vec<u32>,
    suffixes: Vec<u32>,
    marks: u8,
}

const NEEDS_AFFIX: u8 = 1;
const FORBIDDEN: u8 = 2;
const COMPOUND_ONLY: u8 = 4;
const CIRCUMFIX: u8 = 8;

impl Class {
    /// The class without flags.
    pub(super) const NONE: Self = Self { prefixes: Vec::new(), suffixes: Vec::new(), marks: 0 };

    /// The class with these flags.
    pub(super) fn new(mut flags: Vec<Flag>, special: &Special, groups: &Groups) -> Self {
        flags.sort_unstable();
        flags.dedup();
        let mark = |flag: Option<Flag>, mark| match flag {
            Some(flag) if flags.binary_search(&flag).is_ok() => mark,
            _ => 0,
        };
        let marks = mark(special.needs_affix, NEEDS_AFFIX)
            | mark(special.forbidden, FORBIDDEN)
            | mark(special.compound_only, COMPOUND_ONLY)
            | mark(special.circumfix, CIRCUMFIX);
        let of = |table: &Table| {
            let mut ids: Vec<u32> = flags.iter().filter_map(|f| table.by_flag.get(f).copied()).collect();
            ids.sort_unstable();
            ids
        };
        Self { prefixes: of(&groups.prefixes), suffixes: of(&groups.suffixes), marks }
    }

    /// The groups of rules of `kind` that its flags name, in order.
    pub(super) fn groups(&self, kind: Kind) -> &[u32] {
        match kind {
            Kind::Prefix => &self.prefixes,
            Kind::Suffix => &self.suffixes,
        }
    }

    /// It names the group `id` of `kind`.
    pub(super) fn names(&self, kind: Kind, id: u32) -> bool {
        self.groups(kind).binary_search(&id).is_ok()
    }

    /// No word without a further affix.
    pub(super) fn needs_affix(&self) -> bool {
        self.marks & NEEDS_AFFIX != 0
    }

    /// No word at all.
    pub(super) fn is_forbidden(&self) -> bool {
        self.marks & FORBIDDEN != 0
    }

    /// No word outside compounds.
    pub(super) fn is_compound_only(&self) -> bool {
        self.marks & COMPOUND_ONLY != 0
    }

    /// Half of a pair: its prefix and its suffix are only found together.
    pub(super) fn is_circumfix(&self) -> bool {
        self.marks & CIRCUMFIX != 0
    }
}
