//! `filterlab study catch`: what the policy in force catches of what attackers try.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::builder::TypedValueParser;
use nearmiss_filters::{
    config::{Config, DEFAULT_PATH, DictionaryRule},
    site::Site,
};
use serde::Serialize;

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    paths,
    report::{self, Report},
    rules::RuleFile,
    study::{
        OutputFolder, Steps,
        catch::{self, Caught, FalseRejections, TriedSet},
    },
};

const AFTER: &str = "\
Method:
  Every rule is applied to words of the lists, the first of them or a choice by the seed
  when the rules are many; or the passwords of a list are tried as they are. Passwords of
  8 bytes and more count, each once, with the rank of its first rule or line. pwscore and
  pwqcheck are asked, too, where they are installed, for the first passwords of each set.
  Rule files and leaked lists are not part of nearmiss: give your own.

Rules:
  The functions of hashcat that rule files use, but for those of its other modes. A rule
  with a function that is not known is skipped, and counted.

Files:
  catch.csv             the share rejected of each set, of its first ranks, by class of rule
  false-rejections.csv  the share rejected of each kind of generated passwords
  catch.svg             the share of each set

Examples:
  filterlab study catch --rules best64.rule --output study /usr/share/dict/words
  filterlab study catch --passwords leaked.txt --conf new.conf --output study";

/// Measures what the policy rejects of what attackers try, and of generated passwords.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(super) struct Args {
    /// Rules of hashcat's syntax; may be given more than once.
    #[arg(long, value_name = "FILE", requires = "lists")]
    rules: Vec<PathBuf>,
    /// A list of passwords to try as they are; may be given more than once.
    #[arg(long, value_name = "FILE", required_unless_present = "rules")]
    passwords: Vec<PathBuf>,
    /// Read the policy from this file; default /etc/security/nearmiss.conf where no filter is given.
    #[arg(long, value_name = "FILE")]
    conf: Option<PathBuf>,
    /// A filter to ask in place of the configured ones; may be given more than once.
    #[arg(short, long = "filter", value_name = "FILE")]
    filters: Vec<PathBuf>,
    /// Words of the lists that the rules are applied to.
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = from_one())]
    words: u64,
    /// The most passwords of a set.
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = from_one())]
    most: u64,
    /// Passwords of each set that other checkers are asked for.
    #[arg(long, value_name = "N", default_value_t = 500)]
    peers: u64,
    /// Generated passwords of each kind.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    generated: u64,
    /// Choose words by this seed.
    #[arg(long, value_name = "N", default_value_t = 1994)]
    seed: u64,
    /// Write CSV and SVG files into this folder.
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress and print no report.
    #[arg(short, long)]
    quiet: bool,
    /// Word lists, one word a line: letter case is kept.
    #[arg(value_name = "LIST")]
    lists: Vec<PathBuf>,
}

fn from_one() -> impl TypedValueParser<Value = u64> {
    clap::value_parser!(u64).range(1..)
}

/// What was measured.
#[derive(Serialize)]
struct Measured {
    skipped_rules: Vec<(String, u64)>,
    caught: Vec<Caught>,
    false_rejections: Vec<FalseRejections>,
    files: Vec<String>,
}

impl Args {
    pub(super) fn run(&self) -> Outcome {
        let site = self.site()?;
        let words = self.read_words()?;
        let sets = self.sets(&words)?;
        let mut folder = OutputFolder::open(&self.output)?;
        let caught = self.caught(&site, &sets)?;
        let false_rejections = self.false_rejections(&site, &words)?;
        folder.write("catch.csv", &catch::catch_csv(&caught))?;
        folder.write("false-rejections.csv", &catch::false_rejections_csv(&false_rejections))?;
        folder.plot("catch.svg", &catch::chart(&caught, &false_rejections))?;
        if !self.quiet || self.json {
            let skipped = sets.iter().filter(|set| set.skipped > 0);
            let skipped_rules = skipped.map(|set| (set.name.clone(), set.skipped)).collect();
            let files = folder.into_files();
            report::print(&Measured { skipped_rules, caught, false_rejections, files }, self.json)?;
        }
        Ok(Exit::Done)
    }

    /// The site without its ladder: what is measured is the policy and the filters.
    fn site(&self) -> Result<Site, Failure> {
        let is_bare = self.conf.is_none() && !self.filters.is_empty();
        let path = self.conf.as_deref().unwrap_or(Path::new(DEFAULT_PATH));
        let mut config = if is_bare { Config::default() } else { load(path)? };
        if !self.filters.is_empty() {
            let rule = |path: &PathBuf| DictionaryRule { file: paths::real(path), matching: None };
            config.dictionaries = self.filters.iter().map(rule).collect();
        }
        let site = Site::without_ladder(config);
        match site.unusable().into_iter().next() {
            None => Ok(site),
            Some(unusable) => Err(Failure::new("cannot study the policy", unusable)),
        }
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
        let steps = Steps::new("trying", count, self.quiet);
        let mut all = Vec::new();
        for set in sets {
            let verdicts = catch::judge(site, set.passwords(), &steps);
            let verdicts = verdicts.map_err(|error| Failure::new("cannot study the policy", error))?;
            let rejected: Vec<bool> = verdicts.iter().map(Option::is_some).collect();
            all.push(catch::caught(set, "nearmiss", &rejected));
            let first: Vec<&[u8]> =
                set.passwords().take(usize::try_from(self.peers).unwrap_or(usize::MAX)).collect();
            for peer in catch::installed().filter(|_| !first.is_empty()) {
                let rejected = peer.rejects(&first);
                let rejected =
                    rejected.map_err(|e| Failure::new(format!("cannot ask {}", peer.program()), e))?;
                all.push(catch::caught(set, peer.program(), &rejected));
            }
        }
        Ok(all)
    }

    fn false_rejections(&self, site: &Site, words: &[Vec<u8>]) -> Result<Vec<FalseRejections>, Failure> {
        let is_plain =
            |word: &&Vec<u8>| (3..=9).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase);
        let words: Vec<String> =
            words.iter().filter(is_plain).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        // Phrases of a few hundred words repeat each other.
        let kinds: Vec<_> = catch::kinds(words.len() >= 1000).collect();
        let steps = Steps::new("generating", self.generated.saturating_mul(kinds.len() as u64), self.quiet);
        let mut all = Vec::new();
        for kind in kinds {
            let passwords = kind.passwords(self.generated, &words, self.seed);
            let verdicts = catch::judge(site, passwords.iter().map(String::as_bytes), &steps);
            let verdicts = verdicts.map_err(|error| Failure::new("cannot study the policy", error))?;
            all.push(catch::false_rejections(kind.name, &verdicts));
        }
        Ok(all)
    }
}

fn load(path: &Path) -> Result<Config, Failure> {
    Config::load(&paths::real(path)).map_err(|error| Failure::new("cannot use the configuration", error))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).map_err(|error| Failure::new(format!("cannot read {}", path.display()), error))
}

fn lines_of(path: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    let text = read(path)?;
    let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    Ok(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

impl Report for Measured {
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
            writeln!(out, "{name}: {count} rules skipped, with a function that is not known")?;
        }
        writeln!(out, "\n{:<24}{:>9}{:>10}", "generated", "tried", "rejected")?;
        for kind in &self.false_rejections {
            let reasons: Vec<String> =
                kind.reasons.iter().map(|(code, count)| format!("{code} {count}")).collect();
            let percent = 100.0 * kind.all.part();
            writeln!(out, "{:<24}{:>9}{percent:>8.3} %  {}", kind.kind, kind.all.tried, reasons.join(", "))?;
        }
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}
