//! A Bloom filter that fits on a line: some bits, letters as members, and h(n) = n·p mod m for each prime p
//! of a list, where n is the number of the letter. Every letter from A to Z can be asked for by hand.

use serde::Serialize;

mod drawing;

pub(crate) use drawing::{rate_chart, svg};

/// The letters that can be members.
pub(crate) const LETTERS: std::ops::RangeInclusive<char> = 'A'..='Z';

/// A toy filter.
#[derive(Clone, Debug)]
pub(crate) struct Toy {
    /// Its bits.
    bits: Vec<bool>,
    primes: Vec<u64>,
    members: Vec<char>,
}

/// The filter's answer for a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    Member,
    FalsePositive,
    Absent,
}

/// The filter's answer for a letter.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Letter {
    #[serde(rename = "letter")]
    pub(crate) name: char,
    pub(crate) verdict: Verdict,
    /// The bits it is looked up at.
    pub(crate) bits: Vec<usize>,
}

impl Toy {
    /// A filter without members.
    pub(crate) fn empty(bits: usize, primes: &[u64]) -> Toy {
        Toy { bits: vec![false; bits.max(1)], primes: primes.to_vec(), members: Vec::new() }
    }

    /// Adds a letter.
    pub(crate) fn add(&mut self, letter: char) {
        for place in self.places(letter) {
            if let Some(bit) = self.bits.get_mut(place) {
                *bit = true;
            }
        }
        if !self.members.contains(&letter) {
            self.members.push(letter);
        }
    }

    /// The bits of a letter, one for each prime.
    pub(crate) fn places(&self, letter: char) -> Vec<usize> {
        let number = u64::from(u32::from(letter).saturating_sub(u32::from('A') - 1));
        let size = self.bits.len() as u64;
        self.primes.iter().map(|prime| (number * prime % size) as usize).collect()
    }

    fn has(&self, letter: char) -> bool {
        self.places(letter).into_iter().all(|place| self.bits.get(place).copied().unwrap_or(false))
    }

    /// Every letter, by what the filter says of it.
    pub(crate) fn letters(&self) -> Vec<Letter> {
        let verdict = |letter| match (self.members.contains(&letter), self.has(letter)) {
            (true, _) => Verdict::Member,
            (false, true) => Verdict::FalsePositive,
            (false, false) => Verdict::Absent,
        };
        LETTERS
            .map(|letter| Letter { name: letter, verdict: verdict(letter), bits: self.places(letter) })
            .collect()
    }

    /// The bits, first to last.
    pub(crate) fn bits(&self) -> &[bool] {
        &self.bits
    }

    /// The share of ones, to the power of the probes: the rate of false positives for letters whose bits were
    /// random.
    pub(crate) fn expected_rate(&self) -> f64 {
        let ones = self.bits.iter().filter(|bit| **bit).count() as f64;
        (ones / self.bits.len() as f64).powi(self.primes.len() as i32)
    }
}

/// True for a prime number.
pub(crate) fn is_prime(number: u64) -> bool {
    number > 1
        && (2..number).take_while(|divisor| divisor * divisor <= number).all(|divisor| number % divisor != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A is 1 and C is 3: with 3 and 5 in 16 bits they set 3, 5 and 9, 15. Others by hand.
    #[test]
    fn false_positives_are_those_that_a_hand_finds() {
        let mut toy = Toy::empty(16, &[3, 5]);
        assert!(toy.letters().iter().all(|letter| letter.verdict == Verdict::Absent));
        toy.add('A');
        toy.add('C');
        let ones: Vec<usize> = (0..16).filter(|at| toy.bits()[*at]).collect();
        assert_eq!(ones, [3, 5, 9, 15]);
        let found: Vec<char> = toy
            .letters()
            .into_iter()
            .filter(|letter| letter.verdict == Verdict::FalsePositive)
            .map(|letter| letter.name)
            .collect();
        // E is 5: 15 and 25 mod 16. G is 7: 21 and 35 mod 16. Q, S, U and W are 16 more than A, C, E and G.
        assert_eq!(found, ['E', 'G', 'Q', 'S', 'U', 'W']);
        assert!((toy.expected_rate() - 0.0625).abs() < 1e-12);
    }

    #[test]
    fn primes_are_known() {
        let primes: Vec<u64> = (0..30).filter(|number| is_prime(*number)).collect();
        assert_eq!(primes, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
    }
}
