//! Checks many candidates on several threads; the verdicts are in the order of the candidates.

use nearmiss_filters::{list::split_lines, threads::on_threads};
use nearmiss_lists::hex;
use nearmiss_policy::{
    config::Enforce,
    policy::{Context, Reason},
    site::{Site, Unusable},
};
use zeroize::Zeroizing;

use crate::candidates::{
    columns::CandidateColumns,
    confirm::ListClaim,
    explain::{Explainer, Explanation},
    others, reader,
};

/// The verdict on one candidate.
#[derive(Default)]
pub(crate) struct Judged {
    /// The reason why it is weak; none if it is not.
    pub(crate) reason: Option<Reason>,
    /// The level of enforcement of the part that found it.
    pub(crate) enforce: Enforce,
    /// Further facts for an administrator.
    pub(crate) explanation: Option<Explanation>,
    /// Its owner, if the lines name one.
    pub(crate) user: Option<String>,
    /// The reason why the line has no candidate.
    pub(crate) skipped: Option<Skipped>,
    /// True if it looks like a hash.
    pub(crate) is_like_hash: bool,
    /// The claim that the lists must confirm, if `--list` was given.
    pub(crate) claim: Option<ListClaim>,
}

/// The reason why a line has no candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// It lacks columns.
    Columns,
    /// It has a byte that no password has.
    Bytes,
}

/// The site and the rules that check candidates.
pub(crate) struct CandidateJudge<'a> {
    /// The policy, the filters and the ladder.
    pub(crate) site: &'a Site,
    /// The facts about the user.
    pub(crate) context: Context<'a>,
    /// The explanation of rejections, if requested.
    pub(crate) explainer: Option<Explainer<'a>>,
    /// True to record the entries that the lists must have.
    pub(crate) claims: bool,
    /// The columns of the lines.
    pub(crate) columns: CandidateColumns,
    /// True to look up the real names of users.
    pub(crate) looks_up: bool,
    /// Threads to use.
    pub(crate) threads: usize,
}

impl CandidateJudge<'_> {
    /// Checks the candidates of whole lines, and reports the bytes of each finished line. An error is
    /// returned with the verdicts before it.
    pub(crate) fn lines(
        &self,
        lines: &[u8],
        is_done: &(dyn Fn(usize) + Sync),
    ) -> (Vec<Judged>, Option<Unusable>) {
        let parts = split_lines(lines, self.threads);
        let judged = on_threads(parts, |part| self.part(part, is_done));
        let mut all = Vec::new();
        for (verdicts, error) in judged {
            all.extend(verdicts);
            if error.is_some() {
                return (all, error);
            }
        }
        (all, None)
    }

    fn part(&self, lines: &[u8], is_done: &dyn Fn(usize)) -> (Vec<Judged>, Option<Unusable>) {
        let mut verdicts = Vec::new();
        for candidate in reader::each(lines) {
            match self.candidate(candidate) {
                Ok(judged) => {
                    verdicts.push(judged);
                    is_done(candidate.len().saturating_add(1));
                }
                Err(error) => return (verdicts, Some(error)),
            }
        }
        (verdicts, None)
    }

    /// Checks the candidate of one line.
    ///
    /// # Errors
    /// [`Unusable`]: a filter or the ladder is damaged.
    fn candidate(&self, line: &[u8]) -> Result<Judged, Unusable> {
        let Some(owned) = self.columns.split(line) else {
            return Ok(Judged { skipped: Some(Skipped::Columns), ..Judged::default() });
        };
        let decoded = hex::decoded(owned.password).map(Zeroizing::new);
        let candidate = decoded.as_ref().map_or(owned.password, |decoded| decoded.as_slice());
        if others::is_no_password(candidate) {
            return Ok(Judged { skipped: Some(Skipped::Bytes), ..Judged::default() });
        }
        let is_like_hash = others::hash_of(line, self.columns).is_some();
        let gecos = owned.gecos(self.looks_up);
        let context = owned.context(gecos.as_deref(), &self.context);
        let decision = self.site.decide(candidate, &context);
        let enforce = decision.enforce;
        let finding = decision.complete()?;
        let explain =
            |finding| self.explainer.as_ref().map(|explainer| explainer.explain(candidate, finding));
        let explanation = finding.as_ref().and_then(explain);
        let claimed = finding.as_ref().filter(|_| self.claims);
        let claim = claimed.and_then(|finding| ListClaim::of(finding, candidate, self.site));
        let user = owned.user.map(|name| String::from_utf8_lossy(name).into_owned());
        let reason = finding.map(|finding| finding.reason);
        Ok(Judged { reason, enforce, explanation, user, skipped: None, is_like_hash, claim })
    }
}
