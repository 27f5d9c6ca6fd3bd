//! The condition of a rule: what the end (of a suffix) or the beginning (of a prefix) of a word must be.

use super::kind::Kind;

/// One character of a condition.
#[derive(Debug, PartialEq, Eq)]
enum Element {
    Any,
    One(char),
    In(Box<[char]>),
    NotIn(Box<[char]>),
}

/// A condition. An empty one is met by every word.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Condition(Box<[Element]>);

impl Condition {
    /// The condition `text`, or nothing if a bracket has no other. `.` alone is met by every word, for a rule
    /// is applied to no empty one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text == "." {
            return Some(Self::default());
        }
        let mut elements = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            rest = rest.get(first.len_utf8()..)?;
            elements.push(match first {
                '.' => Element::Any,
                ']' => return None,
                '[' => {
                    let (inside, after) = rest.split_once(']')?;
                    rest = after;
                    group(inside)?
                }
                one => Element::One(one),
            });
        }
        Some(Self(elements.into_boxed_slice()))
    }

    /// `word` meets it at the side where a rule of `kind` is applied.
    pub(super) fn is_met(&self, kind: Kind, word: &str) -> bool {
        match kind {
            Kind::Prefix => meets(self.0.iter(), word.chars()),
            Kind::Suffix => meets(self.0.iter().rev(), word.chars().rev()),
        }
    }

    /// Each word from which `strip` can be taken meets it.
    pub(super) fn follows_from(&self, kind: Kind, strip: &str) -> bool {
        self.is_met(kind, strip)
    }
}

/// The characters between two brackets.
fn group(inside: &str) -> Option<Element> {
    let (chars, not) = inside.strip_prefix('^').map_or((inside, false), |chars| (chars, true));
    let chars: Box<[char]> = chars.chars().collect();
    match (not, &*chars) {
        (_, []) => None,
        (false, &[one]) => Some(Element::One(one)),
        (false, _) => Some(Element::In(chars)),
        (true, _) => Some(Element::NotIn(chars)),
    }
}

fn meets<'a>(elements: impl Iterator<Item = &'a Element>, mut chars: impl Iterator<Item = char>) -> bool {
    for element in elements {
        let met = match (element, chars.next()) {
            (_, None) => false,
            (Element::Any, _) => true,
            (Element::One(one), Some(c)) => *one == c,
            (Element::In(these), Some(c)) => these.contains(&c),
            (Element::NotIn(these), Some(c)) => !these.contains(&c),
        };
        if !met {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(kind: Kind, condition: &str, word: &str) -> bool {
        Condition::parse(condition).unwrap().is_met(kind, word)
    }

    #[test]
    fn conditions_are_met_at_the_side_of_the_affix() {
        assert!(met(Kind::Suffix, "[^aeiou]y", "carry") && !met(Kind::Suffix, "[^aeiou]y", "play"));
        assert!(met(Kind::Suffix, "[aé]", "café") && met(Kind::Suffix, "[é]", "café"));
        assert!(met(Kind::Prefix, "ca", "carry") && !met(Kind::Prefix, "ry", "carry"));
        assert!(met(Kind::Suffix, ".y", "my") && !met(Kind::Suffix, ".y", "y"));
        assert!(!met(Kind::Suffix, "[^a]y", "y"), "a group takes one character");
        assert!(
            met(Kind::Suffix, "[a^]", "x^")
                && met(Kind::Suffix, "[.]", "x.")
                && !met(Kind::Suffix, "[.]", "x")
        );
        assert!(met(Kind::Suffix, ".", "") && met(Kind::Suffix, "", "x"));
    }

    #[test]
    fn broken_brackets_are_no_condition() {
        for broken in ["[", "a[bc", "]", "[]", "[^]", "ab]"] {
            assert_eq!(Condition::parse(broken), None, "{broken}");
        }
    }
}
