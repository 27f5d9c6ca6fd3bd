//! The output of verdicts: one per line, or counted by reason.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use indicatif::HumanCount;
use nearmiss_cli::failure::printable;
use nearmiss_policy::{config::Enforce, policy::Reason};
use serde::Serialize;

use crate::{
    candidates::{confirm::Confirmed, explain::Explanation, judge::Judged},
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
    /// The result of the comparison with the lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmed: Option<bool>,
    /// The words that are in no list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
    #[serde(skip)]
    sentence: Option<String>,
    #[serde(skip)]
    enforce: Enforce,
}

impl<'a> VerdictLine<'a> {
    /// The verdict on the candidate of line `line`.
    pub(crate) fn new(line: u64, judged: &'a Judged) -> VerdictLine<'a> {
        VerdictLine {
            line,
            user: judged.user.as_deref(),
            verdict: judged.reason.map_or("accept", |_| judged.enforce.name()),
            reason: judged.reason.map(Reason::code),
            explanation: judged.explanation.as_ref(),
            confirmed: None,
            missing: Vec::new(),
            sentence: judged.reason.map(|reason| reason.to_string()),
            enforce: judged.enforce,
        }
    }
}

impl VerdictLine<'_> {
    /// The same with the result of the comparison with the lists. The missing words are nearly the password
    /// itself, and are only printed with the explanation.
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
            Some(false) => write!(out, "    lists: a false positive of hashing")?,
        }
        let missing: Vec<_> = self.missing.iter().map(|word| printable(word)).collect();
        if missing.is_empty() { writeln!(out) } else { writeln!(out, ": no list has {}", missing.join(", ")) }
    }
}

impl Report for VerdictLine<'_> {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let user = self.user.map_or_else(String::new, |user| format!(" {}", printable(user)));
        let would = if self.enforce == Enforce::Reject || self.reason.is_none() { "" } else { "would " };
        write!(out, "{}{user}: {would}{}", self.line, self.verdict)?;
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

/// The number of candidates of each verdict.
#[derive(Default, Serialize)]
pub(crate) struct VerdictCounts {
    pub(crate) checked: u64,
    pub(crate) accepted: u64,
    rejected: u64,
    /// Weak candidates found by a part that only warns.
    #[serde(skip_serializing_if = "is_zero")]
    would_warn: u64,
    /// Weak candidates found by a part that only logs.
    #[serde(skip_serializing_if = "is_zero")]
    would_audit: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl VerdictCounts {
    /// Counts a candidate.
    pub(crate) fn count(&mut self, judged: &Judged) {
        let verdict = match (judged.reason, judged.enforce) {
            (None, _) => &mut self.accepted,
            (_, Enforce::Reject) => &mut self.rejected,
            (_, Enforce::Warn) => &mut self.would_warn,
            (_, Enforce::Audit) => &mut self.would_audit,
        };
        *verdict = verdict.saturating_add(1);
        self.checked = self.checked.saturating_add(1);
    }

    /// The counts with their labels; levels without candidates are omitted.
    pub(crate) fn labelled(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let always = [("checked", self.checked), ("accepted", self.accepted), ("rejected", self.rejected)];
        let lenient = [("would warn", self.would_warn), ("would audit", self.would_audit)];
        always.into_iter().chain(lenient.into_iter().filter(|(_, count)| *count > 0))
    }
}

/// The number of candidates of each verdict and of each reason.
#[derive(Default, Serialize)]
pub(crate) struct Summary {
    #[serde(flatten)]
    counts: VerdictCounts,
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
    /// Counts the comparison of a rejection with the lists.
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
    pub(crate) fn count(&mut self, judged: &Judged) {
        self.counts.count(judged);
        if let Some(reason) = judged.reason {
            let count = self.reasons.entry(reason.code()).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// True if a candidate is weak, at any level of enforcement.
    pub(crate) fn has_weak(&self) -> bool {
        self.counts.accepted < self.counts.checked
    }
}

impl Report for Summary {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for (label, count) in self.counts.labelled() {
            writeln!(out, "{label:<20} {:>14}", HumanCount(count).to_string())?;
        }
        let mut reasons = self.reasons.iter();
        reasons.try_for_each(|(code, &count)| {
            writeln!(out, "  {code:<18} {:>14}", HumanCount(count).to_string())
        })?;
        let Some(comparison) = &self.comparison else { return Ok(()) };
        for (label, count) in [
            ("confirmed by lists", comparison.confirmed),
            ("false positives", comparison.accidents),
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
        let warned = Judged { enforce: Enforce::Warn, ..rejected };
        assert_eq!(json(&warned), expected.replace("reject", "warn"));
        let mut out = Vec::new();
        report::write(&VerdictLine::new(2, &warned), false, &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().starts_with("2: would warn: near-dictionary: "));
    }

    #[test]
    fn the_summary_counts_by_reason() {
        let mut summary = Summary::default();
        let weak = |enforce, reason| Judged { reason: Some(reason), enforce, ..Judged::default() };
        for judged in [
            Judged::default(),
            weak(Enforce::Reject, Reason::Dictionary),
            weak(Enforce::Warn, Reason::TooLong),
            weak(Enforce::Audit, Reason::Dictionary),
        ] {
            summary.count(&judged);
        }
        assert!(summary.has_weak());
        let expected =
            [("checked", 4), ("accepted", 1), ("rejected", 1), ("would warn", 1), ("would audit", 1)];
        assert_eq!(summary.counts.labelled().collect::<Vec<_>>(), expected);
        assert_eq!(summary.reasons.into_iter().collect::<Vec<_>>(), [("dictionary", 2), ("too-long", 1)]);
    }
}
