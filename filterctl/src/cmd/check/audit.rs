//! `filterctl check --audit`: the passwords that would be rejected, by reason and by user.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use indicatif::HumanCount;
use nearmiss_cli::failure::printable;
use serde::Serialize;

use crate::{
    candidates::{judge::Judged, verdicts::VerdictCounts},
    report::Report,
};

/// The number of passwords of each verdict, and the users of each reason.
#[derive(Default, Serialize)]
pub(super) struct Audit {
    #[serde(flatten)]
    counts: VerdictCounts,
    /// Lines that were skipped.
    left_out: u64,
    /// The number of passwords of each reason.
    reasons: BTreeMap<&'static str, u64>,
    /// Their users by reason, where the lines name them.
    users: BTreeMap<&'static str, Vec<String>>,
}

impl Audit {
    /// Counts a verdict.
    pub(super) fn count(&mut self, judged: &Judged) {
        if judged.skipped.is_some() {
            self.left_out = self.left_out.saturating_add(1);
            return;
        }
        self.counts.count(judged);
        if let Some(reason) = judged.reason {
            let passwords = self.reasons.entry(reason.code()).or_default();
            *passwords = passwords.saturating_add(1);
            self.users.entry(reason.code()).or_default().extend(judged.user.clone());
        }
    }
}

impl Report for Audit {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for (label, count) in self.counts.labelled().chain([("left out", self.left_out)]) {
            writeln!(out, "{label:<20} {:>14}", HumanCount(count).to_string())?;
        }
        self.reasons.iter().try_for_each(|(code, &passwords)| {
            writeln!(out, "{code:<20} {:>14}", HumanCount(passwords).to_string())?;
            let users = self.users.get(code).map(Vec::as_slice).unwrap_or_default();
            users.iter().try_for_each(|user| writeln!(out, "  {}", printable(user)))
        })
    }
}
