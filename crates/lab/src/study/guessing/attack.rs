//! The attack: every guess is made and looked up among the passwords of the accounts.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed},
};

use nearmiss_filters::threads::on_threads;

use super::{
    Accounts,
    order::{FirstGuesses, GuessOrder},
    threads,
};
use crate::{rules::Rule, study::Steps};

/// An attacker's words and rules, the best first.
pub(crate) struct Attack<'a> {
    /// The words, each once.
    pub(crate) words: &'a [Vec<u8>],
    /// The rules, each once.
    pub(crate) rules: &'a [Rule],
}

/// The number of a budget of a password that has not fallen; far more than there are budgets.
const NOT_FALLEN: u8 = u8::MAX;

impl Attack<'_> {
    /// Guesses of the largest of these budgets, or all that there are.
    pub(crate) fn guesses(&self, budgets: &[u64]) -> u64 {
        self.order().pairs().min(budgets.last().copied().unwrap_or(0))
    }

    /// For each password the number, from 0, of the first of the budgets, which rise, to which it falls.
    pub(crate) fn fell(&self, accounts: &Accounts, budgets: &[u64], steps: &Steps) -> Vec<Option<usize>> {
        let run = Run {
            attack: self,
            first: budgets.iter().map(|&budget| self.order().first(budget)).collect(),
            places: accounts.passwords().zip(0..).collect(),
            fell: accounts.passwords().map(|_| AtomicU8::new(NOT_FALLEN)).collect(),
            next_word: AtomicUsize::new(0),
            steps,
        };
        on_threads(0..threads(), |_| run.work());
        let number = |fell: AtomicU8| Some(fell.into_inner()).filter(|&fell| fell != NOT_FALLEN);
        run.fell.into_iter().map(|fell| number(fell).map(usize::from)).collect()
    }

    fn order(&self) -> GuessOrder {
        GuessOrder { words: self.words.len() as u64, rules: self.rules.len() as u64 }
    }
}

/// An attack under way, by several threads.
struct Run<'a> {
    attack: &'a Attack<'a>,
    /// The guesses of each budget.
    first: Vec<FirstGuesses>,
    places: HashMap<&'a [u8], usize>,
    /// For each password the first budget to which it falls, as far as is known.
    fell: Vec<AtomicU8>,
    /// The place of the next word that no thread has taken.
    next_word: AtomicUsize,
    steps: &'a Steps,
}

impl Run<'_> {
    /// Takes words one by one until no guess is left.
    fn work(&self) {
        loop {
            let at = self.next_word.fetch_add(1, Relaxed);
            let Some(word) = self.attack.words.get(at) else { return };
            match self.guess(word, at as u64 + 1) {
                // Words of higher ranks have no guesses either.
                0 => return,
                guesses => self.steps.advance_by(guesses),
            }
        }
    }

    /// Makes all guesses of a word, and returns their number.
    fn guess(&self, word: &[u8], rank: u64) -> u64 {
        let rules = self.attack.rules;
        let mut done = 0;
        for (first, budget) in self.first.iter().zip(0..NOT_FALLEN) {
            let until = rules.len().min(first.rules_of(rank) as usize);
            for rule in rules.get(done..until).unwrap_or_default() {
                self.try_one(rule, word, budget);
            }
            done = done.max(until);
        }
        done as u64
    }

    fn try_one(&self, rule: &Rule, word: &[u8], budget: u8) {
        let place = rule.apply(word).and_then(|guess| self.places.get(guess.as_slice()));
        if let Some(fell) = place.and_then(|&at| self.fell.get(at)) {
            fell.fetch_min(budget, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::ladder::SeededRandom;

    use super::*;
    use crate::{rules::RuleFile, study::extension::below};

    /// Random words of few letters, so that different pairs make the same guess.
    fn words(random: &mut SeededRandom, count: usize) -> Vec<Vec<u8>> {
        let letters = b"aB1";
        let word = |random: &mut SeededRandom| -> Vec<u8> {
            let length = 1 + below(random, 4);
            (0..length).map(|_| letters[below(random, letters.len())]).collect()
        };
        (0..count).map(|_| word(random)).collect()
    }

    /// Every guess in a list that is sorted by the product of ranks and the rank of the word; the first
    /// budget that holds a guess which is the password.
    fn naive(attack: &Attack<'_>, accounts: &Accounts, budgets: &[u64]) -> Vec<Option<usize>> {
        let mut guesses = Vec::new();
        for (word, word_rank) in attack.words.iter().zip(1_u64..) {
            for (rule, rule_rank) in attack.rules.iter().zip(1_u64..) {
                guesses.push((word_rank * rule_rank, word_rank, rule.apply(word)));
            }
        }
        guesses.sort();
        let of_password = |password: &[u8]| {
            let at = guesses.iter().position(|(.., guess)| guess.as_deref() == Some(password))?;
            budgets.iter().position(|&budget| budget > at as u64)
        };
        accounts.passwords().map(of_password).collect()
    }

    #[test]
    fn passwords_fall_when_all_guesses_are_made_in_order() {
        let rules = RuleFile::parse(b":\nc\n$1\nu\nr\nd\n>4 $1\n$1 $a\n]\n^B\nsa1\nt\nD1\n").rules;
        let mut random = SeededRandom::new(46);
        let mut fallen = 0;
        for _ in 0..200 {
            let count = 1 + below(&mut random, 40);
            let words = words(&mut random, count);
            let attack = Attack { words: &words, rules: &rules[..=below(&mut random, rules.len())] };
            let passwords = self::words(&mut random, 30).into_iter();
            let accounts = Accounts::new(passwords.map(|password| (password, 1)));
            let budgets = super::super::budgets(1 + below(&mut random, 600) as u64);
            let found = attack.fell(&accounts, &budgets, &Steps::hidden());
            assert_eq!(found, naive(&attack, &accounts, &budgets));
            fallen += found.iter().flatten().count();
        }
        assert!(fallen > 500, "{fallen}");
    }

    #[test]
    fn guesses_are_at_most_all_pairs() {
        let words = [b"one".to_vec(), b"two".to_vec()];
        let rules = RuleFile::parse(b":\nu\n$1\n").rules;
        let attack = Attack { words: &words, rules: &rules };
        assert_eq!((attack.guesses(&[2, 5]), attack.guesses(&[10])), (5, 6));
    }
}
