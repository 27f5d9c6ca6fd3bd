//! How likely the next user's choice of a password is rejected, by how many users have it already.

use std::io::{self, Write};

use nearmiss_filters::ladder::refusals;
use serde::Serialize;

use crate::report::Report;

/// How likely a password is rejected, for each number of users who have it.
#[derive(Serialize)]
pub struct Table {
    table: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    users: u32,
    refused: f64,
}

impl Table {
    /// From no user to as many as make a rejection certain.
    pub fn of(rungs: u32, threshold: u32, steps: u32) -> Table {
        let row = |users| Row { users, refused: refusals::refused(rungs, threshold, steps, users) };
        Table { table: (0..=refusals::certain_after(threshold, steps)).map(row).collect() }
    }
}

impl Report for Table {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "users who have it   next one rejected")?;
        self.table.iter().try_for_each(|row| writeln!(out, "{:>17}   {:.6}", row.users, row.refused))
    }
}
