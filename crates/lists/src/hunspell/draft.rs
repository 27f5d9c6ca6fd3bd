//! The blocks of rules of an `.aff` file.

use super::class::Class;
use super::flags::{Flag, alias, leading_number};
use super::kind::Kind;
use super::rule::Rule;
use super::settings::Settings;
use super::{Affixes, Groups, MAX_FORMS, MAX_RULES};
use std::collections::HashMap;

/// The rules of `text`, the whole file with these `settings`.
pub(super) fn read(text: &str, settings: Settings) -> Affixes {
    let mut draft = Draft::new(settings);
    for line in text.lines() {
        draft.line(line);
        if draft.limited {
            break;
        }
    }
    draft.end_block();
    draft.finish()
}

/// What was read so far.
struct Draft {
    settings: Settings,
    groups: Groups,
    /// Sets of flags by their contents: many rules share one.
    classes: HashMap<Vec<Flag>, u32>,
    aliases: Option<Vec<u32>>,
    block: Option<Block>,
    rules: usize,
    skipped: usize,
    limited: bool,
}

/// The block that lines are read of.
struct Block {
    kind: Kind,
    flag: Flag,
    cross: bool,
    /// Rules that are still to come.
    left: u64,
}

impl Draft {
    fn new(mut settings: Settings) -> Self {
        let aliases = settings.aliases.take();
        let mut draft = Self {
            settings,
            groups: Groups::default(),
            classes: HashMap::new(),
            aliases: None,
            block: None,
            rules: 0,
            skipped: 0,
            limited: false,
        };
        draft.aliases = aliases.map(|all| all.into_iter().map(|flags| draft.class(flags)).collect());
        draft
    }

    fn line(&mut self, line: &str) {
        let mut fields = line.split_ascii_whitespace();
        let Some(kind) = fields.next().and_then(Kind::of) else { return };
        let fields: Vec<&str> = fields.take_while(|field| !field.starts_with('#')).take(4).collect();
        let read = match *fields.as_slice() {
            [flag, cross, count] if is_header(cross, count) => self.header(kind, flag, cross, count),
            [flag, ref fields @ ..] => self.rule(kind, flag, fields),
            [] => None,
        };
        if read.is_none() {
            self.skip();
        }
    }

    fn skip(&mut self) {
        self.skipped = self.skipped.saturating_add(1);
    }

    /// Begins a block.
    fn header(&mut self, kind: Kind, flag: &str, cross: &str, count: &str) -> Option<()> {
        self.end_block();
        let flag = self.settings.notation.one(flag)?;
        let left = leading_number(count)?;
        self.block = Some(Block { kind, flag, cross: cross == "Y", left });
        Some(())
    }

    /// A block with fewer rules than its header says is broken, but the rules that it has are kept.
    fn end_block(&mut self) {
        if self.block.take().is_some_and(|block| block.left > 0) {
            self.skip();
        }
    }

    /// Adds a rule to its block. Nothing if it is in none, or broken.
    fn rule(&mut self, kind: Kind, flag: &str, fields: &[&str]) -> Option<()> {
        let flag = self.settings.notation.one(flag)?;
        let block = self.block.as_mut().filter(|block| (block.kind, block.flag) == (kind, flag))?;
        block.left = block.left.checked_sub(1)?;
        let (strip, affix, condition) = match *fields {
            [strip, affix] => (strip, affix, "."),
            [strip, affix, condition] => (strip, affix, condition),
            _ => return None,
        };
        let cross = block.cross;
        let (affix, flags) =
            affix.split_once('/').map_or((affix, None), |(affix, flags)| (affix, Some(flags)));
        let affix = self.without_ignored(affix);
        let mut rule = Rule::new(kind, or_nothing(strip), or_nothing(&affix), condition)?;
        if self.rules >= MAX_RULES {
            self.limited = true;
            return Some(());
        }
        self.rules = self.rules.saturating_add(1);
        rule.cross = cross;
        rule.class = flags.and_then(|flags| self.named_class(flags));
        self.add(kind, flag, rule);
        Some(())
    }

    fn without_ignored(&self, affix: &str) -> String {
        affix.chars().filter(|c| !self.settings.ignored.contains(c)).collect()
    }

    fn add(&mut self, kind: Kind, flag: Flag, rule: Rule) {
        let table = self.groups.of_mut(kind);
        let next = u32::try_from(table.rules.len()).unwrap_or(u32::MAX);
        let id = *table.by_flag.entry(flag).or_insert(next);
        if id == next {
            table.rules.push(Vec::new());
        }
        if let Some(group) = usize::try_from(id).ok().and_then(|at| table.rules.get_mut(at)) {
            group.push(rule);
        }
    }

    /// The class that is written `text`: an alias or flags.
    fn named_class(&mut self, text: &str) -> Option<u32> {
        if let Some(aliases) = &self.aliases {
            return alias(aliases, text);
        }
        let mut flags = Vec::new();
        self.settings.notation.read(text, &mut flags);
        Some(self.class(flags))
    }

    fn class(&mut self, mut flags: Vec<Flag>) -> u32 {
        flags.sort_unstable();
        flags.dedup();
        let next = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        *self.classes.entry(flags).or_insert(next)
    }

    /// Everything is read: what flags mean is known now.
    fn finish(self) -> Affixes {
        let Self { settings, groups, classes, aliases, skipped, limited, .. } = self;
        let mut flags: Vec<(u32, Vec<Flag>)> = classes.into_iter().map(|(flags, id)| (id, flags)).collect();
        flags.sort_unstable_by_key(|(id, _)| *id);
        let classes = flags.into_iter().map(|(_, f)| Class::new(f, &settings.special, &groups)).collect();
        Affixes {
            charset: settings.charset,
            notation: settings.notation,
            special: settings.special,
            full_strip: settings.full_strip,
            inner: settings.inner,
            ignored: settings.ignored,
            groups,
            classes,
            aliases,
            skipped,
            limited,
            max_forms: MAX_FORMS,
        }
    }
}

/// A line with these two fields after its flag begins a block. A rule that strips `Y` and adds a number
/// without a condition does not occur.
fn is_header(cross: &str, count: &str) -> bool {
    matches!(cross, "Y" | "N") && leading_number(count).is_some_and(|count| count > 0)
}

/// `0` stands for nothing.
fn or_nothing(text: &str) -> &str {
    if text == "0" { "" } else { text }
}
