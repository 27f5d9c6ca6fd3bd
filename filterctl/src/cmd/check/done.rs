//! The candidates checked so far, and the lines that were not.

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, warn},
    keys,
};

use super::audit::Audit;
use crate::{
    candidates::{
        columns::CandidateColumns,
        judge::{Judged, Skipped},
        verdicts::Summary,
    },
    report::counted,
};

/// One candidate in this many that looks like a hash is worth a warning.
const RARE: u64 = 100;

/// The candidates checked so far.
#[derive(Default)]
pub(super) struct Done {
    /// The number of the last line.
    pub(super) line: u64,
    /// True if it is no mistake that there is no line.
    pub(super) may_be_empty: bool,
    without_columns: u64,
    with_bytes: u64,
    like_hashes: u64,
    pub(super) summary: Summary,
    pub(super) audit: Audit,
}

impl Done {
    /// Counts a line; false if it has no candidate.
    pub(super) fn count(&mut self, judged: &Judged) -> bool {
        self.line = self.line.saturating_add(1);
        let skipped = match judged.skipped {
            Some(Skipped::Columns) => &mut self.without_columns,
            Some(Skipped::Bytes) => &mut self.with_bytes,
            None => {
                self.like_hashes = self.like_hashes.saturating_add(u64::from(judged.is_like_hash));
                self.summary.count(judged);
                return true;
            }
        };
        *skipped = skipped.saturating_add(1);
        false
    }

    /// Warns about lines without a candidate, and about candidates that look like hashes unless the command
    /// line says by the `columns` that they are passwords.
    ///
    /// # Errors
    /// No line has a candidate, or there is no line for an audit.
    pub(super) fn check(&self, is_audit: bool, columns: Option<CandidateColumns>) -> Result<(), Failure> {
        let fail = |message: &str| Err(Failure::plain(keys::STANDARD_INPUT, message));
        if is_audit && self.line == 0 {
            return fail("standard input is empty: there is nothing to audit");
        }
        if self.lacks_lines() {
            warn(keys::STANDARD_INPUT, "standard input is empty: no candidate was checked");
        }
        if self.line > 0 && self.without_columns == self.line {
            return fail(match columns {
                Some(_) => {
                    "no line of standard input has the columns named by --columns, which colons separate"
                }
                None => "no line of standard input is of the form user:password",
            });
        }
        if self.line > 0 && self.skipped() == self.line {
            return fail("no line of standard input is a password");
        }
        for (count, why) in [
            (self.without_columns, "without the columns user:password, or those named by --columns"),
            (self.with_bytes, "with a NUL byte or a carriage return inside, which no password has"),
        ] {
            if count > 0 {
                let lines = counted(count, "line");
                warn(keys::STANDARD_INPUT, &format!("skipped {lines} {why}"));
            }
        }
        let like_hashes = self.like_hashes;
        let are_said = columns == Some(CandidateColumns::Password);
        if !are_said && like_hashes > 0 && like_hashes.saturating_mul(RARE) >= self.line {
            let message = format!(
                "{like_hashes} of {} look like hashes, and were judged as passwords; --audit looks up \
                 hashes, --columns password says that they are passwords",
                counted(self.line, "line")
            );
            warn(keys::STANDARD_INPUT, &message);
        }
        Ok(())
    }

    /// The exit status: weak, not wholly judged, or neither.
    pub(super) fn exit(&self) -> Exit {
        if self.summary.has_weak() {
            return Exit::No;
        }
        if self.skipped() > 0 || self.lacks_lines() { Exit::Unjudged } else { Exit::Done }
    }

    /// A program that writes nothing, since it failed, is no proof that all passwords are good.
    fn lacks_lines(&self) -> bool {
        self.line == 0 && !self.may_be_empty
    }

    fn skipped(&self) -> u64 {
        self.without_columns.saturating_add(self.with_bytes)
    }
}
