//! The probability that the next user's choice of a password is rejected, by the number of users who already
//! have it; and the probability that the next guess is detected, by the number of accounts at which it was
//! tried.

use std::io::{self, Write};

use nearmiss_filters::ladder::refusals;
use serde::Serialize;

use crate::report::Report;

/// The probability that a password is rejected, for each number of users who have it; or detected as a guess,
/// for each number of attempts.
#[derive(Serialize)]
pub struct RefusalTable {
    table: Vec<RefusalRow>,
    #[serde(skip)]
    is_of_guesses: bool,
}

#[derive(Serialize)]
struct RefusalRow {
    users: u32,
    refused: f64,
}

impl RefusalTable {
    /// From no user to the number that makes a rejection certain.
    pub fn of(rungs: u32, threshold: u32, steps: u32) -> RefusalTable {
        let row = |users| RefusalRow { users, refused: refusals::refused(rungs, threshold, steps, users) };
        RefusalTable {
            table: (0..=refusals::certain_after(threshold, steps)).map(row).collect(),
            is_of_guesses: false,
        }
    }

    /// The same table for a ladder of guessed passwords.
    #[must_use]
    pub fn of_guesses(self) -> RefusalTable {
        RefusalTable { is_of_guesses: true, ..self }
    }
}

impl Report for RefusalTable {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (before, next) = if self.is_of_guesses {
            ("counted attempts", "the next one is a guess")
        } else {
            ("users with the password", "rejection of the next")
        };
        writeln!(out, "{before}   {next}")?;
        let width = before.len();
        self.table.iter().try_for_each(|row| writeln!(out, "{:>width$}   {:.6}", row.users, row.refused))
    }
}
