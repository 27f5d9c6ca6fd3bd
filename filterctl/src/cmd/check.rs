//! `filterctl check`: checks candidates as the module does.

mod audit;
mod confirming;
mod done;
mod help;
mod site;
mod stored;
mod waiting;

use std::{ffi::OsString, ops::ControlFlow, path::PathBuf};

use clap::ValueEnum;
use nearmiss_cli::{
    failure::{Failure, Outcome},
    input::WordList,
    keys,
    progress::Progress,
};
use nearmiss_filters::format::Kind;
use nearmiss_policy::site::Site;

use self::{confirming::ConfirmingLists, done::Done, help::AFTER, stored::Hashes, waiting::WaitNotice};
use crate::{
    candidates::{
        columns::CandidateColumns,
        confirm::Confirmation,
        explain::Explainer,
        forms,
        judge::{CandidateJudge, Judged},
        others,
        reader::Candidates,
        verdicts::VerdictLine,
    },
    configuration,
    flags::{jobs::Jobs, system::System},
    report,
};

/// Checks passwords against the policy and explains each rejection.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[allow(clippy::struct_excessive_bools, reason = "independent flags")]
pub(crate) struct Args {
    /// Use this filter (several may be given) instead of the configured ones, with the default policy and
    /// without the ladder.
    #[arg(short, long = "filter", value_name = "FILE")]
    filters: Vec<PathBuf>,
    #[command(flatten)]
    system: System,
    /// Do not look up candidates in the ladder of chosen passwords.
    #[arg(long)]
    no_ladder: bool,
    /// Look up candidates unchanged: do not undo accents, leet, reversal, doubling and affixes.
    #[arg(long)]
    no_variants: bool,
    /// The minimum number of characters.
    #[arg(long, value_name = "N")]
    min_length: Option<usize>,
    /// The user name, which a password must not be near; nor must it be near the user's real name, which the
    /// system provides unless --gecos or --filter is given.
    #[arg(long, value_name = "NAME")]
    user: Option<OsString>,
    /// The user's GECOS field, whose words a password must not be near.
    #[arg(long, value_name = "TEXT")]
    gecos: Option<OsString>,
    /// The host name, which a password must not be near; default this computer's, unless --filter is given.
    #[arg(long, value_name = "NAME")]
    host: Option<OsString>,
    /// Print the variant that was found, the edit, and the word it is near to, which is nearly the password
    /// itself.
    #[arg(long, conflicts_with = "summary")]
    explain: bool,
    /// Print only the number of candidates that each reason rejects.
    #[arg(long, conflicts_with = "only")]
    summary: bool,
    /// The columns of standard input, separated by colons: password, user,password or user,gecos,password.
    /// Lines without these columns are skipped.
    #[arg(long, value_name = "COLUMNS", value_parser = str::parse::<CandidateColumns>)]
    columns: Option<CandidateColumns>,
    /// Print the number of passwords that each reason rejects, and their users; reads stored hashes or
    /// user,password unless --columns is given.
    #[arg(long, conflicts_with_all = ["explain", "summary", "only", "lists", "common", "user", "gecos"])]
    audit: bool,
    /// Print only these verdicts.
    #[arg(long, value_enum, value_name = "VERDICT")]
    only: Option<Only>,
    #[command(flatten)]
    lists: ConfirmingLists,
    #[command(flatten)]
    jobs: Jobs,
    /// Print each verdict as a line of JSON.
    #[arg(long)]
    json: bool,
}

/// Verdicts to print.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Weak candidates, including those that would only be warned about or logged.
    #[value(alias = "rejected")]
    Weak,
    /// Accepted candidates.
    Accepted,
}

impl Args {
    /// Checks all candidates.
    ///
    /// # Errors
    /// The configuration, a filter or the ladder cannot be used, standard input cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        self.refuse_two_users()?;
        let site = self.site()?;
        self.asked().say_line();
        let facts = self.facts();
        self.see_that_it_can_be_used(&site)?;
        let lists = self.lists.open(&Progress::hidden())?;
        let judge = CandidateJudge {
            site: &site,
            context: facts.context(),
            explainer: self.explain.then(|| Explainer::new(&site)),
            claims: lists.is_some(),
            columns: self.columns(),
            looks_up: !self.asked().is_bare(),
            threads: self.jobs.threads(),
        };
        let (mut done, mut candidates) = (Done::default(), Candidates::open()?);
        done.may_be_empty = self.system.names_conf() || candidates.is_device();
        let waiting = match self.judge_all(&judge, &mut candidates, &mut done)? {
            ControlFlow::Continue(waiting) => waiting,
            ControlFlow::Break(hashes) => return hashes.finish(&mut candidates, self.json),
        };
        if let Some((kind, lists)) = lists {
            self.confirm(kind, &lists, &waiting, &mut done)?;
        }
        if done.line == 0 {
            self.examine_named_settings()?;
        }
        self.conclude(&done)
    }

    /// Checks each candidate, and reports it at once unless lists are to confirm the rejections: then it
    /// returns the verdicts. Stops at the first lines if they are of stored hashes.
    ///
    /// # Errors
    /// Standard input cannot be read, or is not of candidates; a filter or the ladder is damaged.
    fn judge_all<'a>(
        &self,
        judge: &CandidateJudge<'a>,
        candidates: &mut Candidates,
        done: &mut Done,
    ) -> Result<ControlFlow<Hashes<'a>, Vec<Judged>>, Failure> {
        let mut waiting = Vec::new();
        let (mut is_first, progress) = (true, WaitNotice::new(candidates.byte_count()));
        while let Some(lines) = candidates.next_lines()? {
            if std::mem::take(&mut is_first) {
                if let Some(hashes) = self.recognize(judge.site, lines)? {
                    return Ok(ControlFlow::Break(hashes));
                }
            }
            for lines in waiting::batches(lines, judge.threads) {
                let (judged, error) = judge.lines(lines, &|bytes| progress.advance(bytes));
                if judge.claims {
                    waiting.extend(judged);
                } else {
                    progress.aside(|| self.report(&judged, None, done))?;
                }
                if let Some(error) = error {
                    progress.finish();
                    return Err(Failure::new("cannot check", error));
                }
            }
        }
        progress.finish();
        Ok(ControlFlow::Continue(waiting))
    }

    /// Compares the rejections with the lists, and reports all verdicts.
    ///
    /// # Errors
    /// A list cannot be read.
    fn confirm(
        &self,
        kind: Kind,
        lists: &[WordList],
        waiting: &[Judged],
        done: &mut Done,
    ) -> Result<(), Failure> {
        let claims = waiting.iter().filter_map(|judged| judged.claim.as_ref());
        let mut confirmation = Confirmation::of(kind, claims);
        let read = confirmation.read(lists, &Progress::hidden());
        read.map_err(|error| Failure::new("cannot compare", error))?;
        self.report(waiting, Some(&confirmation), done)
    }

    /// A check of nothing examines the named settings: also those that a check does not use.
    fn examine_named_settings(&self) -> Result<(), Failure> {
        if !self.system.names_conf() {
            return Ok(());
        }
        configuration::update_rules(&self.system.conf(None)).map(drop)
    }

    /// The stored hashes that the first lines belong to, with theirs read; none if they are candidates.
    ///
    /// # Errors
    /// They are neither.
    fn recognize<'a>(&self, site: &'a Site, lines: &[u8]) -> Result<Option<Hashes<'a>>, Failure> {
        others::refuse_no_lines(lines)?;
        if let Some(mut hashes) = Hashes::of(site, lines).filter(|_| self.audits_hashes()) {
            hashes.read(lines)?;
            return Ok(Some(hashes));
        }
        others::refuse_hashes(lines, self.columns(), self.are_said())?;
        forms::refuse(lines, self.columns(), self.columns.is_some())?;
        Ok(None)
    }

    fn conclude(&self, done: &Done) -> Outcome {
        done.check(self.audit, self.columns)?;
        if self.summary {
            report::print(&done.summary, self.json)?;
        }
        if self.audit {
            report::print(&done.audit, self.json)?;
        }
        Ok(done.exit())
    }

    /// Users are on the command line or in the lines.
    fn refuse_two_users(&self) -> Result<(), Failure> {
        let is_given = self.user.is_some() || self.gecos.is_some();
        if !is_given || self.columns.is_none_or(|columns| columns == CandidateColumns::Password) {
            return Ok(());
        }
        Err(Failure::plain(
            keys::ARGUMENTS,
            "--columns names a column of users: leave --user and --gecos out",
        ))
    }

    /// The content of standard input.
    fn columns(&self) -> CandidateColumns {
        let default = if self.audit { CandidateColumns::UserPassword } else { CandidateColumns::Password };
        self.columns.unwrap_or(default)
    }

    /// True if the command line says that each line is a password, whatever it looks like.
    fn are_said(&self) -> bool {
        self.columns == Some(CandidateColumns::Password)
    }

    /// True if hashes on standard input are looked up: an audit whose columns are not named.
    fn audits_hashes(&self) -> bool {
        self.audit && self.columns.is_none()
    }

    /// Counts verdicts and prints the requested ones.
    fn report(
        &self,
        judged: &[Judged],
        confirmation: Option<&Confirmation>,
        done: &mut Done,
    ) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for judged in judged {
            if self.audit {
                done.audit.count(judged);
            }
            if !done.count(judged) {
                continue;
            }
            let mut line = VerdictLine::new(done.line, judged);
            if let (Some(confirmation), Some(_)) = (confirmation, judged.reason) {
                let confirmed = confirmation.of_claim(judged.claim.as_ref());
                done.summary.count_confirmed(&confirmed);
                line = line.confirmed(&confirmed);
            }
            if self.is_asked_for(judged) {
                report::write(&line, self.json, &mut lines).map_err(Failure::output)?;
            }
        }
        if lines.is_empty() { Ok(()) } else { report::print_bytes(&lines) }
    }

    fn is_asked_for(&self, judged: &Judged) -> bool {
        let verdict = if judged.reason.is_some() { Only::Weak } else { Only::Accepted };
        !self.summary && !self.audit && self.only.is_none_or(|only| only == verdict)
    }
}
