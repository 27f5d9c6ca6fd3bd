//! The axes of a plot: where numbers lie on them, and their ticks.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// How numbers become places on an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Linear,
    Decades,
    Doublings,
}

/// An axis: what it shows, from where to where, and its ticks.
pub(crate) struct Axis {
    /// What it shows, with its unit.
    pub(super) label: String,
    scale: Scale,
    ticks: Vec<(f64, String)>,
    /// From where to where, as [`Axis::place`] has it.
    pub(super) range: (f64, f64),
}

impl Axis {
    /// Whole numbers, a tick for each.
    pub(crate) fn counting(label: &str, values: &[f64]) -> Axis {
        let (least, most) = extremes(values.iter().copied());
        let ticks = (least as i64..=most as i64).map(|n| (n as f64, n.to_string())).collect();
        Axis { label: label.to_owned(), scale: Scale::Linear, ticks, range: (least - 0.5, most + 0.5) }
    }

    /// Names, a tick for each, at 0, 1, 2 …
    pub(crate) fn names(label: &str, names: &[&str]) -> Axis {
        let ticks: Vec<(f64, String)> =
            names.iter().zip(0_u32..).map(|(name, at)| (f64::from(at), (*name).to_owned())).collect();
        let range = (-0.5, ticks.len() as f64 - 0.5);
        Axis { label: label.to_owned(), scale: Scale::Linear, ticks, range }
    }

    /// Powers of ten, a tick for each.
    pub(crate) fn decades(label: &str, values: impl Iterator<Item = f64>) -> Axis {
        let (least, most) = extremes(values.map(f64::log10));
        let (least, most) = (least.floor(), most.ceil().max(least.floor() + 1.0));
        let ticks =
            (least as i32..=most as i32).map(|power| (f64::from(power), power_of_ten(power))).collect();
        Axis { label: label.to_owned(), scale: Scale::Decades, ticks, range: (least, most) }
    }

    /// Doublings, with the tick texts given.
    pub(crate) fn doublings(label: &str, ticks: &[(f64, String)]) -> Axis {
        let ticks: Vec<(f64, String)> =
            ticks.iter().map(|(value, text)| (value.log2(), text.clone())).collect();
        let (least, most) = extremes(ticks.iter().map(|(at, _)| *at));
        Axis { label: label.to_owned(), scale: Scale::Doublings, ticks, range: (least - 0.4, most + 0.4) }
    }

    /// From zero up, about eight ticks.
    pub(crate) fn from_zero(label: &str, values: impl Iterator<Item = f64>) -> Axis {
        let most = extremes(values).1.max(f64::MIN_POSITIVE) * 1.08;
        let power = 10_f64.powf((most / 8.0).log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| most / step <= 9.0);
        let step = step.unwrap_or(power * 10.0);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let count = (most / step).floor() as u32;
        let tick = |n: u32| (f64::from(n) * step, format!("{:.decimals$}", f64::from(n) * step));
        Axis {
            label: label.to_owned(),
            scale: Scale::Linear,
            ticks: (0..=count).map(tick).collect(),
            range: (0.0, most),
        }
    }

    /// Where a value lies.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Decades => value.log10(),
            Scale::Doublings => value.log2(),
        }
    }

    /// The axis for the drawing library.
    pub(super) fn coordinates(&self) -> Coordinates {
        Coordinates { range: self.range, ticks: self.ticks.clone() }
    }
}

/// An axis as the drawing library wants it: scaled already, with our ticks and their texts.
pub(super) struct Coordinates {
    range: (f64, f64),
    ticks: Vec<(f64, String)>,
}

impl Ranged for Coordinates {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let fraction = (value - self.range.0) / (self.range.1 - self.range.0);
        limit.0 + (fraction * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(at, _)| *at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Coordinates {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(tick, _)| (tick - value).abs() < 1e-9);
        tick.map_or(String::new(), |(_, text)| text.clone())
    }
}

fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
    if least.is_finite() && most.is_finite() { (least, most) } else { (0.0, 1.0) }
}

/// 0.001 down to 10⁻³, then with an exponent.
fn power_of_ten(power: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    if (-3..=6).contains(&power) {
        return format!("{}", 10_f64.powi(power));
    }
    let digits = power.unsigned_abs().to_string();
    let digits: String = digits.bytes().filter_map(|digit| DIGITS.get(usize::from(digit - b'0'))).collect();
    format!("10{}{digits}", if power < 0 { "⁻" } else { "" })
}
