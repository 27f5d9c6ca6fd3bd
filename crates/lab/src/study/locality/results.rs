//! The measurements as tables and as a plot.

use nearmiss_cli::report::number;

use super::{Measured, PAGE_POWERS, PAPER_PROBES, TABLE_PAGE_BYTES};
use crate::{
    plot::{Axis, Chart, Look, Series},
    table::{Table, digits},
};

/// The rows of the paper's Table 2: original and local, size by size.
pub(crate) fn table_2(all: &[Measured]) -> Vec<Measured> {
    let is_row = |row: &&Measured| matches!(row.page_bytes, None | Some(TABLE_PAGE_BYTES));
    let mut rows: Vec<Measured> = all.iter().filter(is_row).cloned().collect();
    rows.sort_by(|a, b| b.megabytes.total_cmp(&a.megabytes).then(a.page_bytes.cmp(&b.page_bytes)));
    rows
}

/// "original" or "local", as the paper has it, and the bytes of a page; none if all bits are one page.
pub(crate) fn layout(page_bytes: Option<u64>) -> [String; 2] {
    match page_bytes {
        Some(bytes) => ["local".to_owned(), bytes.to_string()],
        None => ["original".to_owned(), String::new()],
    }
}

/// The paper's measurement in per cent, if it has one.
pub(super) fn of_paper(rate: Option<f64>) -> String {
    rate.map_or(String::new(), |rate| format!("{:.2}", 100.0 * rate))
}

/// Measurements as CSV.
pub(crate) fn csv(all: &[Measured]) -> String {
    let mut table = Table::new(&[
        "megabytes",
        "layout",
        "page_bytes",
        "bits",
        "probes",
        "strings",
        "queries",
        "rejected",
        "measured_percent",
        "formula_3_5_percent",
        "formula_with_page_loads_percent",
        "paper_measured_percent",
        "microseconds_a_password",
    ]);
    for row in all {
        let ([layout, page], paper) = (layout(row.page_bytes), of_paper(row.paper));
        let [measured, formula, paged] =
            [row.rate, row.formula, row.paged_formula].map(|rate| format!("{:.4}", 100.0 * rate));
        let time = digits(row.microseconds);
        table.row(&[
            &row.megabytes,
            &layout,
            &page,
            &row.bits,
            &PAPER_PROBES,
            &row.strings,
            &row.queries,
            &row.rejected,
            &measured,
            &formula,
            &paged,
            &paper,
            &time,
        ]);
    }
    table.into_csv()
}

/// Rate against page size; "none" stands beside the largest page.
pub(crate) fn chart(all: &[Measured]) -> Chart {
    let place =
        |row: &Measured| row.page_bytes.map_or(2_f64.powi(*PAGE_POWERS.end() + 1), |bytes| bytes as f64);
    let mut series = Vec::new();
    for (colour, size) in all.chunk_by(|a, b| a.megabytes.total_cmp(&b.megabytes).is_eq()).enumerate() {
        let name = size.first().map_or(String::new(), |row| format!("{} MB", row.megabytes));
        let points = |field: fn(&Measured) -> f64| {
            size.iter().map(|row| (place(row), 100.0 * field(row))).collect::<Vec<_>>()
        };
        let paged: Vec<(f64, f64)> = size
            .iter()
            .filter(|row| row.page_bytes.is_some())
            .map(|row| (place(row), 100.0 * row.paged_formula))
            .collect();
        series.push(Series {
            name: format!("{name}, measured"),
            colour,
            look: Look::Dots,
            points: points(|row| row.rate),
        });
        series.push(Series { name: format!("{name}, page loads"), colour, look: Look::Line, points: paged });
        series.push(Series {
            name: format!("{name}, formula 3.5"),
            colour,
            look: Look::Dashes,
            points: points(|row| row.formula),
        });
    }
    let ticks: Vec<(f64, String)> = PAGE_POWERS.map(|power| (2_f64.powi(power), page_name(power))).collect();
    let ticks = [ticks, vec![(2_f64.powi(*PAGE_POWERS.end() + 1), "none".to_owned())]].concat();
    let strings = all.first().map_or(0, |row| row.strings);
    Chart {
        title: "Pages of 4 KiB cost nothing: the rate of accidental rejections against the page size"
            .to_owned(),
        notes: vec![format!(
            "{} strings, {PAPER_PROBES} probes, random passwords of 8 characters",
            number(strings)
        )],
        remarks: Vec::new(),
        x: Axis::doublings("page size (bytes)", &ticks),
        y: Axis::from_zero(
            "passwords rejected by accident (%)",
            series.iter().flat_map(|series| &series.points).map(|&(_, rate)| rate),
        ),
        series,
    }
}

fn page_name(power: i32) -> String {
    if power < 10 { (1_u32 << power).to_string() } else { format!("{}K", 1_u32 << (power - 10)) }
}
