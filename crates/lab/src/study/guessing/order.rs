//! The order of guesses: pairs of a word and a rule, by the product of their ranks, which are counted from 1;
//! pairs of one product by the rank of the word.

/// The order of all pairs of so many words and so many rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct GuessOrder {
    /// Ranked words.
    pub(super) words: u64,
    /// Ranked rules.
    pub(super) rules: u64,
}

/// The first guesses: all pairs of a product up to `product`, and the pairs of the next product whose word
/// has a rank up to `last_word`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FirstGuesses {
    product: u64,
    last_word: u64,
}

impl GuessOrder {
    /// All pairs.
    pub(super) fn pairs(self) -> u64 {
        self.words.saturating_mul(self.rules)
    }

    /// The pairs with a product up to this one.
    fn pairs_up_to(self, product: u64) -> u64 {
        // The sum over the words or over the rules is the same: the shorter one is taken.
        let (short, long) = (self.words.min(self.rules), self.words.max(self.rules));
        (1..=short.min(product)).map(|rank| long.min(product / rank)).sum()
    }

    /// The first `guesses` pairs, or all if there are fewer.
    pub(super) fn first(self, guesses: u64) -> FirstGuesses {
        let (mut product, mut beyond) = (0, self.pairs().saturating_add(1));
        while beyond - product > 1 {
            let middle = product + (beyond - product) / 2;
            if self.pairs_up_to(middle) <= guesses { product = middle } else { beyond = middle }
        }
        let more = guesses - self.pairs_up_to(product);
        FirstGuesses { product, last_word: self.word_of_product(product + 1, more) }
    }

    /// The rank of the word of the pair with this number among the pairs of a product; 0 if there is none.
    fn word_of_product(self, product: u64, number: u64) -> u64 {
        let Some(skipped) = number.checked_sub(1) else { return 0 };
        // The greatest rule has the least word.
        let rules = (1..=self.rules.min(product)).rev().filter(|rule| product % rule == 0);
        let mut words = rules.map(|rule| product / rule).filter(|&word| word <= self.words);
        words.nth(skipped as usize).unwrap_or(0)
    }
}

impl FirstGuesses {
    /// The rules, from the first, whose pair with the word of this rank is among the first guesses; more than
    /// there are if all of them are.
    pub(super) fn rules_of(self, word: u64) -> u64 {
        let product = if word <= self.last_word { self.product + 1 } else { self.product };
        product / word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs in their order, by sorting.
    fn sorted(order: GuessOrder) -> Vec<(u64, u64)> {
        let pairs = (1..=order.words).flat_map(|word| (1..=order.rules).map(move |rule| (word, rule)));
        let mut pairs: Vec<(u64, u64)> = pairs.collect();
        pairs.sort_by_key(|&(word, rule)| (word * rule, word));
        pairs
    }

    #[test]
    fn the_first_guesses_are_those_of_all_pairs_sorted() {
        for (words, rules) in [(1, 1), (1, 9), (9, 1), (5, 5), (7, 12), (12, 7), (30, 4)] {
            let order = GuessOrder { words, rules };
            let sorted = sorted(order);
            assert_eq!(order.pairs(), sorted.len() as u64);
            for count in 0..=sorted.len() + 2 {
                let first = order.first(count as u64);
                let mut expected = sorted.iter().take(count).copied().collect::<Vec<_>>();
                expected.sort_unstable();
                let found: Vec<(u64, u64)> = (1..=words)
                    .flat_map(|word| (1..=rules.min(first.rules_of(word))).map(move |rule| (word, rule)))
                    .collect();
                assert_eq!(found, expected, "{words} words, {rules} rules, {count} guesses");
            }
        }
    }
}
