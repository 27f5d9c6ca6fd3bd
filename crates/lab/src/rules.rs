//! Rules that make passwords of words, in the syntax of hashcat (hashcat.net, *Rule-based attack*), which is
//! that of John the Ripper for what both have.
//!
//! A line of a rule file is a rule: functions that are applied one after the other. A line that begins with
//! `#` is a comment. A rule with a function that is not known here is skipped whole, and counted.

mod apply;
mod function;

use self::function::RuleFunction;

/// A rule: what is done to a word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rule {
    functions: Vec<RuleFunction>,
}

/// The effect of a rule, as far as it matters for its detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RuleClass {
    /// Nothing but letter case.
    Case,
    /// Characters put behind the word or before it.
    Affixes,
    /// One character for another throughout.
    Substitution,
    /// Characters put in or overwritten inside.
    Inside,
    /// Characters taken away.
    Cut,
    /// The word or a part of it again.
    Repeated,
    /// Characters in another order.
    Moved,
    /// Several of these.
    Mixed,
}

impl RuleClass {
    /// All of them.
    pub(crate) const ALL: [RuleClass; 8] = [
        RuleClass::Case,
        RuleClass::Affixes,
        RuleClass::Substitution,
        RuleClass::Inside,
        RuleClass::Cut,
        RuleClass::Repeated,
        RuleClass::Moved,
        RuleClass::Mixed,
    ];

    /// Its name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            RuleClass::Case => "case",
            RuleClass::Affixes => "affixes",
            RuleClass::Substitution => "substitution",
            RuleClass::Inside => "inside",
            RuleClass::Cut => "cut",
            RuleClass::Repeated => "repeated",
            RuleClass::Moved => "moved",
            RuleClass::Mixed => "mixed",
        }
    }
}

impl Rule {
    /// The rule of a line; none if it has a function that is not known.
    pub(crate) fn parse(line: &[u8]) -> Option<Rule> {
        let mut rest = line;
        let mut functions = Vec::new();
        loop {
            rest = rest.trim_ascii_start();
            if rest.is_empty() {
                return (!functions.is_empty()).then_some(Rule { functions });
            }
            let (function, after) = RuleFunction::parse(rest)?;
            functions.push(function);
            rest = after;
        }
    }

    /// The rule's output for a word; none if the rule rejects it.
    pub(crate) fn apply(&self, word: &[u8]) -> Option<Vec<u8>> {
        apply::all(&self.functions, word)
    }

    /// Its effect.
    pub(crate) fn class(&self) -> RuleClass {
        let classes = || self.functions.iter().filter_map(|function| function.class());
        let counted = || classes().filter(|&class| class != RuleClass::Case);
        match counted().next() {
            None => RuleClass::Case,
            Some(first) if counted().all(|class| class == first) => first,
            Some(_) => RuleClass::Mixed,
        }
    }
}

/// A file of rules.
#[derive(Debug, Default)]
pub(crate) struct RuleFile {
    /// The rules, the most promising first, as such files are ordered.
    pub(crate) rules: Vec<Rule>,
    /// Lines that were skipped for a function that is not known.
    pub(crate) skipped: u64,
}

impl RuleFile {
    /// The rules in the text of a file.
    pub(crate) fn parse(text: &[u8]) -> RuleFile {
        let mut file = RuleFile::default();
        for line in text.split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.trim_ascii().is_empty() || line.starts_with(b"#") {
                continue;
            }
            match Rule::parse(line) {
                Some(rule) => file.rules.push(rule),
                None => file.skipped = file.skipped.saturating_add(1),
            }
        }
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out_and_unknown_functions_are_counted() {
        let file = RuleFile::parse(b"# a comment\n:\r\n\n   \nc $1\nl v3 $1\nso0 sa@\n$");
        assert_eq!((file.rules.len(), file.skipped), (3, 2));
        assert_eq!(file.rules[1].apply(b"word").unwrap(), b"Word1");
        assert_eq!(file.rules[2].apply(b"oval").unwrap(), b"0v@l");
    }

    #[test]
    fn a_rule_has_the_class_of_what_it_does() {
        for (rule, class) in [
            (":", RuleClass::Case),
            ("c", RuleClass::Case),
            ("c $1 $2", RuleClass::Affixes),
            ("^a", RuleClass::Affixes),
            ("sa@ so0", RuleClass::Substitution),
            ("o3x", RuleClass::Inside),
            ("] ]", RuleClass::Cut),
            ("d", RuleClass::Repeated),
            ("r", RuleClass::Moved),
            ("r $1", RuleClass::Mixed),
        ] {
            assert_eq!(Rule::parse(rule.as_bytes()).unwrap().class(), class, "{rule}");
        }
    }
}
