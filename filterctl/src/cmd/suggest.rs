//! `filterctl suggest`: passphrases that the policy accepts.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Write},
    os::{fd::AsFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
};

use clap::builder::RangedU64ValueParser;
use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome, say},
    paths,
};
use nearmiss_policy::{
    config::{Config, DEFAULT_WORDS, MAX_BITS, MIN_BITS, at},
    site::{Site, Suggestion, Unsuggested},
    suggest::{Recipe, WordList, WordListError},
};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::{
    configuration::{self, ConfigRequest},
    flags::system::System,
    host::user::{self, UserFacts},
    report::{self, Report},
};

/// The list that the packages install for the module.
const WORDS: &[u8] = include_bytes!("../../../packaging/wordlists/suggest.lst");

/// Longer than any line: 103 words of 12 letters, four bytes each.
const LINE_BYTES: usize = 8 << 10;

const AFTER: &str = "\
Each word is drawn from the list with equal probability, with the system's random numbers. A
passphrase is drawn again if the policy rejects it, with or without the separators of its words,
or if it is one character away from a word of a dictionary with match = \"exact\". The ladder of
chosen passwords is not used. The policy is the one of the PAM line that checks the passwords of
passwd, or of --service; --conf and --filter are used without that line's options.

The number of bits of each passphrase is printed once, on standard error.

Exit status:
  0  the passphrases are printed
  2  error; no passphrase is printed

Examples:
  filterctl suggest                     # as root: the system's filter is private
  filterctl suggest --count 6 --bits 72 --user anna
  filterctl suggest --filter words.filter --json";

/// Suggests passphrases that the policy accepts: random words, with a stated number of bits.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The number of passphrases.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    /// The minimum entropy of each, in bits; default: the configured one, or 60.
    #[arg(long, value_name = "N")]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(MIN_BITS as u64..=MAX_BITS as u64))]
    bits: Option<usize>,
    /// Draw the words from this list: at least 1000 words of 3 to 12 lower-case letters, one per line,
    /// sorted.
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
    /// Use this filter (several may be given) instead of the configured ones, with the default policy.
    #[arg(short, long = "filter", value_name = "FILE")]
    filters: Vec<PathBuf>,
    #[command(flatten)]
    system: System,
    /// The user name, which a passphrase must not be near; nor must it be near the user's real name.
    #[arg(long, value_name = "NAME")]
    user: Option<OsString>,
    /// Do not print the number of bits.
    #[arg(short, long)]
    quiet: bool,
    /// Print each passphrase as a line of JSON, with its bits.
    #[arg(long)]
    json: bool,
}

impl Args {
    /// Prints the passphrases.
    ///
    /// # Errors
    /// The configuration, a filter or the list cannot be used, standard output cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let config = self.asked().config()?;
        if !self.quiet {
            self.asked().say_line();
        }
        let words = self.words(&config).map_err(|error| Failure::new("cannot suggest", error))?;
        let bits = self.bits.unwrap_or(config.guidance.suggest_bits);
        let recipe = Recipe::new(&words, bits, config.policy.min_length);
        let (site, facts) = (Site::without_ladder(config), self.facts());
        let mut out = Unbuffered::new()?;
        for number in 0..self.count {
            let suggested = site.suggest(&words, bits, &facts.context());
            let suggestion = suggested.map_err(|error| self.not_suggested(error))?;
            if number == 0 && !self.quiet && !self.json {
                say(&note(recipe, words.len()));
            }
            out.write(&Passphrase::of(&suggestion), self.json)?;
        }
        Ok(Exit::Done)
    }

    fn asked(&self) -> ConfigRequest<'_> {
        ConfigRequest { system: &self.system, filters: &self.filters }
    }

    /// The named, configured or built-in list; the list that the packages install is built in.
    fn words(&self, config: &Config) -> Result<WordList, WordListError> {
        let configured = config.guidance.suggest_words.as_path();
        match &self.words {
            Some(named) => WordList::open(&paths::absolute(named)),
            None if !self.has_default_words(configured) => WordList::open(configured),
            None => WordList::parse(WORDS.to_vec())
                .map_err(|problem| WordListError::List { path: configured.to_owned(), problem }),
        }
    }

    /// True for the list of the packages, in whichever system.
    fn has_default_words(&self, configured: &Path) -> bool {
        configured == at(&self.system.root, Path::new(DEFAULT_WORDS))
            || configured == Path::new(DEFAULT_WORDS)
    }

    fn facts(&self) -> UserFacts {
        let user = self.user.as_ref().map(|name| name.as_bytes().to_vec()).unwrap_or_default();
        let gecos =
            self.user.as_deref().filter(|_| !self.asked().is_bare()).map(user::gecos).unwrap_or_default();
        let host = if self.asked().is_bare() { Vec::new() } else { user::host_name() };
        UserFacts { user, gecos, host }
    }

    fn not_suggested(&self, error: Unsuggested) -> Failure {
        match error {
            Unsuggested::Unusable(unusable) => {
                configuration::not_usable("cannot suggest", &unusable, self.filters.is_empty())
            }
            other => Failure::new("cannot suggest", other),
        }
    }
}

fn note(recipe: Recipe, words: usize) -> String {
    let (drawn, bits) = (recipe.words, floored(recipe.bits()));
    format!("{bits:.1} bits: {drawn} words drawn from {words}; make sure that no one else can see the screen")
}

/// Never more bits than there are.
fn floored(bits: f64) -> f64 {
    (bits * 10.0).floor() / 10.0
}

/// A passphrase, as it is printed.
#[derive(Serialize)]
struct Passphrase<'s> {
    #[serde(rename = "passphrase")]
    text: &'s str,
    words: usize,
    bits: f64,
}

impl<'s> Passphrase<'s> {
    fn of(suggestion: &'s Suggestion) -> Passphrase<'s> {
        let recipe = suggestion.recipe;
        Passphrase { text: &suggestion.passphrase, words: recipe.words, bits: floored(recipe.bits()) }
    }
}

impl Report for Passphrase<'_> {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.text)
    }
}

/// Standard output without the standard library's buffer, in which passphrases would remain.
struct Unbuffered(File);

impl Unbuffered {
    fn new() -> Result<Unbuffered, Failure> {
        let out = io::stdout().as_fd().try_clone_to_owned().map_err(Failure::output)?;
        Ok(Unbuffered(File::from(out)))
    }

    fn write(&mut self, line: &Passphrase<'_>, as_json: bool) -> Result<(), Failure> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(LINE_BYTES));
        report::write(line, as_json, &mut *bytes).map_err(Failure::output)?;
        self.0.write_all(&bytes).map_err(Failure::output)
    }
}

#[cfg(test)]
mod tests {
    use nearmiss_policy::config::DEFAULT_BITS;

    use super::*;

    #[test]
    fn the_built_in_words_are_words_of_the_built_in_list() {
        let list = WordList::parse(WORDS.to_vec()).unwrap();
        assert!(list.len() > 4096, "five words of fewer have less than 60 bits");
        assert_eq!(Recipe::new(&list, DEFAULT_BITS, 8).words, 5);
    }
}
