//! What the examination of a store found. `filterctl doctor` reads it as JSON and prints it among its own
//! findings, which have the same fields.

use std::io::{self, Write};

use serde::Serialize;

use crate::address::Address;

/// The version of the JSON.
const SCHEMA: u32 = 1;

/// How bad a finding is; the worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Fine,
    /// Weaker than it ought to be.
    Warning,
    /// Places of steps can be seen, or the store cannot be used.
    Wrong,
}

/// What was found of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Always the store.
    pub check: &'static str,
    /// How bad it is.
    pub state: State,
    /// What was found.
    pub message: String,
    /// The line for the store's configuration or its ACL file, or the command.
    pub fix: Option<String>,
}

impl Finding {
    /// Something that is wrong, and what mends it.
    pub(super) fn new(message: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding { check: "store", state: State::Wrong, message: message.into(), fix: Some(fix.into()) }
    }

    /// The same where the store only becomes weaker by it.
    pub(super) fn warning(message: impl Into<String>, fix: impl Into<String>) -> Finding {
        Finding { state: State::Warning, ..Finding::new(message, fix) }
    }

    /// A node that is as it should be.
    pub(super) fn well() -> Finding {
        Finding { check: "store", state: State::Fine, message: "well".to_owned(), fix: None }
    }

    /// The same with the node's address in its message.
    pub(super) fn of(self, node: &Address) -> Finding {
        Finding { message: format!("{node}: {}", self.message), ..self }
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mark = match self.state {
            State::Fine => "ok",
            State::Warning => "WARNING",
            State::Wrong => "WRONG",
        };
        writeln!(out, "{mark:<8} {:<12} {}", self.check, self.message)?;
        self.fix.iter().try_for_each(|fix| writeln!(out, "{:9}fix: {fix}", ""))
    }
}

/// Writes findings as lines, or as one line of JSON.
pub(super) fn write(findings: &[Finding], as_json: bool, out: &mut dyn Write) -> io::Result<()> {
    if !as_json {
        return findings.iter().try_for_each(|finding| finding.write_text(out));
    }
    serde_json::to_writer(&mut *out, &Examined { schema: SCHEMA, findings })?;
    writeln!(out)
}

#[derive(Serialize)]
struct Examined<'f> {
    schema: u32,
    findings: &'f [Finding],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `filterctl` reads the same file in a test of its own.
    #[test]
    fn findings_are_written_as_filterctl_reads_them() {
        let words = "127.0.0.1:6379: the append-only file has every place of every step, in order";
        let well = Finding { message: "127.0.0.1:6380: well".to_owned(), ..Finding::well() };
        let findings = [Finding::new(words, "appendonly no"), well];
        let mut json = Vec::new();
        write(&findings, true, &mut json).unwrap();
        let wanted = include_str!("../../tests/fixtures/findings.json");
        assert_eq!(String::from_utf8(json).unwrap(), wanted);
        let mut text = Vec::new();
        write(&findings, false, &mut text).unwrap();
        let wanted = format!(
            "WRONG    store        {words}\n         fix: appendonly no\n\
             ok       store        127.0.0.1:6380: well\n"
        );
        assert_eq!(String::from_utf8(text).unwrap(), wanted);
    }
}
