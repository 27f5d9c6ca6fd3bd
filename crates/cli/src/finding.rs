//! The finding of an examination: one sentence about one thing, its severity, and the line that fixes it.

use std::io::{self, Write};

use nearmiss_filters::keys::Keyed;
use serde::{Deserialize, Serialize};

use crate::{
    clock::AHEAD,
    exit::Exit,
    failure::printable,
    keys,
    report::{self, Report},
};

/// The severity of a finding; the worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Fine,
    /// Not run, so its state is unknown.
    Unjudged,
    /// Weaker than configured, or configured to be weak.
    Warning,
    /// Users are refused, passwords are not checked or not logged, or secrets are exposed.
    Wrong,
}

impl State {
    /// The exit status of an examination with this worst finding.
    pub fn exit(self) -> Exit {
        match self {
            State::Fine => Exit::Done,
            State::Unjudged => Exit::Unjudged,
            State::Warning => Exit::Weaker,
            State::Wrong => Exit::No,
        }
    }

    fn mark(self) -> &'static str {
        match self {
            State::Fine => "ok",
            State::Unjudged => "UNJUDGED",
            State::Warning => "WARNING",
            State::Wrong => "WRONG",
        }
    }
}

/// The finding of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The check, in a word or two.
    pub check: String,
    /// Its severity.
    pub state: State,
    /// The fact, and its meaning.
    pub message: String,
    /// A line that can be typed, or put into the file that the message names; none if nothing needs to be
    /// done.
    #[serde(default)]
    pub fix: Option<String>,
    /// The key of the message; none if all is well.
    #[serde(default)]
    pub key: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn fine(check: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding { check: check.into(), state: State::Fine, message: message.into(), fix: None, key: None }
    }

    /// A finding of this state, without a line that fixes it. The key is omitted if all is well.
    pub fn new(
        key: impl Keyed,
        check: impl Into<String>,
        state: State,
        message: impl Into<String>,
    ) -> Finding {
        let key = Some(key.key().as_str().to_owned()).filter(|_| state != State::Fine);
        Finding { state, key, ..Finding::fine(check, message) }
    }

    /// Something was not run.
    pub fn unjudged(key: impl Keyed, check: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding::new(key, check, State::Unjudged, message)
    }

    /// Something is weaker than configured.
    pub fn warning(key: impl Keyed, check: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding::new(key, check, State::Warning, message)
    }

    /// Users are refused, unchecked or unlogged.
    pub fn wrong(key: impl Keyed, check: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding::new(key, check, State::Wrong, message)
    }

    /// This message is of a time in the future.
    pub fn clock_ahead(check: impl Into<String>, message: &str) -> Finding {
        Finding::warning(keys::CLOCK_AHEAD, check, format!("{message}; {AHEAD}")).fix("date")
    }

    /// The same with the line that fixes it.
    #[must_use]
    pub fn fix(self, line: impl Into<String>) -> Finding {
        Finding { fix: Some(line.into()), ..self }
    }

    /// Writes the finding as a line, and the fix as another, which is never wrapped: it is meant to be
    /// copied.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let head = format!("{:<8} {:<12} ", self.state.mark(), printable(&self.check));
        let key = self.key.iter().map(|key| format!(" [{}]", printable(key))).collect::<String>();
        report::write_line(&format!("{head}{}{key}", printable(&self.message)), head.chars().count(), out)?;
        match &self.fix {
            Some(fix) => writeln!(out, "{:9}fix: {}", "", printable(fix)),
            None => Ok(()),
        }
    }
}

/// The findings of a whole examination, as they are printed.
#[derive(Serialize)]
pub struct Examined {
    /// The worst of all findings, including the ones that are not printed.
    pub state: State,
    /// The printed findings.
    pub findings: Vec<Finding>,
}

impl Report for Examined {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.findings.iter().try_for_each(|finding| finding.write_text(out))
    }
}

/// The worst state of some findings; without findings, all is well.
pub fn worst(findings: &[Finding]) -> State {
    findings.iter().map(|finding| finding.state).max().unwrap_or(State::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys;

    #[test]
    fn the_worst_finding_is_the_exit_status() {
        let (fine, warning) = (Finding::fine("a", "b"), Finding::warning(keys::ARGUMENTS, "a", "b"));
        let wrong = Finding::wrong(keys::ARGUMENTS, "a", "b").fix("c");
        let exit = |findings: &[Finding]| worst(findings).exit();
        assert_eq!(exit(&[]), Exit::Done);
        assert_eq!(exit(std::slice::from_ref(&fine)), Exit::Done);
        let unjudged = Finding::unjudged(keys::ARGUMENTS, "a", "b");
        assert_eq!(exit(&[unjudged.clone(), fine.clone()]), Exit::Unjudged);
        assert_eq!(exit(&[warning.clone(), unjudged, fine.clone()]), Exit::Weaker);
        assert_eq!(exit(&[warning, wrong, fine]), Exit::No);
    }

    #[test]
    fn a_finding_is_a_line_and_its_fix_another() {
        let mut out = Vec::new();
        let gone = Finding::wrong(keys::FILE_MISSING, "filter", "/f is gone\u{7}").fix("filterctl update");
        gone.write_text(&mut out).unwrap();
        Finding::fine("unit", "built").write_text(&mut out).unwrap();
        let wanted = "WRONG    filter       /f is gone\\u{7} [file-missing]\n         fix: filterctl update\n\
                      ok       unit         built\n";
        assert_eq!(String::from_utf8(out).unwrap(), wanted);
    }

    #[test]
    fn json_has_the_five_fields_and_is_read_again() {
        let finding = Finding::warning(keys::FILTER_VERSION, "filter", "old").fix("filterctl update");
        let json = serde_json::to_string(&finding).unwrap();
        let told = r#""check":"filter","state":"warning","message":"old","fix":"filterctl update""#;
        assert_eq!(json, format!(r#"{{{told},"key":"filter-version"}}"#));
        assert_eq!(serde_json::from_str::<Finding>(&json).unwrap(), finding);
    }
}
