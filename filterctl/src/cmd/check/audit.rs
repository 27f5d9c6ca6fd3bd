//! `filterctl check --audit`: what would be rejected, by reason and by user.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use indicatif::HumanCount;
use nearmiss_filters::policy::Reason;
use serde::Serialize;

use crate::{failure::printable, passwords::judge::Judged, report::Report};

/// The number of passwords checked, and the users rejected by each reason.
#[derive(Default, Serialize)]
pub(super) struct Audit {
    checked: u64,
    accepted: u64,
    rejected: u64,
    /// Lines without the columns.
    left_out: u64,
    reasons: BTreeMap<&'static str, Vec<String>>,
}

impl Audit {
    /// Counts a verdict.
    pub(super) fn count(&mut self, judged: &Judged) {
        let count = match (&judged.user, judged.is_left_out) {
            (_, true) => &mut self.left_out,
            (user, false) => {
                self.checked = self.checked.saturating_add(1);
                match judged.reason.map(Reason::code) {
                    None => &mut self.accepted,
                    Some(code) => {
                        self.reasons.entry(code).or_default().extend(user.clone());
                        &mut self.rejected
                    }
                }
            }
        };
        *count = count.saturating_add(1);
    }
}

impl Report for Audit {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let counts = [
            ("checked", self.checked),
            ("accepted", self.accepted),
            ("rejected", self.rejected),
            ("left out", self.left_out),
        ];
        for (label, count) in counts {
            writeln!(out, "{label:<20} {:>14}", HumanCount(count).to_string())?;
        }
        self.reasons.iter().try_for_each(|(code, users)| {
            writeln!(out, "{code:<20} {:>14}", HumanCount(users.len() as u64).to_string())?;
            users.iter().try_for_each(|user| writeln!(out, "  {}", printable(user)))
        })
    }
}
