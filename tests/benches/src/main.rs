//! nearmiss measured side by side with the paper's scheme and with its peers. `bench.sh` prepares the peers
//! and starts this; the tables go to standard output.

mod build;
mod checks;
mod child;
mod cold;
mod digest_files;
mod digests;
mod exact;
mod ffi;
mod generated;
mod groups;
mod guesses;
mod harness;
mod hashes;
mod instructions;
mod ladder;
mod library;
mod lists;
mod near;
mod ours;
mod paper;
mod peers;
mod pipe;
mod plot;
mod pwscore;
mod queries;
mod random;
mod report;
mod scaling;
mod size;
mod transaction;
mod work;

use work::Work;

/// A measure's name and what runs it.
type Measure = (&'static str, fn(&Work));

/// All of them; `bench.sh` has the list of those that a run without arguments consists of.
const MEASURES: [Measure; 18] = [
    ("near", near::run),
    ("checks", checks::run),
    ("exact", exact::run),
    ("size", size::run),
    ("build", build::run),
    ("cold", cold::run),
    ("ladder", ladder::run),
    ("guesses", guesses::run),
    ("scaling", scaling::run),
    ("transaction", transaction::run),
    ("library", library::run),
    ("pwscore", pwscore::run),
    ("groups", groups::run),
    ("instructions", instructions::run),
    ("counts", instructions::print),
    ("digest-files", digest_files::run),
    ("pipe", pipe::run),
    ("pipe-tenth", pipe::run_tenth),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("child", rest)) => return child::run(rest),
        Some(("ask", rest)) => return instructions::ask(rest),
        Some(("pwscores", rest)) => return pwscore::inside(rest),
        Some(("digests", rest)) => return digests::print(rest.first().expect("how many")),
        _ => {}
    }
    let (folder, wanted) = arguments.split_first().expect("the folder to work in");
    let work = Work::new(folder);
    for wanted in wanted {
        let found = MEASURES.iter().find(|(name, _)| wanted == name);
        let (_, run) = found.unwrap_or_else(|| panic!("no measure {wanted}"));
        run(&work);
    }
}
