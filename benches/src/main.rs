//! nearmiss measured side by side with the paper's scheme and with its peers. `bench.sh` prepares the peers
//! and starts this; the table goes to standard output.

mod build;
mod child;
mod cold;
mod exact;
mod ffi;
mod guesses;
mod harness;
mod hashes;
mod ladder;
mod lists;
mod near;
mod ours;
mod paper;
mod peers;
mod plot;
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

const MEASURES: [Measure; 9] = [
    ("near", near::run),
    ("exact", exact::run),
    ("size", size::run),
    ("build", build::run),
    ("cold", cold::run),
    ("ladder", ladder::run),
    ("guesses", guesses::run),
    ("scaling", scaling::run),
    ("transaction", transaction::run),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "child") {
        return child::run(&arguments[1..]);
    }
    let (folder, wanted) = arguments.split_first().expect("the folder to work in");
    let work = Work::new(folder);
    for (name, run) in MEASURES {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            run(&work);
        }
    }
}
