//! One line of a `PFX` or `SFX` block.

use super::charset::byte;
use super::condition::Condition;
use super::kind::Kind;

/// The bytes of what a rule strips or adds. A rule with more is broken, so that a form is never much longer
/// than its stem.
const MAX_AFFIX: usize = 256;
/// The bytes of the condition of a rule.
const MAX_CONDITION: usize = 4096;

/// What is put in the place of what, and when.
#[derive(Debug)]
pub(super) struct Rule {
    strip: Box<str>,
    affix: Box<str>,
    condition: Condition,
    /// The affix can be combined with one of the other kind.
    pub(super) cross: bool,
    /// The index of its continuation class.
    pub(super) class: Option<u32>,
}

impl Rule {
    /// The rule with these fields, or nothing if it is broken.
    pub(super) fn new(kind: Kind, strip: &str, affix: &str, condition: &str) -> Option<Self> {
        if strip.len() > MAX_AFFIX || affix.len() > MAX_AFFIX || condition.len() > MAX_CONDITION {
            return None;
        }
        if strip.chars().chain(affix.chars()).any(|c| byte(c).is_some()) {
            return None;
        }
        let condition = Condition::parse(condition)?;
        let condition = if condition.follows_from(kind, strip) { Condition::default() } else { condition };
        Some(Self { strip: strip.into(), affix: affix.into(), condition, cross: false, class: None })
    }

    /// Writes the form of `word` into `form`. False if the rule does not apply: `word` has not what is
    /// stripped, does not meet the condition, or is nothing else and the file has no `FULLSTRIP`.
    pub(super) fn apply(&self, kind: Kind, word: &str, full_strip: bool, form: &mut String) -> bool {
        let rest = match kind {
            Kind::Prefix => word.strip_prefix(&*self.strip),
            Kind::Suffix => word.strip_suffix(&*self.strip),
        };
        let Some(rest) = rest.filter(|rest| full_strip || !rest.is_empty()) else { return false };
        if !self.condition.is_met(kind, word) {
            return false;
        }
        form.clear();
        let (first, second) = match kind {
            Kind::Prefix => (&*self.affix, rest),
            Kind::Suffix => (rest, &*self.affix),
        };
        form.push_str(first);
        form.push_str(second);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(kind: Kind, fields: [&str; 3], word: &str, full_strip: bool) -> Option<String> {
        let mut form = String::from("what was there before");
        let rule = Rule::new(kind, fields[0], fields[1], fields[2]).unwrap();
        rule.apply(kind, word, full_strip, &mut form).then_some(form)
    }

    #[test]
    fn a_rule_replaces_one_end_of_a_word() {
        assert_eq!(applied(Kind::Suffix, ["y", "ies", "[^aeiou]y"], "carry", false), Some("carries".into()));
        assert_eq!(applied(Kind::Suffix, ["y", "ies", "[^aeiou]y"], "play", false), None);
        assert_eq!(applied(Kind::Suffix, ["y", "ies", "."], "plum", false), None, "nothing to strip");
        assert_eq!(applied(Kind::Prefix, ["é", "ré", "."], "écrire", false), Some("récrire".into()));
    }

    #[test]
    fn a_whole_word_is_stripped_only_with_full_strip() {
        assert_eq!(applied(Kind::Suffix, ["be", "was", "."], "be", false), None);
        assert_eq!(applied(Kind::Suffix, ["be", "was", "be"], "be", true), Some("was".into()));
    }

    #[test]
    fn a_rule_with_too_long_parts_is_broken() {
        let long = "x".repeat(MAX_AFFIX + 1);
        assert!(Rule::new(Kind::Suffix, &long, "", ".").is_none());
        assert!(Rule::new(Kind::Suffix, "", &long, ".").is_none());
        assert!(Rule::new(Kind::Suffix, "", &long[1..], ".").is_some());
        assert!(Rule::new(Kind::Suffix, "", "", &"x".repeat(MAX_CONDITION + 1)).is_none());
    }
}
