//! The naive expansion: every choice of rules is tried, and each word is judged by the text of hunspell(5).

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Flags of rules are `0..RULE_FLAGS`; the others have a meaning of their own.
const RULE_FLAGS: usize = 5;
const NEEDS_AFFIX: usize = 5;
const CIRCUMFIX: usize = 6;
const COMPOUND_ONLY: usize = 7;
const FORBIDDEN: usize = 8;

type Flags = BTreeSet<usize>;

#[derive(Debug, Clone)]
pub(crate) struct Affix {
    flag: usize,
    is_prefix: bool,
    cross: bool,
    strip: String,
    add: String,
    /// For each character: the ones that it can be, or that it cannot be.
    condition: Vec<(bool, Vec<char>)>,
    flags: Flags,
}

#[derive(Debug, Clone)]
pub(crate) struct Model {
    notation: usize,
    aliases: bool,
    complex: bool,
    full_strip: bool,
    affixes: Vec<Affix>,
}

#[derive(Debug, Clone)]
pub(crate) struct Entry {
    stem: String,
    flags: Flags,
}

fn text(length: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!['a', 'b', 'é']), length)
        .prop_map(|chars| chars.into_iter().collect())
}

/// Few of the special flags, so that most affixes make words.
fn flags() -> impl Strategy<Value = Flags> {
    let rules = prop::collection::btree_set(0..RULE_FLAGS, 0..5);
    let special = prop::collection::btree_set(NEEDS_AFFIX..=FORBIDDEN, 1..3);
    (rules, prop::option::weighted(0.2, special)).prop_map(|(mut flags, special)| {
        flags.extend(special.unwrap_or_default());
        flags
    })
}

fn affix() -> impl Strategy<Value = Affix> {
    let group = prop::collection::vec(prop::sample::select(vec!['a', 'b', 'é']), 1..3);
    let condition = prop::collection::vec((any::<bool>(), group), 0..3);
    let flag = (0..RULE_FLAGS, any::<bool>());
    (flag, text(0..2), text(0..3), prop::option::weighted(0.3, condition), flags()).prop_map(
        |((flag, is_prefix), strip, add, condition, flags)| {
            // All rules with one flag have the same header.
            let cross = flag != 4;
            Affix { flag, is_prefix, cross, strip, add, condition: condition.unwrap_or_default(), flags }
        },
    )
}

pub(crate) fn model() -> impl Strategy<Value = Model> {
    let switches = (0..4_usize, any::<bool>(), any::<bool>(), any::<bool>());
    (switches, prop::collection::vec(affix(), 2..12)).prop_map(
        |((notation, aliases, complex, full_strip), affixes)| Model {
            notation,
            aliases,
            complex,
            full_strip,
            affixes,
        },
    )
}

pub(crate) fn entry_of() -> impl Strategy<Value = Entry> {
    (text(1..4), flags()).prop_map(|(stem, flags)| Entry { stem, flags })
}

impl Model {
    fn flag(&self, flag: usize) -> String {
        match self.notation {
            0 => ["A", "b", "C", "d", "-", "N", "c", "O", "!"][flag].to_owned(),
            1 => ["Aa", "Ab", "b1", "d!", "--", "NA", "C(", "O)", "!!"][flag].to_owned(),
            2 => (flag * 977 + 1).to_string(),
            _ => ["á", "b", "ß", "d", "ж", "N", "ć", "O", "!"][flag].to_owned(),
        }
    }

    fn flags(&self, flags: &Flags) -> String {
        let all: Vec<String> = flags.iter().map(|&flag| self.flag(flag)).collect();
        all.join(if self.notation == 2 { "," } else { "" })
    }

    /// Each set of flags of the file, for its aliases: all subsets would be too many, so those that occur.
    fn alias(&self, flags: &Flags) -> Option<usize> {
        self.affixes.iter().position(|affix| affix.flags == *flags)
    }

    fn written_flags(&self, flags: &Flags) -> String {
        match self.alias(flags) {
            Some(at) if self.aliases => (at + 1).to_string(),
            _ => self.flags(flags),
        }
    }

    /// The `.aff` file.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from("# generated\nSET UTF-8\n");
        text += ["", "FLAG long\n", "FLAG num\n", "FLAG UTF-8\n"][self.notation];
        text += if self.complex { "COMPLEXPREFIXES\n" } else { "" };
        text += if self.full_strip { "FULLSTRIP\n" } else { "" };
        let special = ["NEEDAFFIX", "CIRCUMFIX", "ONLYINCOMPOUND", "FORBIDDENWORD"];
        for (keyword, flag) in special.iter().zip(NEEDS_AFFIX..) {
            writeln!(text, "{keyword} {}", self.flag(flag)).unwrap();
        }
        for flag in 0..RULE_FLAGS {
            for is_prefix in [false, true] {
                text += &self.block(flag, is_prefix);
            }
        }
        if self.aliases {
            writeln!(text, "AF {}", self.affixes.len()).unwrap();
            for affix in &self.affixes {
                // An alias for no flags cannot be written: none of these flags is a rule's.
                let flags = self.flags(&affix.flags);
                writeln!(text, "AF {} # {flags}", if flags.is_empty() { "9" } else { &flags }).unwrap();
            }
        }
        text
    }

    fn block(&self, flag: usize, is_prefix: bool) -> String {
        let of: Vec<&Affix> =
            self.affixes.iter().filter(|affix| (affix.flag, affix.is_prefix) == (flag, is_prefix)).collect();
        let Some(first) = of.first() else { return String::new() };
        let keyword = if is_prefix { "PFX" } else { "SFX" };
        let cross = if first.cross { "Y" } else { "N" };
        let name = self.flag(flag);
        let mut text = format!("\n{keyword} {name} {cross} {}\n", of.len());
        for affix in of {
            let or_zero = |text: &str| if text.is_empty() { "0".to_owned() } else { text.to_owned() };
            let flags = self.written_flags(&affix.flags);
            let flags = if affix.flags.is_empty() { String::new() } else { format!("/{flags}") };
            let (strip, add) = (or_zero(&affix.strip), or_zero(&affix.add));
            writeln!(text, "{keyword} {name} {strip}\t{add}{flags} {}", affix.condition_text()).unwrap();
        }
        text
    }

    /// The line of the `.dic` file.
    pub(crate) fn line(&self, entry: &Entry) -> String {
        let flags = self.entry_flags(entry);
        if flags.is_empty() {
            entry.stem.clone()
        } else {
            format!("{}/{}", entry.stem, self.written_flags(&flags))
        }
    }

    /// With aliases, an entry can only have flags that have an alias.
    fn entry_flags(&self, entry: &Entry) -> Flags {
        if !self.aliases || self.alias(&entry.flags).is_some() { entry.flags.clone() } else { Flags::new() }
    }
}

impl Affix {
    fn condition_text(&self) -> String {
        if self.condition.is_empty() {
            return ".".to_owned();
        }
        let group = |(not, chars): &(bool, Vec<char>)| {
            let chars: String = chars.iter().collect();
            format!("[{}{chars}]", if *not { "^" } else { "" })
        };
        self.condition.iter().map(group).collect()
    }

    fn has(&self, flag: usize) -> bool {
        self.flags.contains(&flag)
    }

    /// `word` with this affix.
    fn on(&self, word: &str, full_strip: bool) -> Option<String> {
        let chars: Vec<char> = word.chars().collect();
        let strip: Vec<char> = self.strip.chars().collect();
        let wanted = self.condition.len();
        if chars.len() < strip.len().max(wanted) || (chars.len() == strip.len() && !full_strip) {
            return None;
        }
        let (near, tested, rest) = if self.is_prefix {
            (&chars[..strip.len()], &chars[..wanted], &chars[strip.len()..])
        } else {
            let (end, cut) = (chars.len() - wanted, chars.len() - strip.len());
            (&chars[cut..], &chars[end..], &chars[..cut])
        };
        let met = tested.iter().zip(&self.condition).all(|(c, (not, these))| these.contains(c) != *not);
        let rest: String = rest.iter().collect();
        (near == strip && met)
            .then(|| if self.is_prefix { self.add.clone() + &rest } else { rest + &self.add })
    }
}

/// The words of `entry`.
pub(crate) fn forms(model: &Model, entry: &Entry) -> BTreeSet<String> {
    forms_by_depth(model, entry).into_iter().flatten().collect()
}

/// The words of `entry` by the number of their affixes.
pub(crate) fn forms_by_depth(model: &Model, entry: &Entry) -> [BTreeSet<String>; 4] {
    let root = model.entry_flags(entry);
    let mut forms: [BTreeSet<String>; 4] = Default::default();
    if root.contains(&FORBIDDEN) || root.contains(&COMPOUND_ONLY) {
        return forms;
    }
    let (outer, inner): (Vec<&Affix>, Vec<&Affix>) =
        model.affixes.iter().partition(|affix| affix.is_prefix != model.complex);
    let choices = |of: &[&'_ Affix]| -> Vec<Option<usize>> {
        std::iter::once(None).chain((0..of.len()).map(Some)).collect()
    };
    for first in choices(&inner) {
        for second in choices(&inner) {
            for last in choices(&outer) {
                let chosen =
                    [first.map(|at| inner[at]), second.map(|at| inner[at]), last.map(|at| outer[at])];
                if is_word(&root, chosen) {
                    let on = |word: Option<String>, affix: &&Affix| affix.on(&word?, model.full_strip);
                    let word = chosen.iter().flatten().fold(Some(entry.stem.clone()), on);
                    let depth = chosen.iter().flatten().count();
                    forms[depth].extend(word.filter(|word| !word.is_empty()));
                }
            }
        }
    }
    forms
}

/// The affixes can be on a stem with the flags `root`, all together.
fn is_word(root: &Flags, [first, second, outer]: [Option<&Affix>; 3]) -> bool {
    let all: Vec<&Affix> = [first, second, outer].into_iter().flatten().collect();
    if all.iter().any(|affix| affix.has(COMPOUND_ONLY)) {
        return false;
    }
    match (first, second, outer) {
        (None, None, None) => !root.contains(&NEEDS_AFFIX),
        (None, None, Some(only)) | (Some(only), None, None) => {
            root.contains(&only.flag) && !only.has(NEEDS_AFFIX) && !only.has(CIRCUMFIX)
        }
        (Some(first), Some(second), None) => {
            let follows = root.contains(&first.flag) && first.has(second.flag);
            follows && !second.has(NEEDS_AFFIX) && !first.has(CIRCUMFIX) && !second.has(CIRCUMFIX)
        }
        (Some(first), second, Some(outer)) => {
            let last = second.unwrap_or(first);
            let follows = second.is_none_or(|second| first.has(second.flag));
            let halves = outer.has(CIRCUMFIX) == first.has(CIRCUMFIX)
                && second.is_none_or(|second| first.has(CIRCUMFIX) || !second.has(CIRCUMFIX));
            let complete = !(outer.has(NEEDS_AFFIX) && last.has(NEEDS_AFFIX));
            let cross = outer.cross && last.cross;
            follows && halves && complete && cross && is_allowed(root, first, second, outer)
        }
        (None, Some(_), _) => false,
    }
}

/// The stem or the affixes allow `outer` on the stem with `first` and `second`.
fn is_allowed(root: &Flags, first: &Affix, second: Option<&Affix>, outer: &Affix) -> bool {
    let by_second = second.is_some_and(|second| second.has(outer.flag));
    if by_second {
        return root.contains(&first.flag) && !first.has(CIRCUMFIX);
    }
    let by_root = root.contains(&first.flag) && (root.contains(&outer.flag) || first.has(outer.flag));
    let by_outer = root.contains(&outer.flag) && outer.has(first.flag);
    first.cross && (by_root || by_outer)
}
