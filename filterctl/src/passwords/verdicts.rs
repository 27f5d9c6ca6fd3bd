//! The output of verdicts: one a line, or counted by reason.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use indicatif::HumanCount;
use nearmiss_filters::policy::Reason;
use serde::Serialize;

use crate::{
    failure::printable,
    passwords::{confirm::Confirmed, explain::Explanation, judge::Judged},
    report::Report,
};

/// The verdict on the candidate of one line.
#[derive(Serialize)]
pub(crate) struct VerdictLine<'a> {
    line: u64,
    /// Its owner, if the lines name one.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(flatten)]
    explanation: Option<&'a Explanation>,
    /// The lists' answer to what was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<bool>,
    /// The words that are in no list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    #[serde(skip)]
    sentence: Option<String>,
}

impl<'a> VerdictLine<'a> {
    /// The verdict on the candidate of line `line`.
    pub(crate) fn new(line: u64, judged: &'a Judged) -> VerdictLine<'a> {
        VerdictLine {
            line,
            user: judged.user.as_deref(),
            verdict: if judged.reason.is_some() { "reject" } else { "accept" },
            reason: judged.reason.map(Reason::code),
            explanation: judged.explanation.as_ref(),
            confirmed: None,
            missing: Vec::new(),
            sentence: judged.reason.map(|reason| reason.to_string()),
        }
    }
}

impl VerdictLine<'_> {
    /// The same with what the lists say of it. The words that they do not have are nearly the password itself
    /// and printed with the explanation alone.
    pub(crate) fn confirmed(mut self, confirmed: &Confirmed) -> Self {
        self.confirmed = match confirmed {
            Confirmed::Yes => Some(true),
            Confirmed::Accident(_) => Some(false),
            Confirmed::NotCompared => None,
        };
        if let (Confirmed::Accident(missing), Some(_)) = (confirmed, self.explanation) {
            self.missing.clone_from(missing);
        }
        self
    }

    fn write_confirmation(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.confirmed {
            None => return Ok(()),
            Some(true) => return writeln!(out, "    lists: confirmed"),
            Some(false) => write!(out, "    lists: an accident of hashing")?,
        }
        let missing: Vec<_> = self.missing.iter().map(|word| printable(word)).collect();
        if missing.is_empty() { writeln!(out) } else { writeln!(out, ": no list has {}", missing.join(", ")) }
    }
}

impl Report for VerdictLine<'_> {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let user = self.user.map_or_else(String::new, |user| format!(" {}", printable(user)));
        write!(out, "{}{user}: {}", self.line, self.verdict)?;
        if let (Some(reason), Some(sentence)) = (self.reason, &self.sentence) {
            write!(out, ": {reason}: {sentence}")?;
        }
        writeln!(out)?;
        self.explanation.map_or(Ok(()), |explanation| write_explanation(explanation, out))?;
        self.write_confirmation(out)
    }
}

fn write_explanation(explanation: &Explanation, out: &mut dyn Write) -> io::Result<()> {
    if !explanation.variant.is_empty() {
        writeln!(out, "    variant: {}", explanation.variant.join(", "))?;
    }
    if !explanation.pieces.is_empty() {
        let pieces: Vec<_> = explanation.pieces.iter().map(|piece| printable(piece)).collect();
        writeln!(out, "    pieces: {}", pieces.join(" + "))?;
    }
    let further: Vec<String> = explanation.further.iter().map(|word| printable(word)).collect();
    for (label, text) in [
        ("edit", &explanation.edit),
        ("neighbour", &explanation.neighbour),
        ("rank", &explanation.rank.map(|rank| rank.to_string())),
        ("also near", &(!further.is_empty()).then(|| further.join(", "))),
        ("dictionary", &explanation.dictionary),
    ] {
        if let Some(text) = text {
            writeln!(out, "    {label}: {}", printable(text))?;
        }
    }
    Ok(())
}

/// The numbers of candidates accepted, and rejected by each reason.
#[derive(Default, Serialize)]
pub(crate) struct Summary {
    checked: u64,
    accepted: u64,
    rejected: u64,
    reasons: BTreeMap<&'static str, u64>,
    #[serde(flatten)]
    comparison: Option<Comparison>,
}

/// The lists' answers to the rejections.
#[derive(Default, Serialize)]
struct Comparison {
    confirmed: u64,
    accidents: u64,
    not_compared: u64,
}

impl Summary {
    /// Counts what the lists say of a rejection.
    pub(crate) fn count_confirmed(&mut self, confirmed: &Confirmed) {
        let comparison = self.comparison.get_or_insert_default();
        let count = match confirmed {
            Confirmed::Yes => &mut comparison.confirmed,
            Confirmed::Accident(_) => &mut comparison.accidents,
            Confirmed::NotCompared => &mut comparison.not_compared,
        };
        *count = count.saturating_add(1);
    }

    /// Counts a verdict.
    pub(crate) fn count(&mut self, reason: Option<Reason>) {
        self.checked = self.checked.saturating_add(1);
        match reason {
            None => self.accepted = self.accepted.saturating_add(1),
            Some(reason) => {
                self.rejected = self.rejected.saturating_add(1);
                let count = self.reasons.entry(reason.code()).or_default();
                *count = count.saturating_add(1);
            }
        }
    }

    /// True when a candidate was rejected.
    pub(crate) fn has_rejected(&self) -> bool {
        self.rejected > 0
    }
}

impl Report for Summary {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let counts = [("checked", self.checked), ("accepted", self.accepted), ("rejected", self.rejected)];
        for (label, count) in counts {
            writeln!(out, "{label:<20} {:>14}", HumanCount(count).to_string())?;
        }
        let mut reasons = self.reasons.iter();
        reasons.try_for_each(|(code, &count)| {
            writeln!(out, "  {code:<18} {:>14}", HumanCount(count).to_string())
        })?;
        let Some(comparison) = &self.comparison else { return Ok(()) };
        for (label, count) in [
            ("confirmed by lists", comparison.confirmed),
            ("accidents of hashing", comparison.accidents),
            ("not compared", comparison.not_compared),
        ] {
            writeln!(out, "{label:<20} {:>14}", HumanCount(count).to_string())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report;

    fn json(judged: &Judged) -> String {
        let mut out = Vec::new();
        report::write(&VerdictLine::new(2, judged), true, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn verdicts_are_spelled_as_scripts_expect_them() {
        let accepted = Judged::default();
        assert_eq!(json(&accepted), "{\"schema\":1,\"line\":2,\"verdict\":\"accept\"}\n");
        let rejected = Judged { reason: Some(Reason::NearDictionary), ..Judged::default() };
        let expected = "{\"schema\":1,\"line\":2,\"verdict\":\"reject\",\"reason\":\"near-dictionary\"}\n";
        assert_eq!(json(&rejected), expected);
    }

    #[test]
    fn the_summary_counts_by_reason() {
        let mut summary = Summary::default();
        for reason in [None, Some(Reason::Dictionary), Some(Reason::TooLong), Some(Reason::Dictionary)] {
            summary.count(reason);
        }
        assert!(summary.has_rejected());
        assert_eq!((summary.checked, summary.accepted, summary.rejected), (4, 1, 3));
        assert_eq!(summary.reasons.into_iter().collect::<Vec<_>>(), [("dictionary", 2), ("too-long", 1)]);
    }
}
