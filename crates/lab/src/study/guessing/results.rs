//! The results as a table and as a picture.

use super::{Count, UnderPolicy};
use crate::{
    plot::{Axis, Chart, GREY, Look, Series},
    table::{Table, digits},
};

/// The colours of policies in their order: black, grey, then those that also differ as greys.
const COLOURS: [usize; 8] = [6, GREY, 0, 1, 4, 2, 3, 5];

/// Every policy at every budget.
pub(crate) fn csv(all: &[UnderPolicy], of: Count) -> String {
    let mut table = Table::new(&[
        "policy",
        "guesses",
        "fallen_accounts",
        "accepted_accounts",
        "accounts",
        "share_of_accepted",
        "share_of_all",
        "fallen_passwords",
        "accepted_passwords",
        "passwords",
    ]);
    for under in all {
        for &(guesses, fallen) in &under.fallen {
            let policy = under.policy.replace([',', '"', '\n'], "_");
            let (accepted, share) = (under.accepted, |of| digits(part(fallen.accounts, of)));
            table.row(&[
                &policy,
                &guesses,
                &fallen.accounts,
                &accepted.accounts,
                &of.accounts,
                &share(accepted.accounts),
                &share(of.accounts),
                &fallen.passwords,
                &accepted.passwords,
                &of.passwords,
            ]);
        }
    }
    table.into_csv()
}

/// Some of all; 0 of none.
fn part(some: u64, of: u64) -> f64 {
    some as f64 / of.max(1) as f64
}

/// The budgets that are powers of ten with the percentage of accounts that fall to each.
pub(crate) fn powers(under: &UnderPolicy, of: u64) -> impl Iterator<Item = (u64, f64)> {
    let is_power = |guesses: u64| 10_u64.pow(guesses.ilog10()) == guesses;
    let powers = under.fallen.iter().filter(move |(guesses, _)| is_power(*guesses));
    powers.map(move |&(guesses, fallen)| (guesses, 100.0 * part(fallen.accounts, of)))
}

/// The picture: the share of all accounts above the share of those with an accepted password.
pub(crate) fn charts(all: &[UnderPolicy], of: Count, remarks: Vec<String>) -> [Chart; 2] {
    let title = "Of all accounts: the policy accepts the password, and it is guessed";
    let of_all = chart(all, title, "of all accounts, %", |_| of.accounts);
    let title = "Of the accounts with an accepted password: it is guessed";
    let accepted = chart(all, title, "of these accounts, %", |under| under.accepted.accounts);
    [of_all, Chart { remarks, ..accepted }]
}

fn chart(all: &[UnderPolicy], title: &str, label: &str, of: impl Fn(&UnderPolicy) -> u64) -> Chart {
    let series = all.iter().zip(COLOURS.into_iter().cycle()).map(|(under, colour)| {
        let of = of(under);
        let point = |&(guesses, fallen): &(u64, Count)| (guesses as f64, 100.0 * part(fallen.accounts, of));
        let points = under.fallen.iter().map(point).filter(|(_, share)| *share > 0.0).collect();
        Series { name: under.policy.clone(), colour, look: Look::Named, points }
    });
    let series: Vec<Series> = series.collect();
    let guesses = all.iter().flat_map(|under| &under.fallen).map(|&(guesses, _)| guesses as f64);
    let shares = series.iter().flat_map(|series| &series.points).map(|&(_, share)| share);
    Chart {
        title: title.to_owned(),
        notes: Vec::new(),
        remarks: Vec::new(),
        x: Axis::decades("guesses", guesses),
        y: Axis::decades(label, shares),
        series,
    }
}
