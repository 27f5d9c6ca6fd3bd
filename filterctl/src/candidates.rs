//! Candidates: reading and checking them, and explaining and confirming the verdicts.

pub(crate) mod columns;
pub(crate) mod confirm;
pub(crate) mod explain;
pub(crate) mod forms;
pub(crate) mod judge;
pub(crate) mod others;
pub(crate) mod reader;
pub(crate) mod verdicts;
