//! `filterctl build`: word lists to a dictionary filter.

mod built;

use std::{
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use built::Built;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use nearmiss_filters::{
    dictionary::{
        builder::{Builder, Settings},
        lines::{LineCounts, LineFormat},
        rate::{DEFAULT_FALSE_REJECTION, STATED_CHARACTERS},
    },
    format::{Header, Kind, Match, SchemeId, StatedRate},
    hash::{KEY_BYTES, Key},
    policy::MAX_VARIANTS,
};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome, printable},
    input::{self, ListName, WordList},
    jobs::Jobs,
    make,
    progress::Progress,
    report, syslog,
};

const AFTER: &str = "\
Lists:
  One word a line, UTF-8 or else Latin-1, plain or compressed with gzip, zstd or
  xz, whatever the name; '-' is standard input. Lines that are blank, longer than
  255 characters or have control characters are counted and reported.

Examples:
  filterctl build --common --output /var/cache/nearmiss/words.filter
  filterctl build --output words.filter /usr/share/dict/words site-words.txt.gz
  zcat leaked.gz | filterctl build --match exact --output leaked.filter -";

/// Builds a dictionary filter from word lists.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter to write; an older one is replaced in one step.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Begin with the built-in list: 56,000 common passwords and 89,000 English words.
    #[arg(long)]
    common: bool,
    /// What the lists hold: words, or digests of passwords in hexadecimal with an optional ":COUNT".
    #[arg(long, value_enum, default_value = "words")]
    kind: KindName,
    /// Leave out digests with a smaller count.
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_count: u64,
    /// What can be asked: words and what is one edit away, or words only. Default: near for words, exact for digests.
    #[arg(long = "match", value_enum, value_name = "MATCH")]
    matching: Option<MatchName>,
    /// How neighbours are found: deletions of words confirmed by words, or the paper's don't-care extension.
    #[arg(long, value_enum, default_value = "deletions")]
    scheme: SchemeName,
    /// Bits for each deletion: more are faster and larger; with 0 none are stored.
    #[arg(long, value_name = "BITS", default_value = "8", value_parser = deletion_bits())]
    deletion_bits: u8,
    /// The most probability with which a password that is not near the lists is rejected by accident.
    #[arg(long, value_name = "RATE", default_value_t = DEFAULT_FALSE_REJECTION, value_parser = rate)]
    false_rejection: f64,
    /// State the rate for passwords of this many characters.
    #[arg(long, value_name = "N", default_value_t = STATED_CHARACTERS)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=255))]
    rate_characters: u16,
    /// State the rate for this many lookups of one check; 1 for a filter that is asked with variants off.
    #[arg(long, value_name = "N", default_value_t = MAX_VARIANTS as u16)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=64))]
    rate_variants: u16,
    /// Leave room for this many words, to be added later.
    #[arg(long, value_name = "N")]
    capacity: Option<u64>,
    /// The hash key as 32 hexadecimal digits, instead of a random one: the same lists then give the same file,
    /// which records no date.
    #[arg(long, value_name = "HEX32", value_parser = key)]
    key: Option<Key>,
    #[command(flatten)]
    jobs: Jobs,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// Show no progress and print no report.
    #[arg(short, long)]
    quiet: bool,
    /// Word lists.
    #[arg(value_name = "LIST", required_unless_present = "common")]
    lists: Vec<PathBuf>,
}

/// What lists hold.
#[derive(Clone, Copy, ValueEnum)]
enum KindName {
    /// Words and passwords.
    Words,
    /// SHA-1 digests, as in the Pwned Passwords lists.
    Sha1,
    /// NTLM digests.
    Ntlm,
}

/// What a filter can be asked.
#[derive(Clone, Copy, ValueEnum)]
enum MatchName {
    /// Words and what is one edit away.
    Near,
    /// Words only.
    Exact,
}

/// How neighbours are found.
#[derive(Clone, Copy, ValueEnum)]
enum SchemeName {
    /// Deletions propose, words decide.
    Deletions,
    /// The 1-extension of Manber and Wu.
    Paper,
}

fn deletion_bits() -> impl TypedValueParser<Value = u8> {
    PossibleValuesParser::new(["0", "2", "4", "6", "8"]).try_map(|bits| bits.parse::<u8>())
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate < 1.0 => Ok(rate),
        _ => Err("expected a probability between 0 and 1".to_owned()),
    }
}

fn key(text: &str) -> Result<Key, String> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let bytes =
        digits.map(|digits| digits.as_chunks().0.iter().map(|[a, b]| a << 4 | b).collect::<Vec<u8>>());
    let bytes = bytes.and_then(|bytes| <[u8; KEY_BYTES]>::try_from(bytes).ok());
    let bytes = bytes.filter(|_| text.len() == 2 * KEY_BYTES);
    bytes.map(Key::new).ok_or_else(|| format!("expected {} hexadecimal digits", 2 * KEY_BYTES))
}

impl Args {
    /// Builds the filter.
    ///
    /// # Errors
    /// A list cannot be read or is none, no filter keeps the rate, the filter cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let settings = self.settings()?;
        let progress = Progress::new(self.quiet);
        let lists = input::open(&self.names(), &progress).map_err(|e| self.failure(e))?;
        let file = make::begin(&self.output, &lists)?;
        let surveyed = make::survey(&lists, &settings, &progress).map_err(|e| self.failure(e))?;
        let mut builder = Builder::new(&surveyed.findings, &settings).map_err(|e| self.failure(e))?;
        make::insert(&mut builder, &lists, &surveyed.counts, &progress).map_err(|e| self.failure(e))?;
        let header = builder.header().clone();
        let is_replacing = self.output.exists();
        make::write(builder, file)?;
        self.log(&header, is_replacing);
        self.print(&header, &lists, &surveyed.counts)
    }

    fn settings(&self) -> Result<Settings, Failure> {
        let lines = LineFormat { kind: self.kind.into(), min_count: self.min_count };
        Ok(Settings {
            lines,
            matching: self.matching()?,
            scheme: self.scheme.into(),
            deletion_bits: self.deletion_bits,
            stated: StatedRate {
                false_rejection: self.false_rejection,
                characters: self.rate_characters,
                variants: self.rate_variants,
            },
            capacity: self.capacity,
            key: self.key_or_random()?,
            threads: self.jobs.threads(),
            created: if self.key.is_some() { 0 } else { now() },
        })
    }

    fn matching(&self) -> Result<Match, Failure> {
        match (self.kind, self.matching) {
            (KindName::Words, None | Some(MatchName::Near)) => Ok(Match::Near),
            (_, None | Some(MatchName::Exact)) => Ok(Match::Exact),
            (_, Some(MatchName::Near)) => Err(Failure::plain(
                "digests have no neighbours; leave --match near out for --kind sha1 and ntlm",
            )),
        }
    }

    fn key_or_random(&self) -> Result<Key, Failure> {
        match &self.key {
            Some(key) => Ok(key.clone()),
            None => Key::random().map_err(|e| Failure::plain(format!("cannot choose a key: {e}"))),
        }
    }

    fn names(&self) -> Vec<ListName> {
        let built_in = self.common.then_some(ListName::BuiltIn);
        built_in.into_iter().chain(self.lists.iter().cloned().map(ListName::Path)).collect()
    }

    fn failure(&self, source: impl std::error::Error + 'static) -> Failure {
        Failure::new(format!("cannot build {}", self.output.display()), source)
    }

    fn log(&self, header: &Header, is_replacing: bool) {
        let act = if is_replacing { "replaced" } else { "built" };
        let path = std::path::absolute(&self.output).unwrap_or_else(|_| self.output.clone());
        let path = printable(&path.display().to_string());
        let (words, kind, matching) = (header.words, header.kind.name(), header.matching.name());
        syslog::changed(&format!("{act} {path}: {words} {kind}, {matching} match"));
    }

    fn print(&self, header: &Header, lists: &[WordList], counts: &[LineCounts]) -> Outcome {
        if !self.quiet || self.json {
            report::print(&Built::new(&self.output, header, lists, counts), self.json)?;
        }
        Ok(Exit::Done)
    }
}

impl From<KindName> for Kind {
    fn from(name: KindName) -> Kind {
        match name {
            KindName::Words => Kind::Words,
            KindName::Sha1 => Kind::Sha1,
            KindName::Ntlm => Kind::Ntlm,
        }
    }
}

impl From<SchemeName> for SchemeId {
    fn from(name: SchemeName) -> SchemeId {
        match name {
            SchemeName::Deletions => SchemeId::Deletions,
            SchemeName::Paper => SchemeId::Paper,
        }
    }
}

/// Seconds since 1970; a clock before that is not recorded.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_32_hexadecimal_digits() {
        let parsed = key("000102030405060708090a0b0c0d0eFF").unwrap();
        assert_eq!(parsed.bytes(), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]);
        for wrong in ["", "00", "000102030405060708090a0b0c0d0e0g", "000102030405060708090a0b0c0d0e0f0"] {
            assert!(key(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rates_are_probabilities() {
        assert!(rate("0.01").is_ok() && rate("1e-6").is_ok());
        for wrong in ["0", "1", "-0.1", "NaN", "inf", "1%"] {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
