//! The functions of rules: their letters and operands.

use super::RuleClass;

/// A function with its operands: positions are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum RuleFunction {
    /// A function without operands, by its letter.
    Plain(u8),
    /// With one position or count.
    At(u8, usize),
    /// With two.
    AtTwo(u8, usize, usize),
    /// With a character.
    Of(u8, u8),
    /// With two characters.
    OfTwo(u8, u8, u8),
    /// With a position and a character.
    AtOf(u8, usize, u8),
    /// `X`: that many characters of what is remembered, from where, put in where.
    Remembered(usize, usize, usize),
}

const PLAIN: &[u8] = b":lucCtrdf{}[]qkKEM46Q";
const AT: &[u8] = b"TpDzZ'LR+-.,yY<>_";
const AT_TWO: &[u8] = b"xO*";
const OF: &[u8] = b"$^@e!/()";
const AT_OF: &[u8] = b"io3=%";

impl RuleFunction {
    /// The first function of a rule, and what comes after it; none if it is not known.
    pub(super) fn parse(rule: &[u8]) -> Option<(RuleFunction, &[u8])> {
        let (&letter, rest) = rule.split_first()?;
        let operand = |at: usize| rest.get(at).copied();
        let number = |at: usize| operand(at).and_then(position);
        let (function, operands) = match letter {
            _ if PLAIN.contains(&letter) => (RuleFunction::Plain(letter), 0),
            _ if AT.contains(&letter) => (RuleFunction::At(letter, number(0)?), 1),
            _ if AT_TWO.contains(&letter) => (RuleFunction::AtTwo(letter, number(0)?, number(1)?), 2),
            _ if OF.contains(&letter) => (RuleFunction::Of(letter, operand(0)?), 1),
            _ if AT_OF.contains(&letter) => (RuleFunction::AtOf(letter, number(0)?, operand(1)?), 2),
            b's' => (RuleFunction::OfTwo(letter, operand(0)?, operand(1)?), 2),
            b'X' => (RuleFunction::Remembered(number(0)?, number(1)?, number(2)?), 3),
            _ => return None,
        };
        Some((function, rest.get(operands..)?))
    }

    /// Its effect on a word; none if that depends on the word or there is none.
    pub(super) fn class(self) -> Option<RuleClass> {
        let (RuleFunction::Plain(letter)
        | RuleFunction::At(letter, _)
        | RuleFunction::AtTwo(letter, ..)
        | RuleFunction::Of(letter, _)
        | RuleFunction::OfTwo(letter, ..)
        | RuleFunction::AtOf(letter, ..)) = self
        else {
            return Some(RuleClass::Inside);
        };
        Some(match letter {
            b'l' | b'u' | b'c' | b'C' | b't' | b'T' | b'E' | b'e' | b'3' => RuleClass::Case,
            b'$' | b'^' => RuleClass::Affixes,
            b's' => RuleClass::Substitution,
            b'i' | b'o' | b'L' | b'R' | b'+' | b'-' | b'.' | b',' => RuleClass::Inside,
            b'[' | b']' | b'D' | b'x' | b'O' | b'\'' | b'@' => RuleClass::Cut,
            b'd' | b'p' | b'f' | b'z' | b'Z' | b'q' | b'y' | b'Y' | b'4' | b'6' => RuleClass::Repeated,
            b'r' | b'{' | b'}' | b'k' | b'K' | b'*' => RuleClass::Moved,
            _ => return None,
        })
    }
}

/// A position: 0 to 9, then A to Z for 10 to 35.
fn position(digit: u8) -> Option<usize> {
    match digit {
        b'0'..=b'9' => Some(usize::from(digit.wrapping_sub(b'0'))),
        b'A'..=b'Z' => Some(usize::from(digit.wrapping_sub(b'A')).saturating_add(10)),
        _ => None,
    }
}
