//! `filterctl check`: candidates judged as the module would judge them.

use std::{
    ffi::OsString,
    io::{self, IsTerminal},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use nearmiss_filters::{
    checker::{CheckError, Checker},
    config::{Config, ConfigError, DEFAULT_PATH, DictionaryRule},
    policy::{Context, VariantRules},
};
use zeroize::Zeroizing;

use crate::{
    access,
    candidates::Candidates,
    exit::Exit,
    failure::{Failure, Outcome},
    jobs::Jobs,
    judge::{Judge, Judged},
    paths, report,
    verdicts::{Summary, VerdictLine},
};

const AFTER: &str = "\
Candidates:
  One a line on standard input; asked for without echo where that is a terminal.
  They are never shown: verdicts are told by line number.

Exit status:
  0  all candidates are accepted
  1  a candidate is rejected
  2  a filter or the configuration cannot be used

Examples:
  filterctl check --user anna          # as root: the system's filter is private
  filterctl check --filter words.filter --summary < passwords.txt
  filterctl check --filter words.filter --json --only rejected < passwords.txt";

/// Judges passwords by the policy and tells why they are rejected.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[allow(clippy::struct_excessive_bools, reason = "independent flags")]
pub(crate) struct Args {
    /// Ask this filter (several may be given) instead of those configured, under the default policy.
    #[arg(short, long = "filter", value_name = "FILE")]
    filters: Vec<PathBuf>,
    /// Read the policy from this file; default /etc/security/nearmiss.conf where no filter is given.
    #[arg(long, value_name = "FILE")]
    conf: Option<PathBuf>,
    /// Look candidates up as they are: accents, leet, reversal, doubling and affixes are not undone.
    #[arg(long)]
    no_variants: bool,
    /// The least number of characters.
    #[arg(long, value_name = "N")]
    min_length: Option<usize>,
    /// The user name, which a password must not be near.
    #[arg(long, value_name = "NAME")]
    user: Option<OsString>,
    /// The user's GECOS field, whose words a password must not be near.
    #[arg(long, value_name = "TEXT")]
    gecos: Option<OsString>,
    /// The computer's name, which a password must not be near.
    #[arg(long, value_name = "NAME")]
    host: Option<OsString>,
    /// Tell which variant was found, by which edit, and the word it is near to: that is close to telling the password.
    #[arg(long, conflicts_with = "summary")]
    explain: bool,
    /// Tell only how many candidates each reason rejects.
    #[arg(long, conflicts_with = "only")]
    summary: bool,
    /// Tell only of these.
    #[arg(long, value_enum, value_name = "VERDICT")]
    only: Option<Only>,
    #[command(flatten)]
    jobs: Jobs,
    /// Print each verdict as a line of JSON.
    #[arg(long)]
    json: bool,
}

/// Verdicts to tell.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Rejected candidates.
    Rejected,
    /// Accepted candidates.
    Accepted,
}

impl Args {
    /// Judges all candidates.
    ///
    /// # Errors
    /// The configuration or a filter cannot be used, standard input cannot be read.
    pub(crate) fn run(&self) -> Outcome {
        let config = self.config()?;
        let checker = Checker::open(&config).map_err(not_opened)?;
        let judge = Judge {
            checker: &checker,
            dictionaries: &config.dictionaries,
            context: self.context(),
            explains: self.explain,
            threads: self.jobs.threads(),
        };
        let mut told = Told::default();
        if io::stdin().is_terminal() {
            self.judge_typed(&judge, &mut told)?;
        } else {
            self.judge_all(&judge, &mut told)?;
        }
        if self.summary {
            report::print(&told.summary, self.json)?;
        }
        Ok(if told.summary.has_rejected() { Exit::No } else { Exit::Done })
    }

    fn config(&self) -> Result<Config, Failure> {
        let mut config = match (&self.conf, self.filters.is_empty()) {
            (Some(path), _) => Config::load(&paths::real(path)).map_err(|e| unusable(&e))?,
            (None, true) => Config::load(Path::new(DEFAULT_PATH)).map_err(|e| unusable(&e))?,
            (None, false) => Config::default(),
        };
        if !self.filters.is_empty() {
            let rule = |path: &PathBuf| DictionaryRule { file: paths::real(path), matching: None };
            config.dictionaries = self.filters.iter().map(rule).collect();
        }
        if self.no_variants {
            config.policy.variants = VariantRules::NONE;
        }
        config.policy.min_length = self.min_length.unwrap_or(config.policy.min_length);
        Ok(config)
    }

    fn context(&self) -> Context<'_> {
        Context {
            user: bytes_of(self.user.as_ref()),
            gecos: bytes_of(self.gecos.as_ref()),
            host: bytes_of(self.host.as_ref()),
            old_password: None,
        }
    }

    fn judge_typed(&self, judge: &Judge<'_>, told: &mut Told) -> Result<(), Failure> {
        let typed = rpassword::prompt_password("Password: ").map(Zeroizing::new);
        let typed = typed.map_err(|e| Failure::new("cannot ask for a password", e))?;
        let judged = judge.candidate(typed.as_bytes()).map_err(|e| Failure::new("cannot check", e))?;
        self.tell(&[judged], told)
    }

    fn judge_all(&self, judge: &Judge<'_>, told: &mut Told) -> Result<(), Failure> {
        let unreadable = |e| Failure::new("cannot read standard input", e);
        let mut candidates = Candidates::from_standard_input().map_err(unreadable)?;
        while let Some(lines) = candidates.next_lines().map_err(unreadable)? {
            let (judged, error) = judge.lines(lines);
            self.tell(&judged, told)?;
            if let Some(error) = error {
                return Err(Failure::new("cannot check", error));
            }
        }
        Ok(())
    }

    /// Counts verdicts and prints those that were asked for.
    fn tell(&self, judged: &[Judged], told: &mut Told) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for judged in judged {
            told.line = told.line.saturating_add(1);
            told.summary.count(judged.reason);
            if self.is_asked_for(judged) {
                report::write(&VerdictLine::new(told.line, judged), self.json, &mut lines)
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

fn bytes_of(name: Option<&OsString>) -> &[u8] {
    name.map_or(b"", |name| name.as_bytes())
}

/// What has been told so far.
#[derive(Default)]
struct Told {
    line: u64,
    summary: Summary,
}

/// Who may not read a filter is told why, and what to do.
fn not_opened(error: CheckError) -> Failure {
    match error {
        CheckError::Filter(error) if error.is_denied() => {
            let advice = access::advice(&error.path);
            Failure::plain(format!("cannot check: {error}; {advice}"))
        }
        other => Failure::new("cannot check", other),
    }
}

/// A configuration error is several lines that show the place; here they are joined.
fn unusable(error: &ConfigError) -> Failure {
    let text = error.to_string();
    let parts: Vec<&str> = text.lines().map(str::trim).filter(|line| !matches!(*line, "" | "|")).collect();
    Failure::plain(parts.join(": "))
}
