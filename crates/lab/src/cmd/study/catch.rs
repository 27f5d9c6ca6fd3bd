//! `filterlab study catch`: the share of attackers' guesses that the current policy rejects.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use clap::builder::TypedValueParser;
use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    report::{self, Report},
};
use nearmiss_policy::{
    config::Config,
    policy::Reason,
    site::{Site, Unusable},
};
use serde::Serialize;

use super::{
    Results,
    policy::{PolicyOptions, cannot_study, lines_of, name_of, read, usable},
};
use crate::{
    rules::RuleFile,
    study::{
        OutputFolder, Steps,
        catch::{self, Caught, Difference, FAMILIES, FalseRejections, Generated, TriedSet},
        checker::Checker,
    },
};

const AFTER: &str = "\
Method:
  Every rule is applied to words of the lists: to the first words, or to a random choice
  if there are many rules; or the passwords of a list are tried unchanged. Passwords of 8
  bytes or more count, each once, with the rank of its first rule or line. Each --checker
  also checks the first passwords of each set and kind. nearmiss contains no rule files and
  no leaked lists: use your own.

Rules:
  The functions of hashcat that rule files use, except for those in its other modes. A rule with
  an unknown function is skipped, and counted.

Checkers:
  The command reads a password per line and answers with a line for each, which begins with OK
  if it accepts the password. It is split at spaces and run without a shell.

Files:
  catch.csv             the share rejected of each set, of its first ranks, by class of rule
  false-rejections.csv  the share rejected of each kind of generated passwords
  catch.svg             the share of each set
  rules.csv             with --each-rule: the effect of each rule in each set and kind

Examples:
  filterlab study catch --rules best64.rule --output study /usr/share/dict/words
  filterlab study catch --each-rule --rules best64.rule /usr/share/dict/words
  filterlab study catch --checker 'passwdqc=pwqcheck -1 --multi' --passwords leaked.txt
  filterlab study catch --passwords leaked.txt --conf new.conf --output study";

/// Measures the policy's rejections of attackers' guesses and of generated passwords.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// Rules of hashcat's syntax; may be given more than once.
    #[arg(long, value_name = "FILE", requires = "lists")]
    rules: Vec<PathBuf>,
    /// A list of passwords to try unchanged; may be given more than once.
    #[arg(long, value_name = "FILE", required_unless_present = "rules")]
    passwords: Vec<PathBuf>,
    #[command(flatten)]
    policy: PolicyOptions,
    /// Words of the lists that the rules are applied to.
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = from_one())]
    words: u64,
    /// The maximum number of passwords of a set.
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = from_one())]
    most: u64,
    /// Another policy: its name, and the command that checks passwords; may be given more than once.
    #[arg(long = "checker", value_name = "NAME=COMMAND", value_parser = Checker::parse)]
    checkers: Vec<Checker>,
    /// The number of passwords of each set and kind that other checkers check.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = from_one())]
    checked: u64,
    /// Generated passwords of each kind.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    generated: u64,
    /// A family of generated passwords: common, managers, browsers, tools, tokens, words or scripts; may be
    /// given more than once. Default: all of them.
    #[arg(long, value_name = "NAME", value_parser = FAMILIES.map(|family| family.name))]
    family: Vec<String>,
    /// A list of words for generated passwords of words, in place of the lists; may be given more than once.
    #[arg(long, value_name = "FILE")]
    phrases: Vec<PathBuf>,
    /// The seed of the random choice of words.
    #[arg(long, value_name = "N", default_value_t = 1994)]
    seed: u64,
    /// Also switch each rule of the policy in turn, and print the passwords that are rejected only with it.
    #[arg(long)]
    each_rule: bool,
    #[command(flatten)]
    results: Results,
    /// Word lists, one word per line: letter case is kept.
    #[arg(value_name = "LIST")]
    lists: Vec<PathBuf>,
}

fn from_one() -> impl TypedValueParser<Value = u64> {
    clap::value_parser!(u64).range(1..)
}

/// The measurement.
#[derive(Serialize)]
struct MeasuredCatch {
    skipped_rules: Vec<(String, u64)>,
    caught: Vec<Caught>,
    false_rejections: Vec<FalseRejections>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<Difference>,
    files: Vec<String>,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let config = self.policy.config()?;
        let site = usable(config.clone())?;
        let words = self.read_words()?;
        let sets = self.sets(&words)?;
        let mut folder = OutputFolder::open(&self.results.output)?;
        let caught = self.caught(&site, &sets)?;
        let generated = self.generated(&words)?;
        let false_rejections = self.false_rejections(&site, &generated)?;
        folder.write("catch.csv", &catch::catch_csv(&caught))?;
        folder.write("false-rejections.csv", &catch::false_rejections_csv(&false_rejections))?;
        let differences =
            if self.each_rule { self.differences(&config, &sets, &generated)? } else { Vec::new() };
        if self.each_rule {
            folder.write("rules.csv", &catch::differences_csv(&differences))?;
        }
        folder.plot("catch.svg", &catch::chart(&caught, &false_rejections))?;
        if !self.results.quiet || self.results.json {
            let skipped = sets.iter().filter(|set| set.skipped > 0);
            let skipped_rules = skipped.map(|set| (set.name.clone(), set.skipped)).collect();
            let files = folder.into_files();
            report::print(
                &MeasuredCatch { skipped_rules, caught, false_rejections, differences, files },
                self.results.json,
            )?;
        }
        Ok(Exit::Done)
    }

    fn read_words(&self) -> Result<Vec<Vec<u8>>, Failure> {
        let mut words = Vec::new();
        for list in &self.lists {
            words.extend(lines_of(list)?);
        }
        Ok(words)
    }

    fn sets(&self, words: &[Vec<u8>]) -> Result<Vec<TriedSet>, Failure> {
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        let first = words.get(..usize::try_from(self.words).unwrap_or(usize::MAX)).unwrap_or(words);
        let mut sets = Vec::new();
        for path in &self.rules {
            let rules = RuleFile::parse(&read(path)?);
            sets.push(TriedSet::of_rules(name_of(path), &rules, first, most, self.seed));
        }
        for path in &self.passwords {
            sets.push(TriedSet::of_list(name_of(path), &lines_of(path)?, most));
        }
        Ok(sets)
    }

    fn caught(&self, site: &Site, sets: &[TriedSet]) -> Result<Vec<Caught>, Failure> {
        let count = sets.iter().map(|set| set.len() as u64).fold(0, u64::saturating_add);
        let steps = Steps::new("trying", count, self.results.quiet);
        let mut all = Vec::new();
        for set in sets {
            let verdicts = catch::judge(site, set.passwords(), &steps);
            let verdicts = verdicts.map_err(cannot_study)?;
            let rejected: Vec<bool> = verdicts.iter().map(Option::is_some).collect();
            all.push(catch::caught(set, catch::OURS, &rejected));
            for (checker, rejected) in self.by_checkers(set.passwords())? {
                all.push(catch::caught(set, checker, &rejected));
            }
        }
        Ok(all)
    }

    /// The verdicts of each other checker, true for a rejection, on the first of these passwords.
    fn by_checkers<'p>(
        &self,
        passwords: impl Iterator<Item = &'p [u8]>,
    ) -> Result<Vec<(&str, Vec<bool>)>, Failure> {
        let first: Vec<&[u8]> = passwords.take(usize::try_from(self.checked).unwrap_or(usize::MAX)).collect();
        let checkers = self.checkers.iter().filter(|_| !first.is_empty());
        checkers.map(|checker| Ok((checker.name.as_str(), checker.rejects(&first)?))).collect()
    }

    /// The requested number of passwords of each kind; of kinds of words, with each list for phrases.
    fn generated(&self, words: &[Vec<u8>]) -> Result<Vec<Generated>, Failure> {
        let mut lists = Vec::new();
        for path in &self.phrases {
            lists.push((name_of(path), plain(&lines_of(path)?)));
        }
        if lists.is_empty() {
            lists.push((String::new(), plain(words)));
        }
        // Phrases of a few hundred words repeat each other.
        lists.retain(|(_, words)| words.len() >= 1000);
        let is_asked = |name: &str| self.family.is_empty() || self.family.iter().any(|asked| asked == name);
        let families = FAMILIES.iter().filter(|family| is_asked(family.name));
        Ok(families.flat_map(|family| family.passwords(self.generated, &lists, self.seed)).collect())
    }

    fn false_rejections(
        &self,
        site: &Site,
        generated: &[Generated],
    ) -> Result<Vec<FalseRejections>, Failure> {
        let steps = Steps::new("generating", count_of(generated), self.results.quiet);
        let mut all = Vec::new();
        for kind in generated {
            let passwords = || kind.passwords.iter().map(String::as_bytes);
            let verdicts = catch::judge(site, passwords(), &steps).map_err(cannot_study)?;
            all.push(catch::false_rejections(kind, &verdicts));
            for (checker, rejected) in self.by_checkers(passwords())? {
                all.push(catch::falsely_rejected(kind, checker, &rejected));
            }
        }
        Ok(all)
    }

    /// The change by each rule in each set and each kind.
    fn differences(
        &self,
        config: &Config,
        sets: &[TriedSet],
        generated: &[Generated],
    ) -> Result<Vec<Difference>, Failure> {
        let tried = sets.iter().map(|set| set.len() as u64).fold(count_of(generated), u64::saturating_add);
        let policies = catch::switched(config).count().saturating_add(1) as u64;
        let steps = Steps::new("switching", tried.saturating_mul(policies), self.results.quiet);
        let as_it_is = verdicts(&usable(config.clone())?, sets, generated, &steps)?;
        let mut all = Vec::new();
        for (rule, config) in catch::switched(config) {
            let switched = verdicts(&usable(config)?, sets, generated, &steps)?;
            let both = as_it_is.iter().zip(&switched);
            all.extend(both.map(|((of, before), (_, after))| Difference::new(&rule, *of, before, after)));
        }
        Ok(all)
    }
}

/// Words of three to nine small letters.
fn plain(words: &[Vec<u8>]) -> Vec<String> {
    let is_plain = |word: &&Vec<u8>| (3..=9).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase);
    words.iter().filter(is_plain).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

fn count_of(generated: &[Generated]) -> u64 {
    generated.iter().map(|kind| kind.passwords.len() as u64).fold(0, u64::saturating_add)
}

/// The rejected passwords of a set, or of a kind: with its name, and true for a kind.
type Verdicts<'s> = ((&'s str, bool), Vec<bool>);

fn verdicts<'s>(
    site: &Site,
    sets: &'s [TriedSet],
    generated: &'s [Generated],
    steps: &Steps,
) -> Result<Vec<Verdicts<'s>>, Failure> {
    let rejected = |judged: Result<Vec<Option<Reason>>, Unusable>| {
        judged.map(|reasons| reasons.iter().map(Option::is_some).collect()).map_err(cannot_study)
    };
    let of_sets = sets
        .iter()
        .map(|set| Ok(((set.name.as_str(), false), rejected(catch::judge(site, set.passwords(), steps))?)));
    let of_kinds = generated.iter().map(|kind| {
        let judged = catch::judge(site, kind.passwords.iter().map(String::as_bytes), steps);
        Ok(((kind.name.as_str(), true), rejected(judged)?))
    });
    of_sets.chain(of_kinds).collect()
}

impl Report for MeasuredCatch {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{:<24}{:<12}{:<16}{:>9}{:>10}", "set", "checker", "part", "tried", "rejected")?;
        for caught in &self.caught {
            let ranks = caught.by_rank.iter().map(|(rank, share)| (format!("first {rank}"), share));
            let classes = caught.by_class.iter().map(|(class, share)| ((*class).to_owned(), share));
            for (part, share) in std::iter::once(("all".to_owned(), &caught.all)).chain(ranks).chain(classes)
            {
                let (set, checker, percent) = (&caught.set, &caught.checker, 100.0 * share.part());
                writeln!(out, "{set:<24}{checker:<12}{part:<16}{:>9}{percent:>8.1} %", share.tried)?;
            }
        }
        for (name, count) in &self.skipped_rules {
            writeln!(out, "{name}: {count} rules skipped, with an unknown function")?;
        }
        writeln!(out, "\n{:<36}{:<12}{:>6}{:>9}{:>10}", "generated", "checker", "bits", "tried", "rejected")?;
        for kind in &self.false_rejections {
            let reasons: Vec<String> =
                kind.reasons.iter().map(|(code, count)| format!("{code} {count}")).collect();
            let percent = 100.0 * kind.all.part();
            let (name, checker, bits, tried) = (&kind.kind, &kind.checker, kind.bits, kind.all.tried);
            writeln!(
                out,
                "{name:<36}{checker:<12}{bits:>6.1}{tried:>9}{percent:>8.3} %  {}",
                reasons.join(", ")
            )?;
        }
        self.write_differences(out)?;
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}

impl MeasuredCatch {
    /// A line for each rule: all sets, all kinds, the kind with the most.
    fn write_differences(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.differences.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{:<22}{:>14}{:>22}   most of a kind", "rule adds", "of sets", "of generated")?;
        let rules = self.differences.chunk_by(|one, next| one.rule == next.rule);
        for differences in rules {
            let Some(first) = differences.first() else { continue };
            let of = |is_generated| differences.iter().filter(move |one| one.is_generated == is_generated);
            let (sets, kinds) = (catch::sum(of(false)), catch::sum(of(true)));
            let most = of(true).max_by_key(|one| one.more.rejected).filter(|one| one.more.rejected > 0);
            let most = most.map(|one| format!("{} {:.3} %", one.of, 100.0 * one.more.part()));
            let (rule, share, count) = (&first.rule, 100.0 * sets.part(), kinds.rejected);
            let (all, most) = (kinds.tried, most.unwrap_or_default());
            writeln!(out, "{rule:<22}{share:>12.2} %{count:>9} of {all:>9}   {most}")?;
        }
        Ok(())
    }
}
