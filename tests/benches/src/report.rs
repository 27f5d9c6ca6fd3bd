//! The one table: measure, ours, the other side, the value a target is about, the target and whether it is
//! met.

/// What a value is to be.
#[derive(Clone, Copy)]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// Shown for comparison.
    None,
}

impl Target {
    fn text(self) -> String {
        match self {
            Target::AtMost(bound) => format!("≤ {bound}"),
            Target::AtLeast(bound) => format!("≥ {bound}"),
            Target::None => String::new(),
        }
    }

    fn verdict(self, value: f64) -> &'static str {
        let is_met = match self {
            Target::AtMost(bound) => value <= bound,
            Target::AtLeast(bound) => value >= bound,
            Target::None => return "",
        };
        if is_met { "yes" } else { "**no**" }
    }
}

/// Prints a section's heading and the head of its table.
pub fn section(title: &str) {
    println!(
        "\n### {title}\n\n| measure | ours | against | value | target | met |\n\
         | --- | ---: | ---: | ---: | ---: | --- |"
    );
}

/// Prints a line: `value` is what the target is about, a ratio or a figure.
pub fn line(measure: &str, ours: &str, against: &str, value: f64, target: Target) {
    let (bound, verdict) = (target.text(), target.verdict(value));
    println!("| {measure} | {ours} | {against} | {} | {bound} | {verdict} |", figure(value));
}

/// A figure with three significant digits.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || !size.is_finite() => format!("{value}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.3}"),
        size if size >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}

/// Nanoseconds in the unit that reads best.
pub fn duration(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{} ns", figure(ns)),
        ns if ns < 1e6 => format!("{} µs", figure(ns / 1e3)),
        ns if ns < 1e9 => format!("{} ms", figure(ns / 1e6)),
        ns => format!("{} s", figure(ns / 1e9)),
    }
}

/// Bytes in the unit that reads best.
pub fn bytes(count: f64) -> String {
    match count {
        n if n < 1e3 => format!("{n:.0} B"),
        n if n < 1e6 => format!("{} kB", figure(n / 1e3)),
        n => format!("{} MB", figure(n / 1e6)),
    }
}
