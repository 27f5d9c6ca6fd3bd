//! The axes of a plot: the positions of numbers, and the ticks.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// The number of ticks that can be read at a glance, and the highest number that fits.
const FEW_TICKS: f64 = 8.0;
const MAX_TICKS: f64 = 25.0;
/// The highest number of powers of ten that fits.
const MAX_DECADES: usize = 13;

/// The mapping of numbers to positions on an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AxisScale {
    Linear,
    Decades,
    Doublings,
}

/// An axis: its quantity, its range, and its ticks.
#[derive(Clone)]
pub(crate) struct Axis {
    /// Its quantity, with the unit.
    pub(super) label: String,
    scale: AxisScale,
    ticks: Vec<(f64, String)>,
    /// The range, in the units of [`Axis::place`].
    pub(super) range: (f64, f64),
}

impl Axis {
    /// Whole numbers, a tick for each, or for each second, fifth, tenth …
    pub(crate) fn counting(label: &str, values: &[f64]) -> Axis {
        let (least, most) = extremes(values.iter().copied());
        let step = round_step(most - least, MAX_TICKS).max(1.0);
        let ticks = ticks(least, most, step);
        Axis { label: label.to_owned(), scale: AxisScale::Linear, ticks, range: (least - 0.5, most + 0.5) }
    }

    /// Numbers between two, about eight round ticks.
    pub(crate) fn linear(label: &str, least: f64, most: f64) -> Axis {
        let ticks = ticks(least, most, round_step(most - least, FEW_TICKS));
        Axis { label: label.to_owned(), scale: AxisScale::Linear, ticks, range: (least, most) }
    }

    /// Names, a tick for each, at 0, 1, 2 …
    pub(crate) fn names(label: &str, names: &[&str]) -> Axis {
        let ticks: Vec<(f64, String)> =
            names.iter().zip(0_u32..).map(|(name, at)| (f64::from(at), (*name).to_owned())).collect();
        let range = (-0.5, ticks.len() as f64 - 0.5);
        Axis { label: label.to_owned(), scale: AxisScale::Linear, ticks, range }
    }

    /// Powers of ten, a tick for each, or for each second, third …; values that are not above 0 are omitted.
    pub(crate) fn decades(label: &str, values: impl Iterator<Item = f64>) -> Axis {
        let (lowest, highest) = extremes(values.filter(|value| *value > 0.0).map(f64::log10));
        let (lowest, highest) = (lowest.floor(), highest.ceil().max(lowest.floor() + 1.0));
        let (first, last) = (lowest as i32, highest as i32);
        let step = (last - first) as usize / MAX_DECADES + 1;
        let is_plain = first >= -3 && last <= 6;
        let ticks = (first..=last)
            .rev()
            .step_by(step)
            .map(|power| (f64::from(power), power_of_ten(power, is_plain)))
            .collect();
        Axis { label: label.to_owned(), scale: AxisScale::Decades, ticks, range: (lowest, highest) }
    }

    /// Doublings, with the tick texts given.
    pub(crate) fn doublings(label: &str, ticks: &[(f64, String)]) -> Axis {
        let ticks: Vec<(f64, String)> =
            ticks.iter().map(|(value, text)| (value.log2(), text.clone())).collect();
        let (least, most) = extremes(ticks.iter().map(|(at, _)| *at));
        Axis { label: label.to_owned(), scale: AxisScale::Doublings, ticks, range: (least - 0.4, most + 0.4) }
    }

    /// The same of whole numbers: no tick lies between two.
    pub(crate) fn whole(label: &str, least: f64, most: f64) -> Axis {
        let ticks = ticks(least, most, round_step(most - least, FEW_TICKS).max(1.0));
        Axis { ticks, ..Axis::linear(label, least, most) }
    }

    /// From zero up, about eight ticks.
    pub(crate) fn from_zero(label: &str, values: impl Iterator<Item = f64>) -> Axis {
        let most = extremes(values).1.max(f64::MIN_POSITIVE) * 1.08;
        Axis::linear(label, 0.0, most)
    }

    /// The position of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        match self.scale {
            AxisScale::Linear => value,
            AxisScale::Decades => value.log10(),
            AxisScale::Doublings => value.log2(),
        }
    }

    /// The axis for the drawing library.
    pub(super) fn coordinates(&self) -> Coordinates {
        Coordinates { range: self.range, ticks: self.ticks.clone() }
    }
}

/// An axis in the form of the drawing library: already scaled, with our ticks and their texts.
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

/// The least of 1, 2 and 5 times a power of ten of which at most this number fits into a length.
fn round_step(length: f64, most: f64) -> f64 {
    let length = length.max(f64::MIN_POSITIVE);
    let power = 10_f64.powf((length / most).log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|factor| factor * power);
    steps.into_iter().find(|step| length / step <= most).unwrap_or(power * 10.0)
}

/// The multiples of a step from the first to the last, with the decimals that the step has.
fn ticks(lowest: f64, highest: f64, step: f64) -> Vec<(f64, String)> {
    let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
    // A little beyond either end: a tick at the end is not lost by rounding.
    let (first, last) = ((lowest / step - 1e-6).ceil() as i64, (highest / step + 1e-6).floor() as i64);
    let text = |value: f64| match value {
        1e5.. if decimals == 0 => grouped(value),
        _ => format!("{value:.decimals$}"),
    };
    (first..=last).map(|number| number as f64 * step).map(|value| (value, text(value))).collect()
}

/// Digits in threes: 1,000,000.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// 0.001 where all powers of an axis are near 1, else with an exponent.
fn power_of_ten(power: i32, is_plain: bool) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    if is_plain || power == 0 {
        return format!("{}", 10_f64.powi(power));
    }
    let digits = power.unsigned_abs().to_string();
    let digits: String = digits.bytes().filter_map(|digit| DIGITS.get(usize::from(digit - b'0'))).collect();
    format!("10{}{digits}", if power < 0 { "⁻" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(texts(&Axis::linear("", 0.0, 1.0)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(&Axis::linear("", 1.0, 65.0)), ["10", "20", "30", "40", "50", "60"]);
        assert_eq!(texts(&Axis::linear("", 0.0, 4e5)).last(), Some(&"400,000"));
        assert_eq!(texts(&Axis::whole("", 0.0, 3.0)), ["0", "1", "2", "3"]);
        assert_eq!(texts(&Axis::counting("", &[1.0, 3.0])), ["1", "2", "3"]);
        assert_eq!(texts(&Axis::decades("", [0.02, 3.0].into_iter())), ["10", "1", "0.1", "0.01"]);
        assert_eq!(texts(&Axis::decades("", [1e-5, 0.1].into_iter())).last(), Some(&"10⁻⁵"));
    }

    #[test]
    fn what_is_not_above_zero_is_in_no_decade() {
        assert_eq!(Axis::decades("", [0.0, 0.1, 10.0].into_iter()).range, (-1.0, 1.0));
    }
}
