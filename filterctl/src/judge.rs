//! Many candidates judged on several threads, their verdicts in the order of the candidates.

use std::{panic::resume_unwind, path::Path, thread};

use nearmiss_filters::{
    checker::{CheckError, Checker},
    config::DictionaryRule,
    dictionary::Edit,
    list::split_lines,
    policy::{Context, Finding, Reason},
};
use serde::Serialize;

use crate::candidates;

/// The verdict on one candidate.
pub(crate) struct Judged {
    /// Why it is rejected; none accepts it.
    pub(crate) reason: Option<Reason>,
    /// What an administrator may see besides.
    pub(crate) explanation: Option<Explanation>,
}

/// Which variant of a candidate was found where, and which word it is near to.
#[derive(Serialize)]
pub(crate) struct Explanation {
    /// What was done to the candidate.
    pub(crate) variant: Vec<&'static str>,
    /// The edit that gives the word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edit: Option<String>,
    /// The word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) neighbour: Option<String>,
    /// The filter that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dictionary: Option<String>,
}

/// What candidates are judged with.
pub(crate) struct Judge<'a> {
    /// The opened filters and the policy.
    pub(crate) checker: &'a Checker,
    /// The filters' names, in the checker's order.
    pub(crate) dictionaries: &'a [DictionaryRule],
    /// What is known of the user.
    pub(crate) context: Context<'a>,
    /// True to explain.
    pub(crate) explains: bool,
    /// Threads to use.
    pub(crate) threads: usize,
}

impl Judge<'_> {
    /// Judges the candidates of whole lines. With an error there are the verdicts before it.
    pub(crate) fn lines(&self, lines: &[u8]) -> (Vec<Judged>, Option<CheckError>) {
        let parts = split_lines(lines, self.threads);
        let judged: Vec<_> = thread::scope(|scope| {
            let started: Vec<_> =
                parts.into_iter().map(|part| scope.spawn(move || self.part(part))).collect();
            started.into_iter().map(|thread| thread.join().unwrap_or_else(|p| resume_unwind(p))).collect()
        });
        let mut all = Vec::new();
        for (verdicts, error) in judged {
            all.extend(verdicts);
            if error.is_some() {
                return (all, error);
            }
        }
        (all, None)
    }

    fn part(&self, lines: &[u8]) -> (Vec<Judged>, Option<CheckError>) {
        let mut verdicts = Vec::new();
        for candidate in candidates::each(lines) {
            match self.candidate(candidate) {
                Ok(judged) => verdicts.push(judged),
                Err(error) => return (verdicts, Some(error)),
            }
        }
        (verdicts, None)
    }

    /// Judges one candidate.
    ///
    /// # Errors
    /// [`CheckError`] when a filter is damaged.
    pub(crate) fn candidate(&self, candidate: &[u8]) -> Result<Judged, CheckError> {
        let finding = self.checker.examine(candidate, &self.context)?;
        let explanation = finding.as_ref().filter(|_| self.explains).map(|finding| self.explain(finding));
        Ok(Judged { reason: finding.map(|finding| finding.reason), explanation })
    }

    fn explain(&self, finding: &Finding) -> Explanation {
        let rule = finding.dictionary.and_then(|number| self.dictionaries.get(number));
        Explanation {
            variant: finding.transforms.names().collect(),
            edit: finding.edit.map(edit_words),
            neighbour: finding.neighbour.as_ref().map(nearmiss_filters::word::Word::to_text),
            dictionary: rule.map(|rule| Path::display(&rule.file).to_string()),
        }
    }
}

/// An edit for people, who count from 1.
fn edit_words(edit: Edit) -> String {
    let place = |at: usize| at.saturating_add(1);
    match edit {
        Edit::None => "none".to_owned(),
        Edit::Remove { at } => format!("without character {}", place(at)),
        Edit::Replace { at } => format!("with another character {}", place(at)),
        Edit::Insert { at } => format!("with a character inserted before character {}", place(at)),
        Edit::Swap { at } => {
            format!("with characters {} and {} swapped", place(at), place(at).saturating_add(1))
        }
        Edit::Unknown => "one edit, which the scheme cannot tell".to_owned(),
    }
}
