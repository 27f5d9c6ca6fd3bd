//! nearmiss measured side by side with the paper's scheme and with its peers. `bench.sh` prepares the peers
//! and starts this; the table goes to standard output.

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

/// All of them in a run without arguments.
const MEASURES: [Measure; 12] = [
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
];

/// Those that run only when they are named.
const OTHERS: [Measure; 6] = [
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
    for (name, run) in MEASURES {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            run(&work);
        }
    }
    OTHERS
        .iter()
        .filter(|(name, _)| wanted.iter().any(|wanted| wanted == name))
        .for_each(|(_, run)| run(&work));
}
