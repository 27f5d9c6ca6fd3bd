//! Work done in a process of its own, so that its peak memory can be measured: builds of each kind from a
//! list file.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::Command,
    time::Instant,
};

use nearmiss_filters::{
    dictionary::{Build, Spec},
    format::{Kind, SchemeId},
};

use crate::{digests, generated, near, ours, peers, work::Work};

/// What a child measured.
#[derive(Clone, Copy)]
pub struct Measured {
    pub seconds: f64,
    /// Peak resident bytes of the process.
    pub peak: f64,
    /// Bytes of what was built.
    pub bytes: f64,
}

/// Builds `kind` from a list on `threads` threads in a child process.
pub fn resident(work: &Work, kind: &str, threads: usize, list: &Path) -> Measured {
    let [seconds, peak, bytes] = figures(work, &[kind, &threads.to_string(), &list.to_string_lossy()]);
    Measured { seconds, peak, bytes }
}

/// What a build of synthetic digests took.
#[derive(Clone, Copy)]
pub struct Passes {
    /// Seconds of the first pass, and of the second with the end.
    pub seconds: [f64; 2],
    /// Peak resident bytes of the process, which holds one block of lines besides.
    pub peak: f64,
    /// Bytes of what was built.
    pub bytes: f64,
}

/// Builds the filter of `count` digests on two threads in a child process.
pub fn digests(work: &Work, count: u64) -> Passes {
    let [survey, insertion, peak, bytes] = figures(work, &["digests", "2", &count.to_string()]);
    Passes { seconds: [survey, insertion], peak, bytes }
}

/// The figures that a child prints.
fn figures<const N: usize>(work: &Work, arguments: &[&str]) -> [f64; N] {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.arg("child").args(arguments).current_dir(work.path("."));
    let answer = peers::output(&mut command, b"").expect("a child");
    let figures: Vec<f64> = answer.split_whitespace().map(|text| text.parse().expect("a figure")).collect();
    figures.try_into().expect("all figures")
}

/// Builds a filter in groups of this many generated digests in a process of its own: nanoseconds of processor
/// time a digest, and the most resident bytes.
pub fn groups(work: &Work, count: u64) -> [f64; 2] {
    figures(work, &["groups", "1", &count.to_string()])
}

/// The child's part: `KIND THREADS LIST`, or `digests THREADS COUNT`.
pub fn run(arguments: &[String]) {
    let [kind, threads, list] = arguments else { panic!("child KIND THREADS LIST") };
    let threads = threads.parse().expect("a number");
    if kind == "digests" {
        return of_digests(list.parse().expect("a number"), threads);
    }
    if kind == "groups" {
        let nanoseconds = generated::build_generated(list.parse().expect("a number"));
        return println!("{nanoseconds} {}", peak());
    }
    let list = Path::new(list);
    let start = Instant::now();
    let bytes = match kind.as_str() {
        "near" => filter(list, &ours::settings(SchemeId::Deletions, ours::near_bits(), 0.01, threads)),
        "compact" => filter(list, &ours::settings(SchemeId::Deletions, 0, 0.01, threads)),
        "paper" => filter(list, &ours::settings(SchemeId::Paper, 0, 0.01, threads)),
        "exact" => filter(list, &ours::settings(SchemeId::Whole, 0, 0.01, threads)),
        "sha1" => filter(list, &sha1(threads)),
        "fst" => near::fst(&words(list)).as_fst().as_bytes().len(),
        "symspell" => symspell(list),
        other => panic!("unknown kind {other}"),
    };
    println!("{} {} {bytes}", start.elapsed().as_secs_f64(), peak());
}

/// Streams the list twice, as filterctl does, and leaves the filter in memory.
fn filter(list: &Path, settings: &Build) -> usize {
    let mut survey = settings.survey();
    each_block(list, |block| _ = survey.read_block(block));
    let mut builder = settings.builder(&survey.finish()).expect("a filter of the benchmark's list");
    each_block(list, |block| _ = builder.insert_block(block));
    assert_eq!(builder.header().kind, settings.spec.kind);
    let (header, pages) = builder.finish();
    header.len() + pages.as_flattened().len()
}

fn sha1(threads: usize) -> Build {
    let words = ours::settings(SchemeId::Whole, 0, 0.01, threads);
    Build { spec: Spec { kind: Kind::Sha1, ..words.spec }, ..words }
}

/// Builds the filter of synthetic digests; the time to make them is not counted.
fn of_digests(count: u64, threads: usize) {
    let settings = sha1(threads);
    let (mut surveying, mut inserting) = (0.0, 0.0);
    let mut survey = settings.survey();
    digests::blocks(count, |block| surveying += timed(|| _ = survey.read_block(block)));
    let mut builder = settings.builder(&survey.finish()).expect("digests");
    digests::blocks(count, |block| inserting += timed(|| _ = builder.insert_block(block)));
    let start = Instant::now();
    let (header, pages) = builder.finish();
    inserting += start.elapsed().as_secs_f64();
    println!("{surveying} {inserting} {} {}", peak(), header.len() + pages.as_flattened().len());
}

fn timed(act: impl FnOnce()) -> f64 {
    let start = Instant::now();
    act();
    start.elapsed().as_secs_f64()
}

fn each_block(list: &Path, mut each: impl FnMut(&[u8])) {
    let mut reader = BufReader::with_capacity(1 << 20, fs::File::open(list).expect("a list"));
    let mut block = Vec::with_capacity(1 << 20);
    loop {
        block.clear();
        reader.by_ref().take(1 << 20).read_to_end(&mut block).expect("a list");
        if block.is_empty() {
            break;
        }
        reader.read_until(b'\n', &mut block).expect("a list");
        each(&block);
    }
}

fn words(list: &Path) -> crate::lists::Words {
    let text = fs::read(list).expect("a list");
    text.split(|&byte| byte == b'\n').filter(|word| !word.is_empty()).map(Box::from).collect()
}

fn symspell(list: &Path) -> usize {
    let words = words(list);
    let before = status("VmRSS:");
    let symspell = near::symspell(&words);
    let bytes = status("VmRSS:") - before;
    drop(symspell);
    bytes as usize
}

fn peak() -> f64 {
    status("VmHWM:")
}

/// Bytes of a line of /proc/self/status.
pub fn status(name: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(0.0) * 1024.0
}
