//! `filterctl build`: builds a dictionary filter from word lists. `plan` decides on the filter and on the way
//! to build it, `key` chooses the hash key, `report` prints the result.

mod key;
mod plan;
mod report;

use std::path::{Path, PathBuf};

use clap::{
    ArgGroup,
    builder::{RangedU64ValueParser, TypedValueParser},
};
use nearmiss_cli::{
    access::NewAccess,
    failure::{Failure, Outcome, warn},
    input::{BUILT_IN, EVERYDAY, InputError, ListName, RANKED, WordList},
    keys,
    progress::Progress,
};
use nearmiss_filters::{
    dictionary::{builder::Builder, ranks::Ranks},
    format::{Kind, MAX_GROUP_BITS, SchemeId},
    hash::Key,
};
use nearmiss_policy::config::DEFAULT_PATH;

use self::{
    plan::{BuildPlan, Method},
    report::BuildReport,
};
use crate::{
    configuration::warn_of_crowding,
    filter_file::{
        change::{FilterChange, Target, Written},
        orphans::{outside_updates, remove_ranks, warn_of_counts},
        provenance::{self, Provenance},
        replaceable::{FileKind, refuse_same, with_files_beside},
        sizing::{ByHand, Shape, Sizing},
        update_state::{self, UpdateState},
        watched::Watched,
    },
    flags::{
        input::{Input, ListsOf, WordForms},
        jobs::Jobs,
        output::Output,
    },
};

const AFTER: &str = "\
Lists:
  Words in most forms that people publish: one a line, with counts or ranks, CSV and
  TSV, JSON, hunspell's .dic with the .aff beside it, potfiles, user:password,
  $HEX[...]; in any charset, plain or compressed with gzip, zstd or xz, whatever the
  name; '-' is standard input. The report shows how each list was read and some of its
  words, which were looked up in the finished filter. If a list was read wrongly, pass
  --form, --columns or --charset. A list that can be read in two ways is refused. So is
  a list of texts that nobody types: hashes, base64, source code. --form plain takes
  each line as a word. If more than 1 % of the lines, entries or JSON elements contain
  no word, a warning is printed; if more than 10 %, the list is refused, unless
  --columns names the field of JSON, such as login.password in a nested object.
  Digests: one per line with an optional :COUNT; if more than 1 % of the lines are
  malformed, the list is refused. Or a folder, or a tree of folders, of range files
  named by the first 5 digits, with the rest of each digest on its lines; --partial
  accepts a folder that lacks ranges.

Exit status:
  0  the filter is written
  2  error; an earlier filter is untouched

Examples:
  filterctl build --common --output common.filter
  filterctl build --output words.filter /usr/share/dict/words site-words.txt.gz
  zcat leaked.gz | filterctl build --match exact --output leaked.filter -
  filterctl build --match exact --output german.filter /usr/share/hunspell/de_DE.dic
  filterctl build --columns password --match exact --output site.filter export.csv
  filterctl build --top 1000000 --match exact --output most.filter most-common.txt
  filterctl build --bits 14400000 --probes 10 --match exact --output million.filter list
  filterctl build --empty --match exact --capacity 100000 --output site.filter
  filterctl build --kind sha1 --min-count 10 --output pwned.filter ranges/
  zstdcat pwned.zst | filterctl build --kind sha1 --output pwned.filter -
  filterctl build --kind sha1 --logins --output pwned.filter ranges/";

/// Builds a dictionary filter from word lists.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
#[command(group = ArgGroup::new("content").args(CONTENT).required(true).multiple(true))]
pub(crate) struct Args {
    /// The filter to write; an older one is replaced in one step.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Begin with the built-in list: 56,000 common passwords, 89,000 English words and 45,000 others.
    #[arg(long)]
    common: bool,
    /// Begin with the built-in lists of everyday words and names of many languages and of further common
    /// passwords, which are meant for --match exact.
    #[arg(long)]
    everyday: bool,
    #[command(flatten)]
    shape: Shape,
    /// Leave out digests with a smaller count; the default 1 leaves out only the entries with count 0, which
    /// pad ranges.
    #[arg(long, value_name = "N")]
    min_count: Option<u64>,
    #[command(flatten)]
    sizing: Sizing,
    #[command(flatten)]
    by_hand: ByHand,
    /// Use only the N most common words of all lists together: the words with the highest counts (--columns
    /// count,word, counts in JSON, and digests) or the lowest ranks, else the first N, as the report says;
    /// refused where several columns may have the counts, or where only some lists have counts. For a near
    /// filter, their order is stored in FILTER.ranks, for suggestions.
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    top: Option<usize>,
    /// Build the filter without words, for --match exact; up to --capacity words can be added later.
    #[arg(long, requires = "capacity", conflicts_with_all = ["lists", "common", "everyday", "top", "like"])]
    empty: bool,
    /// Leave room for this many words, including later additions.
    #[arg(long, value_name = "N")]
    capacity: Option<u64>,
    /// Store digests in 2^N groups of pages by their first N bits, so that only one group is in memory at a
    /// time. Needs one list in ascending order, or a folder of range files. Default: a suitable number of
    /// bits for a sorted list of a million digests or more, 0 for any other list.
    #[arg(long, value_name = "N", value_parser = group_bits())]
    #[arg(conflicts_with_all = GROUPS_EXCLUDE)]
    group_bits: Option<u8>,
    /// Use this hash key, 32 hexadecimal digits, instead of a random one: the same lists then give the same
    /// file, which records no date.
    #[arg(long, value_name = "HEX32", value_parser = key::parse)]
    key: Option<Key>,
    /// Read the hash key from this file; if the file does not exist, choose a random key and write it there.
    /// For filters that are distributed: the same lists then give the same file. The names of the lists are
    /// written to OUTPUT.sources, which filterctl info shows.
    #[arg(long, value_name = "KEYFILE", conflicts_with_all = ["key", "like"])]
    for_distribution: Option<PathBuf>,
    /// Copy kind, key, size and rate from this filter, so that the two can be united.
    #[arg(long, value_name = "FILTER", conflicts_with_all = LIKE_DECIDES)]
    like: Option<PathBuf>,
    /// Also write counts to this file, so that filterctl remove can remove words. The file is four times as
    /// large as the filter.
    #[arg(long, value_name = "FILE")]
    counts: Option<PathBuf>,
    #[command(flatten)]
    access: NewAccess,
    #[command(flatten)]
    forms: WordForms,
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    jobs: Jobs,
    #[command(flatten)]
    reporting: Output,
    /// Word lists.
    #[arg(value_name = "LIST")]
    lists: Vec<PathBuf>,
}

/// The options and arguments of which a build needs one.
const CONTENT: [&str; 4] = ["lists", "common", "everyday", "empty"];

/// The options that a filter written group by group cannot have.
const GROUPS_EXCLUDE: [&str; 8] =
    ["common", "everyday", "top", "empty", "like", "counts", "for_distribution", "bits"];

/// The settings that a filter copies from the one named by `--like`.
const LIKE_DECIDES: [&str; 12] = [
    "kind",
    "matching",
    "scheme",
    "logins",
    "deletion_bits",
    "false_rejection",
    "characters",
    "no_variants",
    "capacity",
    "key",
    "bits",
    "probes",
];

fn group_bits() -> impl TypedValueParser<Value = u8> {
    clap::value_parser!(u8).range(0..=i64::from(MAX_GROUP_BITS))
}

impl Args {
    /// Builds the filter.
    ///
    /// # Errors
    /// A list cannot be read or is not a word list, no filter keeps the rate, the filter cannot be written.
    pub(crate) fn run(&self) -> Outcome {
        Watched::new(&self.output).told(outside_updates(&self.output, || self.build()))
    }

    fn build(&self) -> Outcome {
        self.refuse_outputs()?;
        let (plan, progress) = (self.plan()?, self.reporting.progress());
        let min_count = ("--min-count", self.min_count.is_some(), ListsOf::Digests);
        self.input.refuse_useless(plan.build.spec.kind, &[min_count, self.forms.flag()])?;
        let method = self.method(&plan)?;
        let (counts, access) = (self.counts.as_deref(), &self.access);
        let target = Target { act: "build", file: &self.output, counts, access };
        let lists = self.open(method, plan.build.spec.kind, &progress).map_err(|e| target.failure(e))?;
        let mut change = FilterChange::begin(target, lists, &progress)?;
        if method == Method::InOrder {
            if let Some(header) = change.write_in_order(&plan.build, self.group_bits)? {
                let written =
                    UpdateState::forgotten(&self.output, || change.commit_in_order(header, self.act()))?;
                return self.conclude(written, None, None);
            }
            change.keep_lists()?;
        }
        self.in_two_passes(&plan, change)
    }

    /// Refuses outputs that are one file, and other files in the places of those beside the filter.
    fn refuse_outputs(&self) -> Result<(), Failure> {
        let named = [&self.counts, &self.for_distribution].into_iter().flatten().cloned();
        refuse_same(with_files_beside(&self.output).chain(named))?;
        if self.for_distribution.is_some() {
            FileKind::Record.refuse_other_files(&provenance::path_for(&self.output))?;
        }
        if self.top.is_some() {
            FileKind::Ranks.refuse_other_files(&Ranks::path_beside(&self.output))?;
        }
        FileKind::Record.refuse_other_files(&update_state::path_for(&self.output))
    }

    /// Surveys the lists, fills the filter, and writes it with the files beside it.
    fn in_two_passes(&self, plan: &BuildPlan, mut change: FilterChange<'_>) -> Outcome {
        let lines = plan.build.lines();
        let top = self.top.map(|most| change.keep_most_common(most, lines)).transpose()?;
        let builder = self.survey_and_fill(plan, &mut change)?;
        // Suggestions need the ranks of a filter that can name its near words, and of no other.
        let is_ranked = self.top.is_some() && builder.header().scheme == SchemeId::Deletions;
        let ranks = is_ranked.then(|| change.ranks(builder.header().key.clone(), lines)).transpose()?;
        let ranks = ranks.map(|ranks| change.keep_ranks(&ranks)).transpose()?;
        let names = change.names();
        let written = UpdateState::forgotten(&self.output, || {
            change.commit_recorded(builder, self.act(), |header, pages| {
                let is_recorded = self.for_distribution.is_some();
                is_recorded.then(|| Provenance::new("filterctl build", (header, pages), names))
            })
        })?;
        self.conclude(written, ranks, top)
    }

    /// The act on the filter, for the log.
    fn act(&self) -> &'static str {
        if self.output.exists() { "replaced" } else { "built" }
    }

    /// Warns about properties of the written filter; `top` says whether counts decided on the most common.
    fn conclude(&self, written: Written, ranks: Option<PathBuf>, top: Option<bool>) -> Outcome {
        warn_of_crowding(&self.output, &written.header, Path::new(DEFAULT_PATH));
        warn_of_counts(&self.output, self.counts.as_deref());
        if ranks.is_none() {
            remove_ranks(&self.output, &written.header);
        }
        let facts = written.facts();
        if self.empty {
            let file = self.output.display();
            warn(
                keys::FILTER_EMPTY,
                &format!("{file}: contains no words yet, and rejects nothing; add words with filterctl add"),
            );
        }
        if facts.is_useless() {
            warn(keys::FILTER_ACCIDENTS, &format!("{}: {}", self.output.display(), facts.uselessness()));
        }
        self.reporting.print(&BuildReport::new(&self.output, ranks, top, written))
    }

    fn open(&self, method: Method, kind: Kind, progress: &Progress) -> Result<Vec<WordList>, InputError> {
        match method {
            Method::InOrder => self.input.open_once(self.names(), kind, progress),
            Method::TwoPasses => self.input.open(self.names(), kind, progress),
        }
    }

    fn survey_and_fill(&self, plan: &BuildPlan, change: &mut FilterChange<'_>) -> Result<Builder, Failure> {
        let findings = match change.count_ranges(&plan.build)? {
            Some(findings) => findings,
            None => change.survey(&plan.build)?,
        };
        let mut builder = plan.builder(&findings).map_err(|e| change.failure(e))?;
        change.count_for(builder.header())?;
        change.insert_lists(&mut builder)?;
        self.check_room(plan, &mut builder)?;
        Ok(builder)
    }

    fn names(&self) -> impl Iterator<Item = ListName> {
        let common = self.common.then_some(ListName::Embedded(&BUILT_IN));
        let everyday = self.everyday.then_some([&EVERYDAY, &RANKED]).into_iter().flatten();
        let lists = self.lists.iter().cloned().map(ListName::Path);
        common.into_iter().chain(everyday.map(ListName::Embedded)).chain(lists)
    }
}
