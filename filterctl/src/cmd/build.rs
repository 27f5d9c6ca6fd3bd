//! `filterctl build`: word lists to a dictionary filter.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use nearmiss_filters::{
    dictionary::{
        Build,
        build::{BuildError, Builder, Findings},
    },
    format::{Header, Kind},
    hash::{KEY_BYTES, Key},
    storage::{Access, Replacement, StorageError, read_trusted},
};
use serde::Serialize;

use crate::{
    access::NewAccess,
    change::{self, Change, Target, Written, now},
    failure::{Failure, Outcome, printable},
    input::{InputError, ListName, WordList},
    input_flags::Input,
    jobs::Jobs,
    output::Output,
    paths,
    progress::Progress,
    record::Record,
    report::{Report, header::Facts, lists::Tally},
    sizing::{Shape, Sizing},
};

const AFTER: &str = "\
Lists:
  One word a line, UTF-8 or else Latin-1, plain or compressed with gzip, zstd or
  xz, whatever the name; '-' is standard input. Lines that are blank, longer than
  255 characters or have control characters are counted and reported.
  Digests: one a line with an optional :COUNT, or a folder of range files named
  by the first 5 digits, with the rest of each digest on its lines. More than one
  malformed line in a hundred is an error.

Examples:
  filterctl build --common --output /var/cache/nearmiss/words.filter
  filterctl build --output words.filter /usr/share/dict/words site-words.txt.gz
  zcat leaked.gz | filterctl build --match exact --output leaked.filter -
  filterctl build --kind sha1 --min-count 10 --output pwned.filter ranges/
  zstdcat pwned.zst | filterctl build --kind sha1 --capacity 1000000000 --output f -";

/// Builds a dictionary filter from word lists.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// The filter to write; an older one is replaced in one step.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Begin with the built-in list: 56,000 common passwords, 89,000 English words and 39,000 others.
    #[arg(long)]
    common: bool,
    #[command(flatten)]
    shape: Shape,
    /// Leave out digests with a smaller count; those with count 0, which fill up ranges, are always left out
    /// by default.
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_count: u64,
    #[command(flatten)]
    sizing: Sizing,
    /// Leave room for this many words, to be added later. Digests are then read once, also from a pipe.
    #[arg(long, value_name = "N")]
    capacity: Option<u64>,
    /// The hash key as 32 hexadecimal digits, instead of a random one: the same lists then give the same
    /// file, which records no date.
    #[arg(long, value_name = "HEX32", value_parser = key)]
    key: Option<Key>,
    /// For a filter that is handed out: the key is read from this file, or chosen and written to it where
    /// there is none, so that the same lists give the same file. What it was built from is written to
    /// OUTPUT.sources, for filterctl info.
    #[arg(long, value_name = "KEYFILE", conflicts_with_all = ["key", "like"])]
    for_distribution: Option<PathBuf>,
    /// Take kind, key, size and rate from this filter, so that the two can be united.
    #[arg(long, value_name = "FILTER", conflicts_with_all = LIKE_DECIDES)]
    like: Option<PathBuf>,
    /// Also write counts to this file, with which words can be taken out again: four times as large as the
    /// filter.
    #[arg(long, value_name = "FILE")]
    counts: Option<PathBuf>,
    #[command(flatten)]
    access: NewAccess,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    reporting: Output,
    /// Word lists.
    #[arg(value_name = "LIST", required_unless_present = "common")]
    lists: Vec<PathBuf>,
}

/// What a filter made like another takes from it.
const LIKE_DECIDES: [&str; 9] = [
    "kind",
    "matching",
    "scheme",
    "deletion_bits",
    "false_rejection",
    "characters",
    "no_variants",
    "capacity",
    "key",
];

fn key(text: &str) -> Result<Key, String> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let bytes =
        digits.map(|digits| digits.as_chunks().0.iter().map(|[a, b]| a << 4 | b).collect::<Vec<u8>>());
    let bytes = bytes.and_then(|bytes| <[u8; KEY_BYTES]>::try_from(bytes).ok());
    let bytes = bytes.filter(|_| text.len() == 2 * KEY_BYTES);
    bytes.map(Key::new).ok_or_else(|| format!("expected {} hexadecimal digits", 2 * KEY_BYTES))
}

/// How the filter is made.
struct Plan {
    build: Build,
    /// The filter that it is to be like.
    like: Option<Header>,
}

impl Args {
    /// Builds the filter.
    ///
    /// # Errors
    /// A list cannot be read or is not a word list, no filter keeps the rate, the filter cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        let (plan, progress) = (self.plan()?, self.reporting.progress());
        let (counts, access) = (self.counts.as_deref(), &self.access);
        let target = Target { act: "build", file: &self.output, counts, access };
        let lists = self.open(&plan, &progress).map_err(|e| target.failure(e))?;
        let mut change = Change::begin(target, lists, &progress)?;
        let at_once = if self.may_be_read_once(&plan) { change.fill_at_once(&plan.build)? } else { None };
        let builder = at_once.map_or_else(|| self.fill(&plan, &mut change), Ok)?;
        let is_replacing = self.output.exists();
        let (act, names) = (if is_replacing { "replaced" } else { "built" }, change.names());
        let written = change.commit_after(builder, act, |header, pages| {
            let is_recorded = self.for_distribution.is_some();
            let record = || Record::new("filterctl build", (header, pages), names).write(&self.output);
            if is_recorded { record() } else { Ok(()) }
        })?;
        self.reporting.print(&Built::new(&self.output, written))
    }

    /// A filter of digests alone, of which nothing but their number decides the size.
    fn may_be_read_once(&self, plan: &Plan) -> bool {
        plan.like.is_none() && self.counts.is_none() && plan.build.spec.kind != Kind::Words
    }

    fn open(&self, plan: &Plan, progress: &Progress) -> Result<Vec<WordList>, InputError> {
        let kind = plan.build.spec.kind;
        if self.may_be_read_once(plan) && self.capacity.is_some() {
            return self.input.open_once(self.names(), kind, progress);
        }
        self.input.open(self.names(), kind, progress)
    }

    fn fill(&self, plan: &Plan, change: &mut Change<'_>) -> Result<Builder, Failure> {
        let findings = change.survey(plan.build.survey())?;
        let mut builder = plan.builder(&findings).map_err(|e| change.failure(e))?;
        change.count_for(builder.header(), self.min_count)?;
        change.fill(&mut builder)?;
        self.check_room(plan, &mut builder)?;
        Ok(builder)
    }

    fn plan(&self) -> Result<Plan, Failure> {
        let (min_count, threads) = (self.min_count, self.jobs.threads());
        if let Some(like) = &self.like {
            let header = change::open(like)?.header().clone();
            let build = Build { min_count, threads, ..Build::of(&header) };
            return Ok(Plan { build, like: Some(header) });
        }
        let spec = self.shape.spec(&self.sizing)?;
        let is_reproducible = self.key.is_some() || self.for_distribution.is_some();
        let created = if is_reproducible { 0 } else { now() };
        let new = Build::new(spec, self.key_or_random()?);
        let build = Build { capacity: self.capacity, created, min_count, threads, ..new };
        Ok(Plan { build, like: None })
    }

    /// A filter of a size that was not chosen for these lists may be too small for them.
    fn check_room(&self, plan: &Plan, builder: &mut Builder) -> Result<(), Failure> {
        if plan.like.is_none() || builder.keeps_rate() {
            return Ok(());
        }
        let (words, room) = (builder.header().words, builder.header().capacity);
        Err(Failure::plain(format!(
            "cannot build {}: {words} words do not fit into a filter that has room for {room}; rebuild the \
             filter given with --like, with a larger --capacity",
            self.output.display()
        )))
    }

    fn key_or_random(&self) -> Result<Key, Failure> {
        if let Some(file) = &self.for_distribution {
            return kept_key(file);
        }
        match &self.key {
            Some(key) => Ok(key.clone()),
            None => Key::random().map_err(|e| Failure::plain(format!("cannot choose a key: {e}"))),
        }
    }

    fn names(&self) -> impl Iterator<Item = ListName> {
        let built_in = self.common.then_some(ListName::BuiltIn);
        built_in.into_iter().chain(self.lists.iter().cloned().map(ListName::Path))
    }
}

/// The key in this file; where there is none, a random one that is written to it.
fn kept_key(file: &Path) -> Result<Key, Failure> {
    let file = paths::real(file);
    match read_trusted(&file, 128) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            key(text.trim()).map_err(|error| Failure::plain(format!("{}: {error}", file.display())))
        }
        Err(error) if error.is_missing() => {
            let key = Key::random().map_err(|e| Failure::plain(format!("cannot choose a key: {e}")))?;
            let text: String = key.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            let unwritable = |e: StorageError| Failure::new("cannot write the key", e);
            let mut new = Replacement::create(&file, Access::Private).map_err(unwritable)?;
            new.write(format!("{text}\n").as_bytes()).and_then(|()| new.commit()).map_err(unwritable)?;
            Ok(key)
        }
        Err(error) => Err(Failure::new("cannot read the key", error)),
    }
}

impl Plan {
    fn builder(&self, findings: &Findings) -> Result<Builder, BuildError> {
        let Some(header) = &self.like else { return self.build.builder(findings) };
        let mut builder = self.build.like(header, findings)?;
        builder.date(now());
        Ok(builder)
    }
}

/// What was built from what.
#[derive(Serialize)]
struct Built {
    file: String,
    #[serde(flatten)]
    facts: Facts,
    lists: Vec<Tally>,
}

impl Built {
    fn new(output: &Path, written: Written) -> Built {
        Built { file: output.display().to_string(), facts: written.facts(), lists: written.lists }
    }
}

impl Report for Built {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", printable(&self.file))?;
        self.facts.write_text(out)?;
        self.lists.iter().try_for_each(|list| list.write_text(out))
    }
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
}
