//! The medians as a table and as plots.

use super::Numbers;
use crate::{
    plot::{Axis, BAR_WIDTH, Chart, Look, Series},
    table::{Table, digits},
};

/// All numbers as CSV.
pub(crate) fn csv(all: &[Numbers], runs: u32) -> String {
    let mut table = Table::new(&[
        "structure",
        "words",
        "runs",
        "resident_bytes",
        "bytes_per_word",
        "build_ns_per_word",
        "hit_ns",
        "miss_ns",
        "false_positive_rate",
    ]);
    for numbers in all {
        let [each, build, hit, miss, rate] = [
            numbers.bytes_per_word(),
            numbers.build_ns,
            numbers.hit_ns,
            numbers.miss_ns,
            numbers.false_positive_rate,
        ]
        .map(digits);
        table.row(&[
            &numbers.title(),
            &numbers.words,
            &runs,
            &numbers.resident_bytes,
            &each,
            &build,
            &hit,
            &miss,
            &rate,
        ]);
    }
    table.into_csv()
}

/// Memory, a bar for each structure.
pub(crate) fn memory_chart(all: &[Numbers]) -> Chart {
    let bars: Vec<(f64, f64)> =
        all.iter().zip(0_u32..).map(|(numbers, at)| (f64::from(at), numbers.bytes_per_word())).collect();
    chart("Memory", all, "bytes a word", vec![("resident bytes a word", bars)])
}

/// Times, three bars for each structure.
pub(crate) fn time_chart(all: &[Numbers]) -> Chart {
    let bars = |field: fn(&Numbers) -> f64, offset: f64| {
        all.iter().zip(0_u32..).map(|(numbers, at)| (f64::from(at) + offset, field(numbers))).collect()
    };
    let groups = vec![
        ("build, for each word", bars(|numbers| numbers.build_ns, -BAR_WIDTH)),
        ("look up a word", bars(|numbers| numbers.hit_ns, 0.0)),
        ("look up another string", bars(|numbers| numbers.miss_ns, BAR_WIDTH)),
    ];
    chart("Time", all, "nanoseconds", groups)
}

fn chart(what: &str, all: &[Numbers], unit: &str, groups: Vec<(&str, Vec<(f64, f64)>)>) -> Chart {
    let words = all.first().map_or(0, |numbers| numbers.words);
    let names: Vec<&str> = all.iter().map(Numbers::title).collect();
    let values: Vec<f64> = groups.iter().flat_map(|(_, bars)| bars).map(|&(_, value)| value).collect();
    let series = groups.into_iter().enumerate().map(|(colour, (name, points))| Series {
        name: name.to_owned(),
        colour,
        look: Look::Bars,
        points,
    });
    let rate = all.iter().map(|numbers| numbers.false_positive_rate).fold(0.0, f64::max);
    Chart {
        title: format!("{what} of three ways to hold {words} words"),
        notes: vec![
            format!("Bloom filter: {:.2} % false", 100.0 * rate),
            "positives; the others none".to_owned(),
        ],
        remarks: Vec::new(),
        series: series.collect(),
        x: Axis::names("structure", &names),
        y: Axis::from_zero(unit, values.into_iter()),
    }
}
