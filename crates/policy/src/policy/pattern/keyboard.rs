//! Lines, walks and shapes over the keys of one keyboard, of any of the layouts in `layouts.txt`.
//!
//! Two keys touch in a row, or in a column that leans to the left (`1qaz`) or to the right (`4esz`). A rule
//! looks at the text on one layout at a time: a line on one keyboard beside one on another is in many a
//! random password.

#![allow(clippy::arithmetic_side_effects, reason = "positions in at most 768 keys")]

use nearmiss_filters::word::Word;
use zeroize::Zeroizing;

use super::layouts::{KEYS, SETS};

/// The least number of keys.
pub(super) const MIN_KEYS: usize = 6;

/// The least number of keys that are no lines: of a hundred thousand passwords of eight random letters three
/// are a walk on some layout, and each key less multiplies them by five.
const MIN_WALK: usize = 8;

/// The least number of keys of a shape that is repeated.
const MIN_SHAPE: usize = 3;

/// The first syllable of Hangul, and the number of them.
const SYLLABLES: (u32, u32) = (0xac00, 11_172);

/// True if the word is lines, a walk or a shape on the keys of some layout. Lines may have `most` characters
/// beside them if they are one line, and one less if they are several; `most` is at most 2.
pub(super) fn is_pattern(word: &Word, most: usize) -> bool {
    let characters = characters(word);
    let mut keys = Zeroizing::new(vec![0; characters.len()]);
    let mut layouts = if characters.len() < MIN_KEYS { 0 } else { with_near_keys(&characters) };
    while layouts != 0 {
        let layout = layouts & layouts.wrapping_neg();
        layouts ^= layout;
        for (key, &character) in keys.iter_mut().zip(characters.iter()) {
            *key = places(character).find(|(_, having)| having & layout != 0).map_or(0, |(key, _)| key);
        }
        if Keys(&keys).are_a_pattern(most) {
            return true;
        }
    }
    false
}

/// The position in [`KEYS`] of each character of a word; in place of a syllable of Hangul, of the two or
/// three letters that it is typed by.
fn characters(word: &Word) -> Zeroizing<Vec<usize>> {
    // With room for all, they are never moved, which would leave a copy behind.
    let mut characters = Zeroizing::new(Vec::with_capacity(3 * word.len()));
    for symbol in word.symbols() {
        let syllable = symbol.value().wrapping_sub(SYLLABLES.0);
        let (parts, count) = if syllable < SYLLABLES.1 {
            let end = syllable % 28;
            (
                [0x1100 + syllable / 588, 0x1161 + syllable / 28 % 21, 0x11a7 + end],
                if end > 0 { 3 } else { 2 },
            )
        } else {
            ([symbol.value(), 0, 0], 1)
        };
        for &part in parts.iter().take(count) {
            characters.push(position(part));
        }
    }
    characters
}

/// The position of this character in [`KEYS`]; the end, if it is on no keyboard.
fn position(character: u32) -> usize {
    let first = KEYS.partition_point(|&(other, ..)| u32::from(other) < character);
    let is_there = KEYS.get(first).is_some_and(|&(other, ..)| u32::from(other) == character);
    if is_there { first } else { KEYS.len() }
}

/// The keys of the character at this position, with the layouts that have it there.
fn places(first: usize) -> impl Iterator<Item = (u8, u64)> {
    entries(first).iter().map(|&(_, key, set)| (key, layouts_of(set)))
}

/// The entries of the character at this position.
fn entries(first: usize) -> &'static [(u16, u8, u8)] {
    let from = KEYS.get(first..).unwrap_or_default();
    let character = from.first().map(|&(character, ..)| character);
    let count = from.iter().take_while(|&&(other, ..)| Some(other) == character).count();
    from.get(..count).unwrap_or_default()
}

/// The layouts of a set: of one layout, if its number is below 64.
fn layouts_of(set: u8) -> u64 {
    set.checked_sub(64).map_or_else(
        || 1_u64.wrapping_shl(set.into()),
        |at| SETS.get(usize::from(at)).copied().unwrap_or_default(),
    )
}

/// The layouts on which the keys of two of the first four pairs are near, or of both of the first pairs with
/// one between: every pattern begins so, lines behind two other characters too. These are few.
fn with_near_keys(characters: &[usize]) -> u64 {
    let (mut once, mut twice) = (0, 0);
    for pair in characters.iter().zip(characters.iter().skip(1)).take(4) {
        let near = near_on(pair);
        twice |= once & near;
        once |= near;
    }
    let by_turns = characters.iter().zip(characters.iter().skip(2)).take(2);
    by_turns.fold(u64::MAX, |all, pair| if all == 0 { 0 } else { all & near_on(pair) }) | twice
}

/// The layouts on which two characters are on one key or on keys that touch.
fn near_on((&first, &second): (&usize, &usize)) -> u64 {
    let mut near = 0;
    let seconds = entries(second);
    for &(_, from, with_first) in entries(first) {
        for &(_, to, with_second) in seconds {
            if step(from, to) != JUMP {
                near |= layouts_of(with_first) & layouts_of(with_second);
            }
        }
    }
    near
}

/// The steps to the same key and to keys that touch it, 32 more, a bit each: in the row, and in the columns
/// that lean to the left (32) and to the right (31). A check tries hundreds of steps.
const NEAR: u64 = 1 | 1 << 1 | 0b111 << 31 | 1 << 63;

/// A step to a key that is neither the same nor touched.
const JUMP: u8 = 128;

/// The step from a key to the same, which is 0, or to one that it touches: the difference of their numbers.
fn step(from: u8, to: u8) -> u8 {
    let step = to.wrapping_sub(from);
    let ahead = step.wrapping_add(32);
    // The step 32 has the bit of the step -32.
    let is_near = ahead <= 64 && NEAR >> (ahead % 64) & 1 == 1;
    if is_near && (step != 0 || from != 0) { step } else { JUMP }
}

/// The keys of a text on one layout; 0, which touches no key, for a character that it does not have.
#[derive(Clone, Copy)]
struct Keys<'k>(&'k [u8]);

impl Keys<'_> {
    fn are_a_pattern(self, most: usize) -> bool {
        self.are_lines(most)
            || !self.0.contains(&0)
                && (self.are_interleaved()
                    || self.0.len() >= MIN_WALK
                        && (self.are_a_walk() || self.are_twofold() || self.are_repeated()))
    }

    fn at(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or_default()
    }

    #[inline(never)] // in the module it is in eight places
    fn step(self, from: usize, to: usize) -> u8 {
        step(self.at(from), self.at(to))
    }

    fn touch(self, from: usize, to: usize) -> bool {
        !matches!(self.step(from, to), 0 | JUMP)
    }

    /// True for lines, of three keys or more in equal steps, and few other characters.
    fn are_lines(self, most: usize) -> bool {
        // One past the last key known to be in a line, the number of keys before it that are in none, the
        // number of equal steps up to here, and of keys in the longest line.
        let (mut end, mut beside, mut steps, mut longest) = (0, 0, 0, 0);
        let mut before = JUMP;
        for at in 1..self.0.len() {
            let next = self.step(at - 1, at);
            steps = if next == before && next != JUMP { steps + 1 } else { 1 };
            if steps > 1 {
                beside += (at - 2).saturating_sub(end);
                end = at + 1;
                longest = longest.max(steps + 1);
            }
            if beside + at.saturating_sub(end + 2) > most {
                return false;
            }
            before = next;
        }
        beside + self.0.len() - end < most.max(1) || longest + most >= self.0.len()
    }

    /// True if each key touches the one before.
    fn are_a_walk(self) -> bool {
        (1..self.0.len()).all(|at| self.touch(at - 1, at))
    }

    /// True if each key is struck twice and touches the one before.
    fn are_twofold(self) -> bool {
        let is_twice = |at: usize| self.at(at) == self.at(at + 1) && (at == 0 || self.touch(at - 2, at));
        (0..self.0.len()).step_by(2).all(is_twice)
    }

    /// True for two lines by turns, of which one may stay on a key.
    fn are_interleaved(self) -> bool {
        let goes_on = |at: usize| {
            let step = self.step(at - 2, at);
            step != JUMP && (at < 4 || step == self.step(at - 4, at - 2))
        };
        (2..self.0.len()).all(goes_on) && (self.touch(0, 2) || self.touch(1, 3))
    }

    /// True for a shape, a walk of three keys or more, that is repeated in any place, the last time perhaps
    /// in part.
    fn are_repeated(self) -> bool {
        let difference = |at: usize| self.at(at).wrapping_sub(self.at(at - 1));
        let is_like = |at: usize, length| at % length == 0 || difference(at) == difference(at - length);
        let is_shape = |length| {
            (1..self.0.len()).all(|at| if at < length { self.touch(at - 1, at) } else { is_like(at, length) })
        };
        (MIN_SHAPE..=self.0.len() / 2).any(is_shape)
    }
}
