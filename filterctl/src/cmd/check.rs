//! `filterctl check`: candidates checked as the module would check them.

use std::{ffi::OsString, os::unix::ffi::OsStrExt, path::PathBuf};

use clap::ValueEnum;
use nearmiss_filters::{
    config::Config,
    dictionary::sizing::MANY_NEAR_WORDS,
    format::Kind,
    policy::VariantRules,
    site::{Cause, Site},
};

use crate::{
    candidates::Candidates,
    configuration::{self, Asked},
    confirm::Confirmation,
    exit::Exit,
    explain::Explainer,
    failure::{Failure, Outcome, warn},
    input::{ListName, WordList},
    input_flags::Input,
    jobs::Jobs,
    judge::{Judge, Judged},
    progress::Progress,
    report::{
        self,
        verdicts::{Summary, VerdictLine},
    },
    sizing::KindName,
    user::{self, UserFacts},
};

const AFTER: &str = "\
Candidates:
  One a line on standard input; where that is a terminal, one is asked for without echo.
  They are never shown: verdicts are given by line number.

What is asked:
  What the PAM module asks: the configured filters, then the ladder of chosen passwords.
  Asking the ladder changes nothing, but takes as long as a login for each candidate that
  nothing else rejects: give --no-ladder for a long list. Only root can ask it; for others
  a warning says that it was not asked.

Exit status:
  0  all candidates are accepted
  1  a candidate is rejected
  2  a filter, the ladder or the configuration cannot be used

Examples:
  filterctl check --user anna          # as root: the system's filter is private
  filterctl check --filter words.filter --summary < passwords.txt
  filterctl check --filter words.filter --json --only rejected < passwords.txt
  filterctl check --explain --common --list /usr/share/dict/words < passwords.txt";

/// Checks passwords against the policy and explains each rejection.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[allow(clippy::struct_excessive_bools, reason = "independent flags")]
pub(crate) struct Args {
    /// Ask this filter (several may be given) instead of those configured, under the default policy and
    /// without the ladder.
    #[arg(short, long = "filter", value_name = "FILE")]
    filters: Vec<PathBuf>,
    /// Read the policy from this file; default /etc/security/nearmiss.conf where no filter is given.
    #[arg(long, value_name = "FILE")]
    conf: Option<PathBuf>,
    /// Do not ask the ladder of chosen passwords.
    #[arg(long)]
    no_ladder: bool,
    /// Look candidates up as they are: accents, leet, reversal, doubling and affixes are not undone.
    #[arg(long)]
    no_variants: bool,
    /// The least number of characters.
    #[arg(long, value_name = "N")]
    min_length: Option<usize>,
    /// The user name, which a password must not be near; the user's real name is looked up, unless --gecos or
    /// --filter is given.
    #[arg(long, value_name = "NAME")]
    user: Option<OsString>,
    /// The user's GECOS field, whose words a password must not be near.
    #[arg(long, value_name = "TEXT")]
    gecos: Option<OsString>,
    /// The computer's name, which a password must not be near; default this computer's, unless --filter is
    /// given.
    #[arg(long, value_name = "NAME")]
    host: Option<OsString>,
    /// Print which variant was found, by which edit, and the word it is near to: nearly the password itself.
    #[arg(long, conflicts_with = "summary")]
    explain: bool,
    /// Print only how many candidates each reason rejects.
    #[arg(long, conflicts_with = "only")]
    summary: bool,
    /// Print only these.
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

/// Lists that rejections are confirmed by.
#[derive(clap::Args)]
struct ConfirmingLists {
    /// Compare each rejection with these lists, all that the filters were built from: what they do not have
    /// is an accident of hashing. Verdicts are printed after the last candidate then. Lists are read as
    /// filterctl build reads them, and kept in memory no more than there.
    #[arg(long = "list", value_name = "LIST", num_args = 1..)]
    lists: Vec<PathBuf>,
    /// Compare with the built-in list, too.
    #[arg(long)]
    common: bool,
    /// What the lists hold; rejections by filters of something else are not compared.
    #[arg(long, value_enum, default_value = "words")]
    kind: KindName,
    #[command(flatten)]
    input: Input,
}

impl ConfirmingLists {
    /// The lists and what they hold; none where nothing is to be compared.
    ///
    /// # Errors
    /// A list cannot be read, or is standard input.
    fn open(&self, progress: &Progress) -> Result<Option<(Kind, Vec<WordList>)>, Failure> {
        if self.lists.is_empty() && !self.common {
            return Ok(None);
        }
        if self.lists.iter().any(|list| list.as_os_str() == "-") {
            return Err(Failure::plain("standard input has the passwords; name a file with --list"));
        }
        let kind = self.kind.kind();
        let built_in = self.common.then_some(ListName::BuiltIn);
        let names = built_in.into_iter().chain(self.lists.iter().cloned().map(ListName::Path));
        let lists = self.input.open(names, kind, progress);
        lists.map(|lists| Some((kind, lists))).map_err(|e| Failure::new("cannot compare", e))
    }
}

/// Verdicts to print.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Rejected candidates.
    Rejected,
    /// Accepted candidates.
    Accepted,
}

impl Args {
    /// Checks all candidates.
    ///
    /// # Errors
    /// The configuration, a filter or the ladder cannot be used, standard input cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        let site = self.site()?;
        let facts = self.facts();
        self.see_that_it_can_be_used(&site)?;
        let lists = self.lists.open(&Progress::hidden())?;
        let judge = Judge {
            site: &site,
            context: facts.context(),
            explainer: self.explain.then(|| Explainer::new(&site)),
            claims: lists.is_some(),
            threads: self.jobs.threads(),
        };
        let (mut done, mut waiting) = (Done::default(), Vec::new());
        let mut candidates = Candidates::open()?;
        while let Some(lines) = candidates.next_lines()? {
            let (judged, error) = judge.lines(lines);
            match lists {
                None => self.report(&judged, None, &mut done)?,
                Some(_) => waiting.extend(judged),
            }
            if let Some(error) = error {
                return Err(Failure::new("cannot check", error));
            }
        }
        if let Some((kind, lists)) = lists {
            let claims = waiting.iter().filter_map(|judged: &Judged| judged.claim.as_ref());
            let mut confirmation = Confirmation::of(kind, claims);
            let read = confirmation.read(&lists, &Progress::hidden());
            read.map_err(|error| Failure::new("cannot compare", error))?;
            self.report(&waiting, Some(&confirmation), &mut done)?;
        }
        if self.summary {
            report::print(&done.summary, self.json)?;
        }
        Ok(if done.summary.has_rejected() { Exit::No } else { Exit::Done })
    }

    /// The site to ask. A filter that is only named on the command line is asked alone.
    fn site(&self) -> Result<Site, Failure> {
        let config = self.config()?;
        Ok(if self.asked().is_bare() || self.no_ladder {
            Site::without_ladder(config)
        } else {
            Site::new(config)
        })
    }

    fn asked(&self) -> Asked<'_> {
        Asked { conf: self.conf.as_deref(), filters: &self.filters }
    }

    fn config(&self) -> Result<Config, Failure> {
        let mut config = self.asked().config()?;
        if self.no_variants {
            config.policy.variants = VariantRules::NONE;
        }
        config.policy.min_length = self.min_length.unwrap_or(config.policy.min_length);
        Ok(config)
    }

    /// Every part of the site has to be there, whatever `on_error` says; only a ladder that is not for this
    /// user may be left out.
    fn see_that_it_can_be_used(&self, site: &Site) -> Result<(), Failure> {
        for path in site.partly_used() {
            warn(&format!(
                "{}: a filter by the paper's scheme does not know its members: two_words, distance_2 \
                 and substring do not use it",
                path.display()
            ));
        }
        let min_length = site.config().policy.min_length;
        for path in site.crowded() {
            let words = format!("more than {MANY_NEAR_WORDS}");
            warn(&format!("{}: {}", path.display(), configuration::crowding(&words, min_length)));
        }
        site.unusable().iter().try_for_each(|unusable| match unusable.cause {
            Cause::OutOfReach => {
                warn(&format!(
                    "the ladder of chosen passwords was not asked: {unusable}; run filterctl as root to ask \
                     it, or give --no-ladder"
                ));
                Ok(())
            }
            _ => Err(configuration::not_usable("cannot check", unusable, self.filters.is_empty())),
        })
    }

    /// What is known of the user and the computer: as the module knows it, but for what the command line
    /// says.
    fn facts(&self) -> UserFacts {
        let given = |name: &Option<OsString>| name.as_ref().map(|name| name.as_bytes().to_vec());
        let is_known = !self.asked().is_bare();
        let gecos = || self.user.as_deref().filter(|_| is_known).map(user::gecos).unwrap_or_default();
        let host = || if is_known { user::host_name() } else { Vec::new() };
        UserFacts {
            user: given(&self.user).unwrap_or_default(),
            gecos: given(&self.gecos).unwrap_or_else(gecos),
            host: given(&self.host).unwrap_or_else(host),
        }
    }

    /// Counts verdicts and prints those that were asked for.
    fn report(
        &self,
        judged: &[Judged],
        confirmation: Option<&Confirmation>,
        done: &mut Done,
    ) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for judged in judged {
            done.line = done.line.saturating_add(1);
            done.summary.count(judged.reason);
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
        let verdict = if judged.reason.is_some() { Only::Rejected } else { Only::Accepted };
        !self.summary && self.only.is_none_or(|only| only == verdict)
    }
}

/// What has been checked so far.
#[derive(Default)]
struct Done {
    line: u64,
    summary: Summary,
}
