//! `filterlab study guessing`: the accounts that fall to an attacker's guesses under each policy.

use std::{
    collections::HashSet,
    hash::Hash,
    io::{self, Write},
    path::PathBuf,
};

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
    report::{self, Report, counted},
};
use nearmiss_policy::site::Site;
use serde::Serialize;

use super::{
    Results,
    policy::{PolicyOptions, cannot_study, lines_of, read, usable},
};
use crate::{
    occurrences,
    rules::{Rule, RuleFile},
    study::{
        OutputFolder, Steps,
        checker::Checker,
        guessing::{self, Accounts, Attack, Count, UnderPolicy, Verdicts},
    },
};

const AFTER: &str = "\
Method:
  The attacker applies rules to words in the order of the product of their ranks: the lines
  of the lists and of the rule files in the order given, without repetitions. Each pair of a
  word and a rule is a guess at all accounts, even if it repeats an earlier one. An account
  falls to the first guess that is its password, byte by byte. Counted are the accounts
  whose password a policy accepts: no policy; 8 characters or more; nearmiss, as configured
  or with the filters given, without the user's name; each --checker. Users whose password
  is rejected choose another one: the share of all accounts assumes that none of these
  falls, the share of accounts with an accepted password that as many of them fall.

Rules:
  The functions of hashcat that rule files use, except for those in its other modes. A rule with
  an unknown function is skipped, and counted.

Checkers:
  The command reads a password per line and answers with a line for each, which begins with OK
  if it accepts the password. It is split at spaces and run without a shell.

Files:
  guessing.csv  accounts and passwords that fall, for each policy and number of guesses
  guessing.svg  the shares of accounts

Examples:
  filterlab study guessing --rules best64.rule --accounts leaked.txt --output study ranked.txt
  filterlab study guessing --rules rockyou-30000.rule --accounts counts.txt --counts \\
    --checker 'passwdqc=pwqcheck -1 --multi' --filter words.filter ranked.txt";

/// Measures the share of accounts that fall to an attacker's guesses, under the policy and others.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// The passwords of the accounts, one per line, an account each.
    #[arg(long, value_name = "FILE")]
    accounts: PathBuf,
    /// The lines of --accounts are VALUE|OCCURRENCE: a password and its number of accounts.
    #[arg(long)]
    counts: bool,
    /// Rules of hashcat's syntax, the best first; may be given more than once.
    #[arg(long, value_name = "FILE", required = true)]
    rules: Vec<PathBuf>,
    #[command(flatten)]
    policy: PolicyOptions,
    /// Another policy: its name, and the command that checks passwords; may be given more than once.
    #[arg(long = "checker", value_name = "NAME=COMMAND", value_parser = Checker::parse)]
    checkers: Vec<Checker>,
    /// The number of guesses.
    #[arg(long, value_name = "N", default_value_t = 100_000_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    most_guesses: u64,
    #[command(flatten)]
    results: Results,
    /// The attacker's words, one per line, the most common first: letter case is kept.
    #[arg(value_name = "LIST", required = true)]
    lists: Vec<PathBuf>,
}

/// The fewest characters of the policy that only counts them.
const LEAST_CHARACTERS: usize = 8;

/// The measurement.
#[derive(Serialize)]
struct MeasuredGuessing {
    accounts: Count,
    words: usize,
    rules: usize,
    skipped_rules: u64,
    guesses: u64,
    policies: Vec<UnderPolicy>,
    files: Vec<String>,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let site = usable(self.policy.config()?)?;
        let accounts = self.read_accounts()?;
        let words = self.read_words()?;
        let (rules, skipped_rules) = self.read_rules()?;
        let mut folder = OutputFolder::open(&self.results.output)?;
        let passwords: Vec<&[u8]> = accounts.passwords().collect();
        let verdicts = self.verdicts(&site, &passwords)?;
        let budgets = guessing::budgets(self.most_guesses);
        let attack = Attack { words: &words, rules: &rules };
        let guesses = attack.guesses(&budgets);
        let fell = attack.fell(&accounts, &budgets, &Steps::new("guessing", guesses, self.results.quiet));
        let policies = verdicts.into_iter().map(|one| UnderPolicy::new(one, &accounts, &fell, &budgets));
        let mut measured = MeasuredGuessing {
            accounts: accounts.count(),
            words: words.len(),
            rules: rules.len(),
            skipped_rules,
            guesses,
            policies: policies.collect(),
            files: Vec::new(),
        };
        measured.write(&mut folder)?;
        measured.files = folder.into_files();
        if !self.results.quiet || self.results.json {
            report::print(&measured, self.results.json)?;
        }
        Ok(Exit::Done)
    }

    fn read_accounts(&self) -> Result<Accounts, Failure> {
        if self.counts {
            return Ok(Accounts::new(occurrences::read(&self.accounts)?));
        }
        let lines = lines_of(&self.accounts)?;
        if lines.is_empty() {
            let message = format!("{}: contains no passwords", self.accounts.display());
            return Err(Failure::plain(keys::LIST_EMPTY, message));
        }
        Ok(Accounts::new(lines.into_iter().map(|line| (line, 1))))
    }

    fn read_words(&self) -> Result<Vec<Vec<u8>>, Failure> {
        let mut words = Vec::new();
        for list in &self.lists {
            words.extend(lines_of(list)?);
        }
        Ok(distinct(words))
    }

    /// The rules, and the number of those that were skipped.
    fn read_rules(&self) -> Result<(Vec<Rule>, u64), Failure> {
        let (mut rules, mut skipped) = (Vec::new(), 0_u64);
        for path in &self.rules {
            let file = RuleFile::parse(&read(path)?);
            rules.extend(file.rules);
            skipped = skipped.saturating_add(file.skipped);
        }
        Ok((distinct(rules), skipped))
    }

    /// Whether each policy accepts each of the passwords.
    fn verdicts(&self, site: &Site, passwords: &[&[u8]]) -> Result<Vec<Verdicts>, Failure> {
        let is_long = |password: &&[u8]| {
            String::from_utf8_lossy(password).chars().nth(LEAST_CHARACTERS.saturating_sub(1)).is_some()
        };
        let steps = Steps::new("checking", passwords.len() as u64, self.results.quiet);
        let mut verdicts = vec![
            Verdicts { policy: "no policy".to_owned(), accepts: vec![true; passwords.len()] },
            Verdicts {
                policy: format!("{LEAST_CHARACTERS} characters"),
                accepts: passwords.iter().map(is_long).collect(),
            },
            Verdicts {
                policy: "nearmiss".to_owned(),
                accepts: guessing::accepted_by(site, passwords, &steps).map_err(cannot_study)?,
            },
        ];
        for checker in &self.checkers {
            let accepts = checker.rejects(passwords)?.iter().map(|is_rejected| !is_rejected).collect();
            verdicts.push(Verdicts { policy: checker.name.clone(), accepts });
        }
        Ok(verdicts)
    }
}

/// Each item once, in the order of the first occurrence.
fn distinct<T: Clone + Eq + Hash>(mut items: Vec<T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.retain(|item| seen.insert(item.clone()));
    items
}

impl MeasuredGuessing {
    fn write(&self, folder: &mut OutputFolder) -> Result<(), Failure> {
        folder.write("guessing.csv", &guessing::csv(&self.policies, self.accounts))?;
        let remark = format!(
            "{} with {}. The attacker applies {} to {}, in the order of the product of their ranks.",
            counted(self.accounts.accounts, "account"),
            counted(self.accounts.passwords, "password"),
            counted(self.rules as u64, "rule"),
            counted(self.words as u64, "word"),
        );
        folder.plots("guessing.svg", &guessing::charts(&self.policies, self.accounts, vec![remark]))
    }

    /// A line for each policy: the share of accounts accepted, and those that fall, of so many accounts.
    fn write_shares(
        &self,
        out: &mut dyn Write,
        title: &str,
        of: impl Fn(&UnderPolicy) -> u64,
    ) -> io::Result<()> {
        write!(out, "{title:<24}{:>10}", "accepted")?;
        let Some(first) = self.policies.first() else { return Ok(()) };
        guessing::powers(first, 1).try_for_each(|(guesses, _)| write!(out, "{guesses:>13}"))?;
        writeln!(out)?;
        for under in &self.policies {
            let accepted = 100.0 * under.accepted.accounts as f64 / self.accounts.accounts.max(1) as f64;
            write!(out, "{:<24}{accepted:>8.2} %", under.policy)?;
            guessing::powers(under, of(under)).try_for_each(|(_, share)| write!(out, "{share:>11.3} %"))?;
            writeln!(out)?;
        }
        Ok(())
    }
}

impl Report for MeasuredGuessing {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (accounts, passwords) = (self.accounts.accounts, self.accounts.passwords);
        writeln!(out, "{} with {}", counted(accounts, "account"), counted(passwords, "password"))?;
        writeln!(
            out,
            "{} of {} times {}",
            counted(self.guesses, "pair"),
            counted(self.words as u64, "word"),
            counted(self.rules as u64, "rule")
        )?;
        if self.skipped_rules > 0 {
            writeln!(out, "{} skipped, with an unknown function", counted(self.skipped_rules, "rule"))?;
        }
        writeln!(out)?;
        self.write_shares(out, "of accepted, guessed by", |under| under.accepted.accounts)?;
        writeln!(out)?;
        self.write_shares(out, "of all, guessed by", |_| accounts)?;
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}
