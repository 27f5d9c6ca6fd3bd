//! Curves of theory with points of simulation, as plots, as CSV and as reports.

use std::io::{self, Write};

use nearmiss_cli::report::Report;
use serde::Serialize;

use crate::{
    plot::{Axis, Chart, GREY, Look, Series},
    table::{Table, digits},
};

/// The result of a simulation at one point, with the interval that contains the true value (95 of 100 times)
/// or most values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub(crate) x: f64,
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Estimate {
    /// The share of this count among all, with Wilson's interval (*Probable inference*, 1927).
    pub(crate) fn of_count(x: f64, count: u64, all: u64) -> Estimate {
        const DEVIATIONS: f64 = 1.96;
        let (all, square) = (all.max(1) as f64, DEVIATIONS * DEVIATIONS);
        let value = count as f64 / all;
        let middle = (value + square / (2.0 * all)) / (1.0 + square / all);
        let spread = (value * (1.0 - value) / all + square / (4.0 * all * all)).sqrt();
        let half = DEVIATIONS * spread / (1.0 + square / all);
        Estimate { x, value, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
    }

    /// The same for the complement.
    pub(crate) fn complement(self) -> Estimate {
        let Estimate { x, value, low, high } = self;
        Estimate { x, value: 1.0 - value, low: 1.0 - high, high: 1.0 - low }
    }
}

/// A curve.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Line {
    /// The subject of the curve.
    pub(crate) name: String,
    /// By formula.
    pub(crate) theory: Vec<(f64, f64)>,
    /// By simulation.
    pub(crate) simulated: Vec<Estimate>,
    /// True for a line to compare with, drawn dashed.
    #[serde(skip)]
    pub(crate) is_dashed: bool,
}

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// From the least to the greatest.
    Linear,
    /// By powers of ten.
    Decades,
}

/// Curves on the same axes.
pub(crate) struct Panel {
    /// The message.
    pub(crate) title: String,
    /// The horizontal axis and its scale.
    pub(crate) x: (String, Scale),
    /// The vertical axis and its scale.
    pub(crate) y: (String, Scale),
    /// The curves.
    pub(crate) lines: Vec<Line>,
    /// Notes next to the plot.
    pub(crate) notes: Vec<String>,
    /// Remarks below the plot.
    pub(crate) remarks: Vec<String>,
}

/// The lower limit of a vertical axis of powers of ten.
const MIN: f64 = 1e-12;

impl Panel {
    /// The plot.
    pub(crate) fn chart(&self) -> Chart {
        let series: Vec<Series> =
            self.lines.iter().enumerate().flat_map(|(at, line)| self.series(at % GREY, line)).collect();
        let points = || series.iter().flat_map(|series| &series.points).copied();
        let x = axis(&self.x, points().map(|point| point.0));
        let y = axis(&self.y, points().map(|point| point.1));
        let (title, mut notes, remarks) = (self.title.clone(), self.notes.clone(), self.remarks.clone());
        if self.lines.iter().any(|line| !line.simulated.is_empty()) {
            notes.insert(0, "Lines: theory. Points: simulation, with their spread.".to_owned());
        }
        Chart { title, notes, remarks, x, y, series }
    }

    fn series(&self, colour: usize, line: &Line) -> [Series; 3] {
        let has_place = |(x, y): &(f64, f64)| {
            (self.x.1 == Scale::Linear || *x > 0.0) && (self.y.1 == Scale::Linear || *y >= MIN)
        };
        let theory = line.theory.iter().copied().filter(has_place).collect();
        let found = || line.simulated.iter().filter(|found| has_place(&(found.x, found.value)));
        let dots = found().map(|found| (found.x, found.value)).collect();
        // A bar that reaches 0 has no end on an axis of powers of ten.
        let low = |found: &Estimate| match self.y.1 {
            Scale::Linear => found.low,
            Scale::Decades => found.low.max(found.value / 10.0).max(MIN),
        };
        let spread = found().flat_map(|found| [(found.x, low(found)), (found.x, found.high)]).collect();
        let look = if line.is_dashed { Look::Dashes } else { Look::Line };
        let series = |name: &str, look, points| Series { name: name.to_owned(), colour, look, points };
        [series(&line.name, look, theory), series("", Look::Spread, spread), series("", Look::Dots, dots)]
    }
}

fn axis(what: &(String, Scale), values: impl Iterator<Item = f64> + Clone) -> Axis {
    let (label, scale) = what;
    if *scale == Scale::Decades {
        return Axis::decades(label, values);
    }
    let is_whole = values.clone().all(|value| value.fract() == 0.0);
    let (least, most) =
        values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    // An axis that begins near zero begins at zero.
    let least = if least.is_finite() && least > 0.2 * most { least } else { least.min(0.0) };
    // Axes of probabilities and of counts from zero have no margin.
    let margin = if label.starts_with("probability") { 0.0 } else { 0.03 * (most - least) };
    let below = if least > 0.0 { margin } else { 0.0 };
    let place = if is_whole { Axis::whole } else { Axis::linear };
    place(label, least - below, (most + margin).max(least + f64::MIN_POSITIVE))
}

/// All points, a line each.
pub(crate) fn csv(panels: &[Panel]) -> String {
    let mut table = Table::new(&["curve", "of", "x", "y", "low", "high"]);
    let none = String::new();
    for line in panels.iter().flat_map(|panel| &panel.lines) {
        let name = line.name.replace(',', ";");
        for &(x, y) in &line.theory {
            table.row(&[&name, &"theory", &x, &digits(y), &none, &none]);
        }
        for found in &line.simulated {
            let [value, low, high] = [found.value, found.low, found.high].map(digits);
            table.row(&[&name, &"simulation", &found.x, &value, &low, &high]);
        }
    }
    table.into_csv()
}

/// The output of a command that draws: the curves, and the files it wrote.
#[derive(Serialize)]
pub(crate) struct CurvesReport {
    pub(crate) curves: Vec<Line>,
    pub(crate) remarks: Vec<String>,
    pub(crate) files: Vec<String>,
    #[serde(skip)]
    pub(crate) csv: String,
}

impl Report for CurvesReport {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.files.is_empty() {
            write!(out, "{}", self.csv)?;
        }
        self.remarks.iter().try_for_each(|remark| writeln!(out, "{remark}"))?;
        self.files.iter().try_for_each(|file| writeln!(out, "wrote {file}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_what_was_counted() {
        let half = Estimate::of_count(1.0, 50, 100);
        assert!((half.low - 0.4038).abs() < 1e-3 && (half.high - 0.5962).abs() < 1e-3, "{half:?}");
        let none = Estimate::of_count(1.0, 0, 100);
        assert!(none.low < 1e-12 && (none.high - 0.037).abs() < 1e-3, "{none:?}");
        assert!((none.complement().low - 0.963).abs() < 1e-3);
    }

    #[test]
    fn every_point_is_a_line_of_csv() {
        let line = Line {
            name: "a, b".to_owned(),
            theory: vec![(1.0, 0.5), (2.0, 0.25)],
            simulated: vec![Estimate::of_count(2.0, 1, 4)],
            is_dashed: false,
        };
        let panel = Panel {
            title: "title".to_owned(),
            x: ("x".to_owned(), Scale::Linear),
            y: ("probability".to_owned(), Scale::Decades),
            lines: vec![line],
            notes: Vec::new(),
            remarks: Vec::new(),
        };
        let chart = panel.chart();
        assert_eq!(chart.series.iter().map(|series| series.points.len()).collect::<Vec<_>>(), [2, 2, 1]);
        let csv = csv(&[panel]);
        assert_eq!(csv.lines().count(), 4);
        assert!(csv.contains("a; b,simulation,2,2.5000e-1,"), "{csv}");
    }
}
