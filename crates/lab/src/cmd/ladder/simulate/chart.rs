//! The result of a simulation as curves: rejected choices above, the most common password's share below; of
//! guesses, the share that was made with a password detected before.

use nearmiss_cli::report::number;

use super::{guessed, world::Row};
use crate::curves::{Line, Panel, Scale};

/// The curves of users who choose.
pub(super) fn of_users(rows: &[Row]) -> Vec<Panel> {
    let line = |name: &str, height: fn(&Row) -> f64| Line {
        name: name.to_owned(),
        theory: rows.iter().map(|row| (row.users as f64, height(row))).collect(),
        ..Line::default()
    };
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let last = rows.last();
    let rejected = last.map_or(0.0, |row| row.rejected_share_so_far);
    let [with, without] =
        [last.map_or(0.0, |row| row.top_share_with), last.map_or(0.0, |row| row.top_share_without)];
    let users = || ("users".to_owned(), Scale::Linear);
    vec![
        Panel {
            title: format!("Choices rejected: {} in the end", percent(rejected)),
            x: users(),
            y: ("share of choices rejected (%)".to_owned(), Scale::Linear),
            lines: vec![
                line("since the row before", |row| 100.0 * row.rejected_share),
                line("so far", |row| 100.0 * row.rejected_share_so_far),
            ],
            notes: Vec::new(),
            remarks: Vec::new(),
        },
        Panel {
            title: format!(
                "The most common password: {:.2} times as common without a ladder",
                without / with.max(1e-12)
            ),
            x: users(),
            y: ("users who have it (%)".to_owned(), Scale::Decades),
            lines: vec![
                line("without a ladder", |row| 100.0 * row.top_share_without),
                line("with the ladder", |row| 100.0 * row.top_share_with),
            ],
            notes: Vec::new(),
            remarks: Vec::new(),
        },
    ]
}

/// The curve of guesses.
pub(super) fn of_guesses(outcome: &guessed::Outcome) -> Vec<Panel> {
    let share = outcome.curve.last().map_or(0.0, |point| point.1);
    let notes = vec![format!(
        "{} passwords, {} of them detected",
        number(outcome.passwords as u64),
        number(outcome.detected as u64)
    )];
    vec![Panel {
        title: format!(
            "{:.0} % of all guesses are made with a password that was detected before",
            100.0 * share
        ),
        x: ("guesses so far".to_owned(), Scale::Linear),
        y: ("made with a detected password (%)".to_owned(), Scale::Linear),
        lines: vec![Line {
            name: "so far".to_owned(),
            theory: outcome.curve.iter().map(|&(guesses, share)| (guesses, 100.0 * share)).collect(),
            ..Line::default()
        }],
        notes,
        remarks: Vec::new(),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot;

    #[test]
    fn a_drawing_names_its_lines() {
        let row = |users| Row {
            users,
            rejected_share: 0.1,
            rejected_share_so_far: 0.05,
            top_share_with: 1e-4,
            top_share_without: 1e-2,
        };
        let charts: Vec<plot::Chart> = of_users(&[row(10), row(20)]).iter().map(Panel::chart).collect();
        let svg = plot::svg(&charts).unwrap();
        for name in ["Choices rejected: 5.0 % in the end", "100.00 times", "with the ladder", "so far"] {
            assert!(svg.contains(name), "{name}");
        }
    }
}
