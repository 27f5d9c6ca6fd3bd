//! Candidates: reading them, judging them, and explaining and confirming the verdicts.

pub(crate) mod candidates;
pub(crate) mod columns;
pub(crate) mod confirm;
pub(crate) mod explain;
pub(crate) mod judge;
pub(crate) mod verdicts;
