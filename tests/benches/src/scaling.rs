//! Scaling: what a check and a word's share of the build cost from 10⁴ to 10⁷ words.

use std::time::Instant;

use nearmiss_filters::format::SchemeId;

use crate::{
    harness::race,
    near::nearest,
    ours,
    plot::{self, Series},
    queries::COUNT,
    report::{Target, duration, figure, line, section},
    work::{self, Work},
};

/// Runs the measure; the plot goes into the folder as `scaling.svg`.
pub fn run(work: &Work) {
    section(
        "scaling, near filter at 1 %, 8 characters (check: processor time; build: both passes, all \
         processors)",
    );
    let strangers = work.strangers().filter(|word| word.len() == 8).take(COUNT);
    let word_like: Vec<String> = strangers.map(|word| String::from_utf8_lossy(&word).into_owned()).collect();
    let names = ["check, ns", "build, ns a word"];
    let mut series = names.map(|name| Series { name: name.to_owned(), points: Vec::new() });
    for words in [10_000, 31_623, 100_000, 316_228, 1_000_000, 3_162_278, 10_000_000] {
        let text = std::fs::read(work.list_file(words)).expect("a list");
        let settings = ours::settings(SchemeId::Deletions, ours::near_bits(), 0.01, ours::threads());
        let start = Instant::now();
        let builder = ours::build(&text, &settings);
        let build = start.elapsed().as_nanos() as f64 / words as f64;
        let bytes = builder.finish_to_bytes();
        let filter = ours::Filter::from_bytes(bytes).expect("a filter just built");
        let check = race(&mut [nearest("check", &filter, &word_like)])[0];
        series[0].points.push((words as f64, check));
        series[1].points.push((words as f64, build));
        let cost = format!("check {}, build {} a word", duration(check), duration(build));
        line(
            &format!("{} words", figure(words as f64)),
            &cost,
            "",
            ours::bits_per_word(&filter),
            Target::None,
        );
    }
    let title = "Near filter at 1 %: check (word-like, 8 characters, some are near) and build";
    let svg = plot::svg(title, "words in the dictionary", "ns", &series);
    work::write(&work.path("scaling.svg"), svg.as_bytes());
}
