//! `filterctl plan`: predicts the size of a filter and the time to build it, without a list.
//!
//! Size and probes are the builder's: they come from the same calculation in the library, for the entries and
//! the strings derived from them.

mod cost;
mod text;

use nearmiss_cli::{
    exit::Exit,
    failure::{Failure, Outcome},
    keys,
};
use nearmiss_filters::{
    dictionary::{
        Spec,
        sizing::{Counts, Demand, Geometry, MAX_USEFUL_RATE, group_bits_for, rounded},
    },
    format::{Kind, SchemeId},
    page::PAGE_BYTES,
};
use serde::Serialize;

use self::cost::{READ_BYTES_PER_SECOND, build_seconds, derived_strings, list_bytes};
use crate::{
    filter_file::sizing::{ByHand, Shape, Sizing},
    flags::jobs::Jobs,
    report,
};

const AFTER: &str = "\
Basis of the numbers:
  Size and rate: the calculation of filterctl build, for words of the mean length.
  Memory: the filter and the buffers of each thread. Time: processor time measured on
  a 2 GHz server, and lists read at 500 MB a second.

Exit status:
  0  the size is printed
  2  error; no filter can meet these options

Examples:
  filterctl plan --entries 1e9 --false-rejection 0.01 --kind sha1 --no-variants
  filterctl plan --entries 2e6 --deletion-bits 0 --mean-length 9.5
  filterctl plan --entries 1e6 --match exact --bits 14400000 --probes 10 --no-variants";

/// Memory that a build of sorted digests needs in addition to a group of pages: the beginning of the list,
/// blocks of lines, their hashes.
const IN_ORDER_BYTES: u64 = 24 << 20;

/// Buffers of a thread: the survey's distinct hashes, a block of lines and its strings.
const THREAD_BYTES: u64 = 40 << 20;

/// Predicts the size of a filter, and the memory and the time to build it.
#[derive(clap::Args)]
#[command(after_long_help = AFTER)]
pub(crate) struct Args {
    /// Distinct words or digests, as 1000000 or 1e6.
    #[arg(long, value_name = "N", value_parser = entries)]
    entries: u64,
    #[command(flatten)]
    shape: Shape,
    #[command(flatten)]
    sizing: Sizing,
    #[command(flatten)]
    by_hand: ByHand,
    /// Characters of a word, on average.
    #[arg(long, value_name = "L", default_value_t = 8.5, value_parser = mean_length)]
    mean_length: f64,
    /// Different characters in all words.
    #[arg(long, value_name = "N", default_value_t = 70)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65_536))]
    symbols: u32,
    #[command(flatten)]
    jobs: Jobs,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

fn entries(text: &str) -> Result<u64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (1.0..=1e15).contains(number));
    number.map(rounded).ok_or_else(|| "expected a number from 1 to 1e15".to_owned())
}

fn mean_length(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (1.0..=255.0).contains(number));
    number.ok_or_else(|| "expected a number from 1 to 255".to_owned())
}

impl Args {
    /// Plans the filter.
    ///
    /// # Errors
    /// No filter keeps the rate, or near matches of digests are requested.
    pub(crate) fn run(&self) -> Outcome {
        let spec = self.shape.spec(&self.sizing)?;
        let by_hand = self.by_hand.geometry(&spec)?;
        let plan = FilterPlan::new(self, &spec, by_hand).ok_or_else(|| {
            Failure::plain(
                keys::RATE_UNREACHABLE,
                "no filter keeps this rate for so many entries; choose a higher --false-rejection",
            )
        })?;
        report::print(&plan, self.json)?;
        Ok(Exit::Done)
    }
}

/// A filter that might be built.
#[derive(Serialize)]
struct FilterPlan {
    kind: &'static str,
    #[serde(rename = "match")]
    matching: &'static str,
    scheme: &'static str,
    entries: u64,
    derived_strings: u64,
    pages: u64,
    word_bits: u8,
    deletion_bits: u8,
    false_rejection: f64,
    expected_false_rejection: f64,
    expected_rate_per_lookup: f64,
    is_useless: bool,
    rate_characters: u16,
    rate_lookups: u16,
    file_bytes: u64,
    bits_per_entry: f64,
    memory_bytes: u64,
    threads: usize,
    build_seconds: f64,
    list_bytes: u64,
    reading_seconds: f64,
    /// The same digests from a list that is in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_order: Option<InOrderPlan>,
}

/// A filter of digests that is written group by group.
#[derive(Serialize)]
struct InOrderPlan {
    group_bits: u8,
    file_bytes: u64,
    memory_bytes: u64,
}

impl InOrderPlan {
    /// None for a filter without groups: of words, of few digests, or of a size chosen by hand.
    fn new(kind: Kind, entries: u64, demand: &Demand) -> Option<InOrderPlan> {
        let group_bits = group_bits_for(entries);
        if kind == Kind::Words || group_bits == 0 {
            return None;
        }
        let pages = demand.grouped_geometry(entries, group_bits)?.pages;
        let bytes = |pages: u64| pages.saturating_mul(PAGE_BYTES as u64);
        let memory_bytes = IN_ORDER_BYTES.saturating_add(bytes(pages.div_ceil(1 << group_bits)));
        Some(InOrderPlan { group_bits, file_bytes: bytes(pages.saturating_add(1)), memory_bytes })
    }
}

impl FilterPlan {
    fn new(args: &Args, spec: &Spec, by_hand: Option<Geometry>) -> Option<FilterPlan> {
        let scheme = spec.effective_scheme();
        let symbols = if scheme == SchemeId::Deletions { args.symbols as usize } else { 0 };
        let (deletion_bits, stated) = (spec.deletion_bits, spec.stated);
        let demand = Demand { scheme, deletion_bits, stated, symbols };
        let derived = derived_strings(scheme, args.entries, args.mean_length);
        let counts = match scheme {
            SchemeId::Paper => Counts { words: derived, extension: 0 },
            _ => Counts { words: args.entries, extension: derived },
        };
        let geometry = by_hand.or_else(|| demand.geometry(counts))?;
        let expected = demand.expected_rate(counts, geometry);
        let most = if by_hand.is_some() { expected } else { stated.false_rejection };
        let file_bytes = geometry.pages.saturating_add(1).saturating_mul(PAGE_BYTES as u64);
        let (threads, kind) = (args.jobs.threads(), spec.kind);
        let (list_bytes, passes) = list_bytes(kind, args.entries, args.mean_length);
        let stored = if scheme == SchemeId::Deletions && deletion_bits == 0 { 0 } else { derived };
        Some(FilterPlan {
            kind: kind.name(),
            matching: spec.matching.name(),
            scheme: scheme.name(),
            entries: args.entries,
            derived_strings: derived,
            pages: geometry.pages,
            word_bits: geometry.word_bits,
            deletion_bits: geometry.deletion_bits,
            false_rejection: most,
            expected_false_rejection: expected,
            expected_rate_per_lookup: demand.expected_lookup_rate(counts, geometry),
            is_useless: most > MAX_USEFUL_RATE,
            rate_characters: stated.characters,
            rate_lookups: stated.lookups,
            file_bytes,
            bits_per_entry: file_bytes as f64 * 8.0 / args.entries as f64,
            memory_bytes: file_bytes.saturating_add(THREAD_BYTES.saturating_mul(threads as u64)),
            threads,
            build_seconds: build_seconds(kind, args.entries, stored, file_bytes) / threads as f64,
            list_bytes,
            reading_seconds: list_bytes as f64 * passes / READ_BYTES_PER_SECOND,
            in_order: by_hand.is_none().then(|| InOrderPlan::new(kind, args.entries, &demand)).flatten(),
        })
    }
}
