//! `filterctl plan`: predicts the size of a filter and the time to build it, without a list.
//!
//! Size and probes are the builder's: they come from the same calculation in the library, for the entries and
//! the strings derived from them. A word of *d* characters has *d* − 0.6 deletions on average that no other
//! word has at the same position (measured on four lists: between *d* − 0.50 and *d* − 0.83), and 2*d* + 1
//! strings of the paper's extension.
//!
//! The time is processor time over threads, from builds of a million words and four million digests on one
//! core of a busy 2 GHz-class server, with the bits in the caches (a small filter) and outside them (one with
//! room for twenty million words, for a billion digests), plus the time to read the lists from a disk in each
//! pass.

use std::io::{self, Write};

use indicatif::{BinaryBytes, HumanDuration};
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

use crate::{
    filter_file::sizing::{ByHand, Shape, Sizing},
    flags::jobs::Jobs,
    report::{self, Report, counted, digits},
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

/// Nanoseconds of one core to read, check and hash a line, in both passes together: a word, a digest.
const LINE_NANOSECONDS: (f64, f64) = (240.0, 310.0);

/// Nanoseconds of one core to make, hash and set a derived string.
const STRING_NANOSECONDS: f64 = 170.0;

/// Nanoseconds more to set the bits of an entry or a derived string in a filter that is larger than the
/// caches: 90 for digests, 180 for words.
const FAR_NANOSECONDS: f64 = 130.0;

/// Nanoseconds for each byte of the filter to allocate and to write it.
const BYTE_NANOSECONDS: f64 = 3.0;

/// A filter up to this size lies in the caches.
const NEAR_BYTES: u64 = 32 << 20;

/// The bytes that a disk or a file system delivers in a second.
const READ_BYTES_PER_SECOND: f64 = 500e6;

/// Memory that a build of sorted digests needs in addition to a group of pages: the beginning of the list,
/// blocks of lines, their hashes.
const IN_ORDER_BYTES: u64 = 24 << 20;

/// Buffers of a thread: the survey's distinct hashes, a block of lines and its strings.
const THREAD_BYTES: u64 = 40 << 20;

/// Bytes of a line in addition to its word or the digits of its digest: line end, colon, count.
const LINE_EXTRA: (f64, f64) = (1.0, 4.0);

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

/// The average number of a word's deletions that other words have at the same position: see above.
const SHARED_DELETIONS: f64 = 0.6;

fn derived_strings(scheme: SchemeId, entries: u64, mean_length: f64) -> u64 {
    let of_each = match scheme {
        SchemeId::Whole => 0.0,
        SchemeId::Deletions => mean_length - SHARED_DELETIONS,
        SchemeId::Paper => 2.0 * mean_length + 1.0,
    };
    rounded(entries as f64 * of_each)
}

/// The lists' bytes, and the number of passes over them: one more for words, to find their encoding.
fn list_bytes(kind: Kind, entries: u64, mean_length: f64) -> (u64, f64) {
    let (word_extra, digest_extra) = LINE_EXTRA;
    let (line, passes) = match kind {
        Kind::Words => (mean_length + word_extra, 3.0),
        Kind::Sha1 => (40.0 + digest_extra, 2.0),
        Kind::Ntlm => (32.0 + digest_extra, 2.0),
    };
    (rounded(entries as f64 * line), passes)
}

/// Seconds of one core.
fn build_seconds(kind: Kind, entries: u64, derived: u64, file_bytes: u64) -> f64 {
    let (word, digest) = LINE_NANOSECONDS;
    let line = if kind == Kind::Words { word } else { digest };
    let far = if file_bytes > NEAR_BYTES { FAR_NANOSECONDS } else { 0.0 };
    let (entries, strings) = (entries as f64, derived as f64);
    let bytes = file_bytes as f64 * BYTE_NANOSECONDS;
    (entries * (line + far) + strings * (STRING_NANOSECONDS + far) + bytes) * 1e-9
}

impl Report for FilterPlan {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let entry = match self.kind {
            "sha1" => "SHA-1 digest",
            "ntlm" => "NTLM digest",
            _ => "word",
        };
        write!(out, "  holds           {}", counted(self.entries, entry))?;
        if self.derived_strings > 0 {
            write!(out, ", {} derived from them", counted(self.derived_strings, "string"))?;
        }
        writeln!(out)?;
        writeln!(
            out,
            "  size            {} ({} bytes), {} bits for each of them",
            BinaryBytes(self.file_bytes),
            self.file_bytes,
            digits(self.bits_per_entry)
        )?;
        writeln!(out, "  kind            {}, {} match, scheme {}", self.kind, self.matching, self.scheme)?;
        writeln!(
            out,
            "  layers          {} of 4 KiB; {} bits a word, {} a deletion",
            counted(self.pages, "page"),
            self.word_bits,
            self.deletion_bits
        )?;
        writeln!(
            out,
            "  rate            false rejections: at most {} of passwords of {} characters, {} each",
            digits(self.false_rejection),
            self.rate_characters,
            counted(self.rate_lookups.into(), "lookup")
        )?;
        writeln!(
            out,
            "                  false positives: {} of single lookups",
            digits(self.expected_rate_per_lookup)
        )?;
        if self.is_useless {
            writeln!(
                out,
                "  USELESS         rejects too many good passwords; plan more bits, or --no-variants for a \
                 policy whose variants and rules for structure are off"
            )?;
        }
        writeln!(out, "  memory          {} to build it", BinaryBytes(self.memory_bytes))?;
        writeln!(
            out,
            "  time            {} on {}, and {} to read lists of {}",
            duration(self.build_seconds),
            counted(self.threads as u64, "thread"),
            duration(self.reading_seconds),
            BinaryBytes(self.list_bytes)
        )?;
        let Some(in_order) = &self.in_order else { return Ok(()) };
        writeln!(
            out,
            "  in order        {} ({} bytes) and {} of memory from a list in ascending order; {} group bits",
            BinaryBytes(in_order.file_bytes),
            in_order.file_bytes,
            BinaryBytes(in_order.memory_bytes),
            in_order.group_bits
        )
    }
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 {
        return "less than a second".to_owned();
    }
    HumanDuration(std::time::Duration::from_secs(rounded(seconds))).to_string()
}
