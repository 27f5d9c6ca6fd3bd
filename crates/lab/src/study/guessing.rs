//! The accounts that fall to an attacker's guesses, by the policy that accepted their passwords.
//!
//! A *guess* is a pair of a word and a rule: what the rule makes of the word. The attacker tries pairs in the
//! order of the product of their ranks (`order`), with one list of guesses for all accounts. A pair counts
//! as a guess even if the rule makes nothing of the word, or what an earlier pair made. `accounts` are the
//! passwords and their numbers, `attack` finds what falls, `results` writes it down.

mod accounts;
mod attack;
mod order;
mod results;

use std::{num::NonZero, thread};

use nearmiss_filters::threads::on_threads;
use nearmiss_policy::site::{Site, Unusable};
use serde::Serialize;

use super::{Steps, catch};

pub(crate) use accounts::Accounts;
pub(crate) use attack::Attack;
pub(crate) use results::{charts, csv, powers};

/// Numbers of guesses after which the fallen accounts are counted: 1, 2 and 5 times powers of ten in the last
/// four decades up to `most`, and `most`.
pub(crate) fn budgets(most: u64) -> Vec<u64> {
    let steps = (0..20).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u128.pow(power)));
    let counted = steps.filter_map(|step| u64::try_from(step).ok());
    let mut budgets: Vec<u64> =
        counted.filter(|&step| step < most && step >= most.div_ceil(10_000)).collect();
    budgets.push(most);
    budgets
}

/// Accounts, and the distinct passwords that they have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Count {
    /// Accounts.
    pub(crate) accounts: u64,
    /// Passwords, each once.
    pub(crate) passwords: u64,
}

impl Count {
    fn add(&mut self, accounts: u64) {
        self.accounts += accounts;
        self.passwords += 1;
    }
}

/// A policy, and whether it accepts each password of the accounts.
pub(crate) struct Verdicts {
    /// The policy's name.
    pub(crate) policy: String,
    /// True for an accepted password, in the order of [`Accounts::passwords`].
    pub(crate) accepts: Vec<bool>,
}

/// What falls under a policy.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct UnderPolicy {
    /// The policy's name.
    pub(crate) policy: String,
    /// The accounts with an accepted password.
    pub(crate) accepted: Count,
    /// The accepted ones that fall to so many guesses.
    pub(crate) fallen: Vec<(u64, Count)>,
}

impl UnderPolicy {
    /// Counts for each budget the accepted passwords that `fell` gives with it or with one before it:
    /// the number of the first budget to which each password falls.
    pub(crate) fn new(
        verdicts: Verdicts,
        accounts: &Accounts,
        fell: &[Option<usize>],
        budgets: &[u64],
    ) -> UnderPolicy {
        let mut accepted = Count::default();
        let mut fallen: Vec<(u64, Count)> =
            budgets.iter().map(|&budget| (budget, Count::default())).collect();
        let judged = accounts.counts().zip(&verdicts.accepts).zip(fell).filter(|((_, accepts), _)| **accepts);
        for ((count, _), fell) in judged {
            accepted.add(count);
            let first = fell.unwrap_or(budgets.len());
            fallen.iter_mut().skip(first).for_each(|(_, fallen)| fallen.add(count));
        }
        UnderPolicy { policy: verdicts.policy, accepted, fallen }
    }
}

/// True for each password that the policy of `site` accepts.
///
/// # Errors
/// [`Unusable`] when a filter is damaged.
pub(crate) fn accepted_by(site: &Site, passwords: &[&[u8]], steps: &Steps) -> Result<Vec<bool>, Unusable> {
    let each = passwords.len().div_ceil(threads()).max(1);
    let judge = |part: &[&[u8]]| catch::judge(site, part.iter().copied(), steps);
    let judged = on_threads(passwords.chunks(each), judge);
    let mut accepts = Vec::with_capacity(passwords.len());
    for part in judged {
        accepts.extend(part?.iter().map(Option::is_none));
    }
    Ok(accepts)
}

/// Threads for the work of a study.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_the_last_four_decades() {
        assert_eq!(budgets(100), [1, 2, 5, 10, 20, 50, 100]);
        assert_eq!(budgets(3), [1, 2, 3]);
        assert_eq!(budgets(1), [1]);
        let large = budgets(100_000_000);
        assert_eq!((large.len(), large.first()), (13, Some(&10_000)));
        assert_eq!(budgets(30_000_000).first(), Some(&5_000));
        assert_eq!(budgets(u64::MAX).last(), Some(&u64::MAX));
    }

    #[test]
    fn accepted_passwords_are_counted_from_the_budget_they_fall_to() {
        let list = [("a", 5), ("b", 3), ("c", 2), ("d", 1)];
        let accounts = Accounts::new(list.map(|(password, count)| (password.as_bytes().to_vec(), count)));
        let verdicts = Verdicts { policy: "p".to_owned(), accepts: vec![true, false, true, true] };
        let under = UnderPolicy::new(verdicts, &accounts, &[Some(1), Some(0), None, Some(0)], &[10, 100]);
        let count = |accounts, passwords| Count { accounts, passwords };
        assert_eq!(under.accepted, count(8, 3));
        assert_eq!(under.fallen, [(10, count(1, 1)), (100, count(6, 2))]);
    }
}
