//! Work done in a process of its own, so that its peak memory can be told: builds of each kind from a list
//! file.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::Command,
    time::Instant,
};

use nearmiss_filters::format::{Kind, SchemeId};

use crate::{near, ours, peers, work::Work};

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
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["child", kind, &threads.to_string()]).arg(list).current_dir(work.path("."));
    let answer = peers::output(&mut command, b"").expect("a child");
    let mut figures = answer.split_whitespace().map(|figure| figure.parse().expect("a figure"));
    let mut next = || figures.next().expect("three figures");
    Measured { seconds: next(), peak: next(), bytes: next() }
}

/// The child's part: `KIND THREADS LIST`.
pub fn run(arguments: &[String]) {
    let [kind, threads, list] = arguments else { panic!("child KIND THREADS LIST") };
    let (threads, list) = (threads.parse().expect("a number"), Path::new(list));
    let start = Instant::now();
    let bytes = match kind.as_str() {
        "near" => filter(list, SchemeId::Deletions, 8, threads),
        "compact" => filter(list, SchemeId::Deletions, 0, threads),
        "paper" => filter(list, SchemeId::Paper, 0, threads),
        "exact" => filter(list, SchemeId::Whole, 0, threads),
        "fst" => near::fst(&words(list)).as_fst().as_bytes().len(),
        "symspell" => symspell(list),
        other => panic!("unknown kind {other}"),
    };
    println!("{} {} {bytes}", start.elapsed().as_secs_f64(), peak());
}

/// Streams the list twice, as filterctl does, and leaves the filter in memory.
fn filter(list: &Path, scheme: SchemeId, deletion_bits: u8, threads: usize) -> usize {
    let settings = ours::settings(scheme, deletion_bits, 0.01, threads);
    let mut survey = settings.survey();
    each_block(list, |block| _ = survey.read_block(block));
    let mut builder = settings.builder(&survey.finish()).expect("a filter of the benchmark's list");
    each_block(list, |block| _ = builder.insert_block(block));
    assert_eq!(builder.header().kind, Kind::Words);
    let (header, pages) = builder.finish();
    header.len() + pages.as_flattened().len()
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
