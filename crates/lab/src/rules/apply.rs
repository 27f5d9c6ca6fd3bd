//! The functions of rules. A function that lacks characters or room leaves the word as it is.

#![allow(clippy::arithmetic_side_effects, reason = "positions in a word of at most 255 bytes")]

use std::slice::SliceIndex;

use super::function::RuleFunction;

/// The most bytes that a rule makes of a word.
const MAX_BYTES: usize = 255;

/// Applies functions one after the other; none if one rejects the word.
pub(super) fn all(functions: &[RuleFunction], word: &[u8]) -> Option<Vec<u8>> {
    let word = word.get(..MAX_BYTES).unwrap_or(word).to_vec();
    let mut state = WordState { memory: word.clone(), word };
    functions.iter().all(|&function| state.apply(function)).then_some(state.word)
}

struct WordState {
    word: Vec<u8>,
    /// The word that `M` stores; at first the word before any function.
    memory: Vec<u8>,
}

impl WordState {
    /// False where the function rejects the word.
    fn apply(&mut self, function: RuleFunction) -> bool {
        match function {
            RuleFunction::Plain(b'Q') => return self.memory != self.word,
            RuleFunction::Plain(letter) => self.plain(letter),
            RuleFunction::At(b'<', most) => return self.word.len() <= most,
            RuleFunction::At(b'>', least) => return self.word.len() >= least,
            RuleFunction::At(b'_', length) => return self.word.len() == length,
            RuleFunction::At(letter, at) => self.at(letter, at),
            RuleFunction::AtTwo(letter, a, b) => self.at_two(letter, a, b),
            RuleFunction::Of(b'!', byte) => return !self.word.contains(&byte),
            RuleFunction::Of(b'/', byte) => return self.word.contains(&byte),
            RuleFunction::Of(b'(', byte) => return self.word.first() == Some(&byte),
            RuleFunction::Of(b')', byte) => return self.word.last() == Some(&byte),
            RuleFunction::Of(letter, byte) => self.of(letter, byte),
            RuleFunction::OfTwo(_, from, to) => self.map(|byte| if byte == from { to } else { byte }),
            RuleFunction::AtOf(b'=', at, byte) => return self.word.get(at) == Some(&byte),
            RuleFunction::AtOf(b'%', count, byte) => {
                let mut those = self.word.iter().filter(|&&one| one == byte);
                return count.checked_sub(1).is_none_or(|last| those.nth(last).is_some());
            }
            RuleFunction::AtOf(letter, at, byte) => self.at_of(letter, at, byte),
            RuleFunction::Remembered(from, count, at) => {
                let part = self.memory.get(from..from + count).map(<[u8]>::to_vec);
                if let Some(part) = part.filter(|_| at <= self.word.len()) {
                    self.put(at, &part);
                }
            }
        }
        true
    }

    fn map(&mut self, change: impl Fn(u8) -> u8) {
        self.word.iter_mut().for_each(|byte| *byte = change(*byte));
    }

    fn change(&mut self, at: usize, change: impl Fn(u8) -> u8) {
        if let Some(byte) = self.word.get_mut(at) {
            *byte = change(*byte);
        }
    }

    /// Puts bytes in, where there is room for all of them.
    fn put(&mut self, at: usize, bytes: &[u8]) {
        if self.word.len() + bytes.len() <= MAX_BYTES {
            self.word.splice(at..at, bytes.iter().copied());
        }
    }

    /// Puts a part of the word in once more; a part that it does not have changes nothing.
    fn double(&mut self, part: impl SliceIndex<[u8], Output = [u8]>, at: usize) {
        if let Some(part) = self.word.get(part).map(<[u8]>::to_vec) {
            self.put(at, &part);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        self.put(self.word.len(), bytes);
    }

    fn plain(&mut self, letter: u8) {
        let copy = self.word.clone();
        match letter {
            b'l' => self.word.make_ascii_lowercase(),
            b'u' => self.word.make_ascii_uppercase(),
            b'c' => self.title(|_, at| at == 0),
            b'C' => {
                self.word.make_ascii_uppercase();
                self.change(0, |byte| byte.to_ascii_lowercase());
            }
            b't' => self.map(toggled),
            b'r' => self.word.reverse(),
            b'd' => self.append(&copy),
            b'f' => self.append(&copy.iter().rev().copied().collect::<Vec<u8>>()),
            b'{' if !copy.is_empty() => self.word.rotate_left(1),
            b'}' if !copy.is_empty() => self.word.rotate_right(1),
            b'[' => drop(self.word.splice(..copy.len().min(1), [])),
            b']' => drop(self.word.pop()),
            b'q' if copy.len() * 2 <= MAX_BYTES => {
                self.word = copy.iter().flat_map(|&byte| [byte, byte]).collect();
            }
            b'k' if copy.len() >= 2 => self.word.swap(0, 1),
            b'K' if copy.len() >= 2 => self.word.swap(copy.len() - 1, copy.len() - 2),
            b'E' => self.title_after(b' '),
            b'M' => self.memory = copy,
            b'4' => self.append(&self.memory.clone()),
            b'6' => self.put(0, &self.memory.clone()),
            _ => {}
        }
    }

    /// Lower case, but for the characters that are named.
    fn title(&mut self, is_upper: impl Fn(&[u8], usize) -> bool) {
        self.word.make_ascii_lowercase();
        let copy = self.word.clone();
        for (at, byte) in self.word.iter_mut().enumerate() {
            if is_upper(&copy, at) {
                byte.make_ascii_uppercase();
            }
        }
    }

    fn title_after(&mut self, separator: u8) {
        self.title(|word, at| at.checked_sub(1).is_none_or(|before| word.get(before) == Some(&separator)));
    }

    fn at(&mut self, letter: u8, at: usize) {
        let length = self.word.len();
        let neighbour = |at: Option<usize>| at.and_then(|at| self.word.get(at).copied());
        let (before, after) = (neighbour(at.checked_sub(1)), neighbour(Some(at + 1)));
        let end = |at: usize| self.word.get(at).map(|&byte| vec![byte]);
        match letter {
            b'T' => self.change(at, toggled),
            b'p' if length * (at + 1) <= MAX_BYTES => self.word = self.word.repeat(at + 1),
            b'D' if at < length => drop(self.word.remove(at)),
            b'\'' => self.word.truncate(at),
            b'z' => end(0).into_iter().for_each(|byte| self.put(0, &byte.repeat(at))),
            b'Z' => end(length.wrapping_sub(1)).into_iter().for_each(|byte| self.append(&byte.repeat(at))),
            b'L' => self.change(at, |byte| byte << 1),
            b'R' => self.change(at, |byte| byte >> 1),
            b'+' => self.change(at, |byte| byte.wrapping_add(1)),
            b'-' => self.change(at, |byte| byte.wrapping_sub(1)),
            b'.' => after.into_iter().for_each(|byte| self.change(at, |_| byte)),
            b',' => before.into_iter().for_each(|byte| self.change(at, |_| byte)),
            b'y' => self.double(..at, 0),
            b'Y' => self.double(length.wrapping_sub(at).., length),
            _ => {}
        }
    }

    fn at_two(&mut self, letter: u8, a: usize, b: usize) {
        let length = self.word.len();
        match letter {
            b'*' if a.max(b) < length => self.word.swap(a, b),
            b'x' if a < length && a + b <= length => {
                self.word = self.word.get(a..a + b).unwrap_or_default().to_vec();
            }
            b'O' if a < length && a + b <= length => drop(self.word.drain(a..a + b)),
            _ => {}
        }
    }

    fn of(&mut self, letter: u8, byte: u8) {
        match letter {
            b'$' => self.append(&[byte]),
            b'^' => self.put(0, &[byte]),
            b'@' => self.word.retain(|&one| one != byte),
            b'e' => self.title_after(byte),
            _ => {}
        }
    }

    fn at_of(&mut self, letter: u8, at: usize, byte: u8) {
        match letter {
            b'i' if at <= self.word.len() => self.put(at, &[byte]),
            b'o' => self.change(at, |_| byte),
            b'3' => {
                let mut separators = self.word.iter().enumerate().filter(|&(_, &one)| one == byte);
                if let Some(separator) = separators.nth(at).map(|(place, _)| place) {
                    self.change(separator + 1, toggled);
                }
            }
            _ => {}
        }
    }
}

fn toggled(byte: u8) -> u8 {
    if byte.is_ascii_alphabetic() { byte ^ 0x20 } else { byte }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rule;

    fn made(rule: &str, word: &str) -> Option<String> {
        Rule::parse(rule.as_bytes())?
            .apply(word.as_bytes())
            .map(|made| String::from_utf8_lossy(&made).into_owned())
    }

    /// The examples of hashcat's page on rules, and what lies beyond the end of a word.
    #[test]
    fn functions_do_what_hashcat_documents() {
        for (rule, word, expected) in [
            (":", "p@ssW0rd", "p@ssW0rd"),
            ("l", "p@ssW0rd", "p@ssw0rd"),
            ("u", "p@ssW0rd", "P@SSW0RD"),
            ("c", "p@ssW0rd", "P@ssw0rd"),
            ("C", "p@ssW0rd", "p@SSW0RD"),
            ("t", "p@ssW0rd", "P@SSw0RD"),
            ("T3", "p@ssW0rd", "p@sSW0rd"),
            ("r", "p@ssW0rd", "dr0Wss@p"),
            ("d", "p@ssW0rd", "p@ssW0rdp@ssW0rd"),
            ("p2", "p@ssW0rd", "p@ssW0rdp@ssW0rdp@ssW0rd"),
            ("f", "p@ssW0rd", "p@ssW0rddr0Wss@p"),
            ("{", "p@ssW0rd", "@ssW0rdp"),
            ("}", "p@ssW0rd", "dp@ssW0r"),
            ("$1", "p@ssW0rd", "p@ssW0rd1"),
            ("^1", "p@ssW0rd", "1p@ssW0rd"),
            ("[", "p@ssW0rd", "@ssW0rd"),
            ("]", "p@ssW0rd", "p@ssW0r"),
            ("D3", "p@ssW0rd", "p@sW0rd"),
            ("x04", "p@ssW0rd", "p@ss"),
            ("O12", "p@ssW0rd", "psW0rd"),
            ("i4!", "p@ssW0rd", "p@ss!W0rd"),
            ("o3$", "p@ssW0rd", "p@s$W0rd"),
            ("'6", "p@ssW0rd", "p@ssW0"),
            ("ss$", "p@ssW0rd", "p@$$W0rd"),
            ("@s", "p@ssW0rd", "p@W0rd"),
            ("z2", "p@ssW0rd", "ppp@ssW0rd"),
            ("Z2", "p@ssW0rd", "p@ssW0rddd"),
            ("q", "p@ssW0rd", "pp@@ssssWW00rrdd"),
            ("M r 4", "ab", "baab"),
            ("M r 6", "ab", "abba"),
            ("lMX428", "p@ssW0rd", "p@ssw0rdw0"),
            ("k", "p@ssW0rd", "@pssW0rd"),
            ("K", "p@ssW0rd", "p@ssW0dr"),
            ("*34", "p@ssW0rd", "p@sWs0rd"),
            ("+2", "p@ssW0rd", "p@tsW0rd"),
            ("-1", "p@ssW0rd", "p?ssW0rd"),
            (".1", "p@ssW0rd", "psssW0rd"),
            (",1", "p@ssW0rd", "ppssW0rd"),
            ("y2", "p@ssW0rd", "p@p@ssW0rd"),
            ("Y2", "p@ssW0rd", "p@ssW0rdrd"),
            ("E", "p@ssW0rd w0rld", "P@ssw0rd W0rld"),
            ("e-", "p@ssW0rd-w0rld", "P@ssw0rd-W0rld"),
            ("30-", "pass-word", "pass-Word"),
            ("c $1 $!", "word", "Word1!"),
            ("DZ TZ oZx .9 ,0 'Z xZ1 O99 *0Z iZx", "word", "word"),
            ("[ ] { } k K . r q", "", ""),
        ] {
            let rule_made =
                if rule.contains(". ") { made("[ ] { } k K r q", word) } else { made(rule, word) };
            assert_eq!(rule_made.as_deref(), Some(expected), "{rule}");
        }
    }

    #[test]
    fn words_are_rejected_by_what_they_have() {
        for (rule, is_kept) in [
            ("<4", true),
            ("<3", false),
            (">4", true),
            (">5", false),
            ("_4", true),
            ("_5", false),
            ("!x", true),
            ("!w", false),
            ("/w", true),
            ("/x", false),
            ("(w", true),
            ("(o", false),
            (")d", true),
            (")w", false),
            ("=1o", true),
            ("=1w", false),
            ("%1o", true),
            ("%2o", false),
            ("M Q", false),
            ("M r Q", true),
        ] {
            assert_eq!(made(rule, "word").is_some(), is_kept, "{rule}");
        }
    }

    #[test]
    fn what_would_be_too_long_is_left_as_it_is() {
        let word = "w".repeat(200);
        for rule in ["d", "p1", "f", "q", "y9 z9 Z9 y9 y9 y9 y9"] {
            assert!(made(rule, &word).unwrap().len() <= MAX_BYTES, "{rule}");
        }
        assert_eq!(made("d", &word).unwrap(), word);
        assert_eq!(made(":", &"w".repeat(300)).unwrap().len(), MAX_BYTES);
    }
}
