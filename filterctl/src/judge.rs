//! Many candidates checked on several threads, their verdicts in the order of the candidates.

use std::{panic::resume_unwind, thread};

use nearmiss_filters::{
    dictionary::Edit,
    list::split_lines,
    policy::{Context, Evidence, Finding, Reason, Transforms},
    site::{Cause, Incomplete, Site, Unusable},
    word::Word,
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
#[derive(Default, Serialize)]
pub(crate) struct Explanation {
    /// What was done to the candidate.
    pub(crate) variant: Vec<&'static str>,
    /// The edit that gives the word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edit: Option<String>,
    /// The word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) neighbour: Option<String>,
    /// The words that the variant is made of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) pieces: Vec<String>,
    /// The filter that has them, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dictionary: Option<String>,
}

/// What candidates are checked with.
pub(crate) struct Judge<'a> {
    /// The policy, the filters and the ladder.
    pub(crate) site: &'a Site,
    /// What is known of the user.
    pub(crate) context: Context<'a>,
    /// True to explain.
    pub(crate) explains: bool,
    /// Threads to use.
    pub(crate) threads: usize,
}

impl Judge<'_> {
    /// Checks the candidates of whole lines. With an error there are the verdicts before it.
    pub(crate) fn lines(&self, lines: &[u8]) -> (Vec<Judged>, Option<Unusable>) {
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

    fn part(&self, lines: &[u8]) -> (Vec<Judged>, Option<Unusable>) {
        let mut verdicts = Vec::new();
        for candidate in candidates::each(lines) {
            match self.candidate(candidate) {
                Ok(judged) => verdicts.push(judged),
                Err(error) => return (verdicts, Some(error)),
            }
        }
        (verdicts, None)
    }

    /// Checks one candidate.
    ///
    /// # Errors
    /// [`Unusable`]: a filter or the ladder is damaged.
    fn candidate(&self, candidate: &[u8]) -> Result<Judged, Unusable> {
        let finding = self.site.examine(candidate, &self.context).or_else(within_reach)?;
        let explanation = finding.as_ref().filter(|_| self.explains).map(|finding| self.explain(finding));
        Ok(Judged { reason: finding.map(|finding| finding.reason), explanation })
    }

    fn explain(&self, finding: &Finding) -> Explanation {
        let plain = Explanation::default();
        let variant = |transforms: Transforms| transforms.names().collect();
        match &finding.evidence {
            Evidence::Variant { transforms } => Explanation { variant: variant(*transforms), ..plain },
            Evidence::Digest { transforms, dictionary } => {
                Explanation { variant: variant(*transforms), dictionary: self.name_of(*dictionary), ..plain }
            }
            Evidence::Word { transforms, dictionary, edit, neighbour } => Explanation {
                variant: variant(*transforms),
                edit: Some(edit_words(*edit)),
                neighbour: neighbour.as_ref().map(Word::to_text),
                dictionary: self.name_of(*dictionary),
                ..plain
            },
            Evidence::FarWord { transforms, dictionary, far } => Explanation {
                variant: variant(*transforms),
                edit: Some(far.edits.map(edit_words).join(", then ")),
                neighbour: Some(far.word.to_text()),
                dictionary: self.name_of(*dictionary),
                ..plain
            },
            Evidence::Pieces { transforms, pieces } => {
                let words = pieces.iter().map(|(_, word)| word.to_text()).collect();
                let dictionaries: Vec<_> = pieces.iter().map(|&(number, _)| self.name_of(number)).collect();
                let same = dictionaries
                    .first()
                    .cloned()
                    .flatten()
                    .filter(|first| dictionaries.iter().all(|other| other.as_ref() == Some(first)));
                Explanation { variant: variant(*transforms), pieces: words, dictionary: same, ..plain }
            }
            _ => plain,
        }
    }

    fn name_of(&self, dictionary: usize) -> Option<String> {
        let rule = self.site.rules().get(dictionary)?;
        rule.filter.path().map(|path| path.display().to_string())
    }
}

/// What was found without a ladder that is root's alone; nothing else is gone without, whatever `on_error`
/// says.
fn within_reach(incomplete: Incomplete) -> Result<Option<Finding>, Unusable> {
    let mut failures = incomplete.failures.into_iter();
    match failures.find(|unusable| unusable.cause != Cause::OutOfReach) {
        Some(unusable) => Err(unusable),
        None => Ok(incomplete.finding),
    }
}

/// An edit in words; places are counted from 1.
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
        Edit::Unknown => "one edit, which this scheme cannot name".to_owned(),
    }
}
