//! `filterctl check`: candidates checked as the module would check them.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use nearmiss_filters::{
    config::{Config, DEFAULT_PATH, DictionaryRule},
    policy::VariantRules,
    site::{Cause, Site},
};

use crate::{
    candidates::Candidates,
    configuration,
    exit::Exit,
    failure::{Failure, Outcome, warn},
    jobs::Jobs,
    judge::{Judge, Judged},
    paths,
    report::{
        self,
        verdicts::{Summary, VerdictLine},
    },
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
  filterctl check --filter words.filter --json --only rejected < passwords.txt";

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
    jobs: Jobs,
    /// Print each verdict as a line of JSON.
    #[arg(long)]
    json: bool,
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
        let judge = Judge {
            site: &site,
            context: facts.context(),
            explains: self.explain,
            threads: self.jobs.threads(),
        };
        let mut done = Done::default();
        let mut candidates = Candidates::open()?;
        while let Some(lines) = candidates.next_lines()? {
            let (judged, error) = judge.lines(lines);
            self.report(&judged, &mut done)?;
            if let Some(error) = error {
                return Err(Failure::new("cannot check", error));
            }
        }
        if self.summary {
            report::print(&done.summary, self.json)?;
        }
        Ok(if done.summary.has_rejected() { Exit::No } else { Exit::Done })
    }

    /// The site to ask. A filter that is only named on the command line is asked alone.
    fn site(&self) -> Result<Site, Failure> {
        let config = self.config()?;
        Ok(if self.is_bare() || self.no_ladder { Site::without_ladder(config) } else { Site::new(config) })
    }

    /// Filters are named and no configuration: nothing of this system plays a part.
    fn is_bare(&self) -> bool {
        self.conf.is_none() && !self.filters.is_empty()
    }

    fn config(&self) -> Result<Config, Failure> {
        let path = self.conf.as_deref().unwrap_or(Path::new(DEFAULT_PATH));
        let mut config = if self.is_bare() { Config::default() } else { configuration::load(path)? };
        if !self.filters.is_empty() {
            let rule = |path: &PathBuf| DictionaryRule::new(paths::real(path));
            config.dictionaries = self.filters.iter().map(rule).collect();
        }
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
        let is_known = !self.is_bare();
        let gecos = || self.user.as_deref().filter(|_| is_known).map(user::gecos).unwrap_or_default();
        let host = || if is_known { user::host_name() } else { Vec::new() };
        UserFacts {
            user: given(&self.user).unwrap_or_default(),
            gecos: given(&self.gecos).unwrap_or_else(gecos),
            host: given(&self.host).unwrap_or_else(host),
        }
    }

    /// Counts verdicts and prints those that were asked for.
    fn report(&self, judged: &[Judged], done: &mut Done) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for judged in judged {
            done.line = done.line.saturating_add(1);
            done.summary.count(judged.reason);
            if self.is_asked_for(judged) {
                report::write(&VerdictLine::new(done.line, judged), self.json, &mut lines)
                    .map_err(Failure::output)?;
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
