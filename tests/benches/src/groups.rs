//! Filters of digests in the order of their first bits, beside the ones without groups: a folder of ranges by
//! `filterctl build`, digests from a generator in this process, and lookups.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use nearmiss_filters::{
    dictionary::{DictionaryFilter, builder::Findings, sizing::group_bits_for},
    format,
    list::LineCounts,
    page::Page,
};

use crate::{
    child,
    generated::{build_of, digest},
    harness::{Contender, median, race},
    pipe,
    random::Random,
    report::{Target, bytes, duration, line, section},
    work::Work,
};

/// The folder: files of ranges, spread evenly over all, and digests in each.
const RANGES: u64 = 4096;
const OF_RANGE: u64 = 2000;

/// Builds of either kind, in turn.
const TURNS: usize = 3;

/// Digests of the generator, fewest first: the time of one is compared with the first.
const GENERATED: [u64; 3] = [10_000_000, 100_000_000, 1_000_000_000];

/// Digests of the filters that are asked, and questions.
const ASKED: u64 = 4_000_000;
const QUESTIONS: usize = 20_000;

/// MiB that a builder may take, whatever the size.
const MAX_MIB: f64 = 64.0;

/// Runs the measure.
pub fn run(work: &Work) {
    of_a_folder(work);
    generated(work);
    lookups();
}

fn of_a_folder(work: &Work) {
    section("filterctl build of 4,096 ranges of 2,000 SHA-1 digests, one thread, groups beside none");
    let (folder, filter) = (work.path("ranges"), work.path("ranges.filter"));
    write_ranges(&folder);
    let (mut seconds, mut peaks) = ([const { Vec::new() }; 2], [0.0_f64; 2]);
    for _ in 0..TURNS {
        for (at, options) in [&[][..], &["--group-bits", "0"]].iter().enumerate() {
            let mut builder = Command::new(work.path("bin/filterctl"));
            builder.args(["build", "--quiet", "--jobs", "1", "--kind", "sha1"]).args(*options);
            builder.arg("--output").args([&filter, &folder]).stdout(Stdio::null());
            let seen = pipe::watch(&mut builder.spawn().expect("filterctl, which bench.sh builds"));
            seconds[at].push(seen.seconds);
            peaks[at] = peaks[at].max(seen.peak);
        }
    }
    fs::remove_file(&filter).expect("the folder of the run");
    let [grouped, plain] = seconds.map(median);
    let against = duration(plain * 1e9);
    line("groups ÷ none", &duration(grouped * 1e9), &against, grouped / plain, Target::AtMost(0.25));
    let [grouped, plain] = peaks;
    let mib = grouped / f64::from(1 << 20);
    line("peak of memory, MiB", &bytes(grouped), &bytes(plain), mib, Target::AtMost(MAX_MIB));
}

/// Every so many of the 1,048,576 ranges.
fn write_ranges(folder: &Path) {
    fs::create_dir_all(folder).expect("the folder of the run");
    let mut random = Random::new(1);
    for range in 0..RANGES {
        let suffix = |random: &mut Random| {
            let hex = format!("{:016X}{:016X}{:016X}", random.next(), random.next(), random.next());
            format!("{}:{}", &hex[..35], 1 + random.next() % 300)
        };
        let lines: Vec<String> = (0..OF_RANGE).map(|_| suffix(&mut random)).collect();
        let name = format!("{:05X}", range * ((1 << 20) / RANGES));
        fs::write(folder.join(name), lines.join("\r\n")).expect("the folder of the run");
    }
}

fn generated(work: &Work) {
    section("digests from a generator in process, one thread (processor time a digest)");
    let mut first = None;
    for count in GENERATED {
        let [nanoseconds, peak] = child::groups(work, count);
        let of_first = *first.get_or_insert(nanoseconds);
        let name = format!("{} M, ÷ 10 M", count / 1_000_000);
        let ratio = nanoseconds / of_first;
        line(&name, &duration(nanoseconds), &duration(of_first), ratio, Target::AtMost(1.1));
        let mib = peak / f64::from(1 << 20);
        line("peak of memory, MiB", &bytes(peak), "", mib, Target::AtMost(MAX_MIB));
    }
}

fn lookups() {
    section("lookups in 4 M SHA-1 digests, warm, groups beside none (processor time)");
    let step = u64::MAX / ASKED;
    let filters = [group_bits_for(ASKED), 0].map(|group_bits| filter(group_bits, step));
    let mut random = Random::new(9);
    let hits: Vec<[u8; 20]> = (0..QUESTIONS).map(|_| digest(random.next() % ASKED, step)).collect();
    let misses: Vec<[u8; 20]> = (0..QUESTIONS).map(|_| digest(random.next() >> 2, 3)).collect();
    for (kind, questions) in [("hit", &hits), ("miss", &misses)] {
        let ask = |filter: &DictionaryFilter<Vec<u8>>, entry: &[u8; 20]| {
            filter.contains_entry(entry).expect("a filter in memory")
        };
        let [grouped, plain] = &filters;
        let mut contenders = [
            Contender::each("groups", questions, |entry| ask(grouped, entry)),
            Contender::each("none", questions, |entry| ask(plain, entry)),
        ];
        let times = race(&mut contenders);
        let [ours, against] = [duration(times[0]), duration(times[1])];
        line(kind, &ours, &against, times[0] / times[1], Target::AtMost(1.05));
    }
}

/// A filter in memory, with groups or without.
fn filter(group_bits: u8, step: u64) -> DictionaryFilter<Vec<u8>> {
    let build = build_of(group_bits);
    let text = |from: u64, to: u64| -> Vec<u8> {
        let hex = |number| digest(number, step).iter().map(|byte| format!("{byte:02X}")).collect::<String>();
        (from..to).flat_map(|number| (hex(number) + "\n").into_bytes()).collect()
    };
    let blocks = || (0..ASKED).step_by(50_000).map(|from| text(from, (from + 50_000).min(ASKED)));
    let Some(mut filter) = build.in_order(ASKED).expect("a geometry") else {
        let findings = Findings { words: ASKED, lengths: (20, 20), ..Findings::default() };
        let mut builder = build.builder(&findings).expect("a geometry");
        blocks().for_each(|block| _ = builder.insert_block(&block));
        return DictionaryFilter::from_bytes(builder.finish_to_bytes()).expect("a filter");
    };
    let mut pages = Vec::<Page>::new();
    let mut write = |written: &[Page]| {
        pages.extend_from_slice(written);
        Ok(())
    };
    for block in blocks() {
        filter.insert_block(&block, &mut write).expect("even groups");
    }
    let header = filter.finish(&LineCounts::default(), &mut write).expect("even groups");
    let bytes = [format::encode(&header).as_slice(), pages.as_flattened()].concat();
    DictionaryFilter::from_bytes(bytes).expect("a filter")
}
