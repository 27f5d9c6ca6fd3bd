//! The forms of one stem: which affixes can follow each other.
//!
//! Of the inner kind (suffixes, or prefixes in a file with `COMPLEXPREFIXES`) a form has up to two, of the
//! outer kind up to one, which is put on last. An affix is allowed by the flags of the stem or of the affix
//! that it is combined with. This is what `suffix_check`, `prefix_check` and the functions around them in
//! hunspell's `affixmgr.cxx` accept.

use super::chain::{Chain, NO_FLAGS, agree, is_alone};
use super::class::Class;
use super::kind::Kind;
use super::rule::Rule;
use super::{Affixes, Expansion, MAX_STEM, MAX_TRIALS};

/// Gives `take` the words that `stem` with the flags `root` stands for.
pub(super) fn expand(affixes: &Affixes, stem: &str, root: &Class, take: &mut dyn FnMut(&str)) -> Expansion {
    let mut walk = Walk { affixes, root, take, forms: 0, trials: 0, crossed: String::new() };
    let limited = walk.all(stem).is_err();
    Expansion { forms: walk.forms, limited }
}

/// A limit was met.
struct Limit;

struct Walk<'a> {
    affixes: &'a Affixes,
    root: &'a Class,
    take: &'a mut dyn FnMut(&str),
    forms: usize,
    trials: usize,
    /// The word with the affix of the outer kind.
    crossed: String,
}

/// Gives the forms of a stem with a rule of the outer kind, of the group with this index, and one of the
/// inner kind, with two buffers.
type Enabled<'a> = fn(&mut Walk<'a>, (u32, &'a Rule), &'a Rule, &str, [&mut String; 2]) -> Result<(), Limit>;

impl<'a> Walk<'a> {
    /// Words with fewer affixes come first, so that a limit leaves the more likely ones.
    fn all(&mut self, stem: &str) -> Result<(), Limit> {
        if self.root.is_forbidden() || self.root.is_compound_only() {
            return Ok(());
        }
        if !self.root.needs_affix() {
            self.give(stem)?;
        }
        if stem.len() > MAX_STEM {
            return Err(Limit);
        }
        let (mut one, mut two) = (String::new(), String::new());
        self.outer_alone(stem)?;
        let firsts = self.inner_alone(stem, &mut one)?;
        for first in &firsts {
            self.two_affixes(first, stem, &mut one, &mut two)?;
        }
        self.enabled_by_outer(Self::enabled_two, stem, &mut one, &mut two)?;
        for first in &firsts {
            self.three_affixes(first, stem, &mut one, &mut two)?;
        }
        self.enabled_by_outer(Self::enabled_three, stem, &mut one, &mut two)
    }

    fn give(&mut self, form: &str) -> Result<(), Limit> {
        if form.is_empty() {
            return Ok(());
        }
        if self.forms >= self.affixes.max_forms {
            return Err(Limit);
        }
        self.forms = self.forms.saturating_add(1);
        (self.take)(form);
        Ok(())
    }

    /// The rules of `kind` with the index `id`. Each is a trial, for one that is passed over takes time too.
    fn group(&mut self, kind: Kind, id: u32) -> Result<&'a [Rule], Limit> {
        let rules = self.affixes.groups.of(kind).group(id);
        self.trials = self.trials.saturating_add(rules.len());
        if self.trials > MAX_TRIALS { Err(Limit) } else { Ok(rules) }
    }

    fn apply(&self, rule: &Rule, kind: Kind, word: &str, form: &mut String) -> bool {
        rule.apply(kind, word, self.affixes.full_strip, form)
    }

    fn class_of(&self, rule: &Rule) -> &'a Class {
        rule.class.and_then(|id| self.affixes.class(id)).unwrap_or(&NO_FLAGS)
    }

    /// The forms with nothing but an affix of the outer kind.
    fn outer_alone(&mut self, stem: &str) -> Result<(), Limit> {
        let outer = self.affixes.inner.other();
        for &id in self.root.groups(outer) {
            for rule in self.group(outer, id)? {
                if is_alone(self.class_of(rule)) {
                    self.cross(rule, stem)?;
                }
            }
        }
        Ok(())
    }

    /// Gives `word` with `rule` of the outer kind.
    fn cross(&mut self, rule: &Rule, word: &str) -> Result<(), Limit> {
        let mut form = std::mem::take(&mut self.crossed);
        if self.apply(rule, self.affixes.inner.other(), word, &mut form) {
            self.give(&form)?;
        }
        self.crossed = form;
        Ok(())
    }

    /// The forms with nothing but an affix of the inner kind. Returns the affixes that `stem` can have, for
    /// the forms with more.
    fn inner_alone(&mut self, stem: &str, one: &mut String) -> Result<Vec<&'a Rule>, Limit> {
        let (root, inner) = (self.root, self.affixes.inner);
        let mut firsts = Vec::new();
        for &id in root.groups(inner) {
            for first in self.group(inner, id)? {
                let class = self.class_of(first);
                if class.is_compound_only() || !self.apply(first, inner, stem, one) {
                    continue;
                }
                firsts.push(first);
                if is_alone(class) {
                    self.give(one)?;
                }
            }
        }
        Ok(firsts)
    }

    /// The forms with `first` and another affix.
    fn two_affixes(
        &mut self,
        first: &'a Rule,
        stem: &str,
        one: &mut String,
        two: &mut String,
    ) -> Result<(), Limit> {
        let (inner, first_class) = (self.affixes.inner, self.class_of(first));
        if !self.apply(first, inner, stem, one) {
            return Ok(());
        }
        self.outer_of(Chain { first, first_class, second: None }, one)?;
        for &id in first_class.groups(inner) {
            for second in self.group(inner, id)? {
                let class = self.class_of(second);
                if is_alone(class) && !first_class.is_circumfix() && self.apply(second, inner, one, two) {
                    self.give(two)?;
                }
            }
        }
        Ok(())
    }

    /// The forms with `first`, another affix of the inner kind and one of the outer kind.
    fn three_affixes(
        &mut self,
        first: &'a Rule,
        stem: &str,
        one: &mut String,
        two: &mut String,
    ) -> Result<(), Limit> {
        let (inner, first_class) = (self.affixes.inner, self.class_of(first));
        if first_class.groups(inner).is_empty() || !self.apply(first, inner, stem, one) {
            return Ok(());
        }
        for &id in first_class.groups(inner) {
            for second in self.group(inner, id)?.iter().filter(|rule| rule.cross) {
                let chain = Chain { first, first_class, second: Some((second, self.class_of(second))) };
                if self.has_outer(chain) && self.apply(second, inner, one, two) {
                    self.outer_of(chain, two)?;
                }
            }
        }
        Ok(())
    }

    /// The stem or an affix of `chain` allows some affix of the outer kind.
    fn has_outer(&self, chain: Chain<'a>) -> bool {
        let outer = self.affixes.inner.other();
        let second = chain.second.map_or(&NO_FLAGS, |(_, class)| class);
        [self.root, chain.first_class, second].iter().any(|class| !class.groups(outer).is_empty())
    }

    /// The forms of `word` with an affix of the outer kind that the stem or the affixes of `chain` allow. The
    /// last of these affixes can be combined, if there are two.
    fn outer_of(&mut self, chain: Chain<'a>, word: &str) -> Result<(), Limit> {
        let outer = self.affixes.inner.other();
        let second = chain.second.map_or(&NO_FLAGS, |(_, class)| class);
        if chain.first.cross {
            for (source, earlier) in [(self.root, &NO_FLAGS), (chain.first_class, self.root)] {
                for &id in source.groups(outer) {
                    let rules = self.group(outer, id)?;
                    if !earlier.names(outer, id) && !second.names(outer, id) {
                        self.crossed_by(rules, chain, word)?;
                    }
                }
            }
        }
        // What the second affix allows does not depend on the stem and the first, but it is no other half of
        // the first.
        if !chain.first_class.is_circumfix() {
            for &id in second.groups(outer) {
                let rules = self.group(outer, id)?;
                self.crossed_by(rules, chain, word)?;
            }
        }
        Ok(())
    }

    /// The forms of `word` with `rules` of the outer kind.
    fn crossed_by(&mut self, rules: &'a [Rule], chain: Chain<'a>, word: &str) -> Result<(), Limit> {
        for rule in rules {
            if rule.cross && agree(self.class_of(rule), chain) {
                self.cross(rule, word)?;
            }
        }
        Ok(())
    }

    /// The forms with an affix of the inner kind that only an affix of the outer kind allows, so that both
    /// are there: `forms` gives the forms of a rule of the outer kind and one that it allows.
    fn enabled_by_outer(
        &mut self,
        forms: Enabled<'a>,
        stem: &str,
        one: &mut String,
        two: &mut String,
    ) -> Result<(), Limit> {
        let (root, inner) = (self.root, self.affixes.inner);
        for &id in root.groups(inner.other()) {
            for outer in self.group(inner.other(), id)?.iter().filter(|rule| rule.cross) {
                for &inner_id in self.class_of(outer).groups(inner) {
                    let rules = self.group(inner, inner_id)?;
                    if root.names(inner, inner_id) {
                        continue;
                    }
                    for first in rules.iter().filter(|rule| rule.cross) {
                        forms(self, (id, outer), first, stem, [&mut *one, &mut *two])?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The form with `first` and `outer`.
    fn enabled_two(
        &mut self,
        (_, outer): (u32, &'a Rule),
        first: &'a Rule,
        stem: &str,
        [one, _]: [&mut String; 2],
    ) -> Result<(), Limit> {
        let chain = Chain { first, first_class: self.class_of(first), second: None };
        if agree(self.class_of(outer), chain) && self.apply(first, self.affixes.inner, stem, one) {
            self.cross(outer, one)?;
        }
        Ok(())
    }

    /// The forms with `first`, another affix of the inner kind, and `outer`.
    fn enabled_three(
        &mut self,
        (outer_id, outer): (u32, &'a Rule),
        first: &'a Rule,
        stem: &str,
        [one, two]: [&mut String; 2],
    ) -> Result<(), Limit> {
        let (inner, first_class) = (self.affixes.inner, self.class_of(first));
        if first_class.is_compound_only() || first_class.groups(inner).is_empty() {
            return Ok(());
        }
        if !self.apply(first, inner, stem, one) {
            return Ok(());
        }
        for &id in first_class.groups(inner) {
            for second in self.group(inner, id)?.iter().filter(|rule| rule.cross) {
                let second_class = self.class_of(second);
                // What the second affix allows says nothing of the first.
                if second_class.names(inner.other(), outer_id) {
                    continue;
                }
                let chain = Chain { first, first_class, second: Some((second, second_class)) };
                if agree(self.class_of(outer), chain) && self.apply(second, inner, one, two) {
                    self.cross(outer, two)?;
                }
            }
        }
        Ok(())
    }
}
