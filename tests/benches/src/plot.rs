//! A log-log line plot as SVG.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 60.0;
const COLOURS: [&str; 4] = ["#1b6ca8", "#c0392b", "#2d8a4e", "#8e44ad"];

/// A named line.
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// The plot of `series`, both axes logarithmic.
pub fn svg(title: &str, x_name: &str, y_name: &str, series: &[Series]) -> String {
    let all = || series.iter().flat_map(|series| &series.points);
    let x = Axis::new(all().map(|point| point.0), MARGIN, WIDTH - MARGIN / 2.0);
    let y = Axis::new(all().map(|point| point.1), HEIGHT - MARGIN, MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    text(&mut svg, WIDTH / 2.0, 20.0, "middle", title);
    text(&mut svg, WIDTH / 2.0, HEIGHT - 15.0, "middle", x_name);
    text(&mut svg, 10.0, MARGIN - 20.0, "start", y_name);
    for (at, power) in x.ticks() {
        grid(&mut svg, (at, y.from), (at, y.to));
        text(&mut svg, at, HEIGHT - MARGIN + 18.0, "middle", &format!("10{}", superscript(power)));
    }
    for (at, power) in y.ticks() {
        grid(&mut svg, (x.from, at), (x.to, at));
        text(&mut svg, MARGIN - 8.0, at + 4.0, "end", &format!("10{}", superscript(power)));
    }
    for (number, (series, colour)) in series.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let points: Vec<String> =
            series.points.iter().map(|&(a, b)| format!("{:.1},{:.1}", x.place(a), y.place(b))).collect();
        let points = points.join(" ");
        let _ = writeln!(
            svg,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        );
        let down = MARGIN + 18.0 * number as f64 + 12.0;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{down}\" fill=\"{colour}\">{}</text>",
            MARGIN + 12.0,
            series.name
        );
    }
    svg + "</svg>\n"
}

/// Whole powers of ten around the values, laid from `from` to `to`.
struct Axis {
    low: i32,
    high: i32,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Axis {
        let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
        let high = values.fold(f64::MIN_POSITIVE, f64::max).log10().ceil();
        Axis { low: low as i32, high: (high as i32).max(low as i32 + 1), from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let part = (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low);
        self.from + part * (self.to - self.from)
    }

    fn ticks(&self) -> impl Iterator<Item = (f64, i32)> + '_ {
        (self.low..=self.high).map(|power| (self.place(10_f64.powi(power)), power))
    }
}

fn superscript(power: i32) -> String {
    power
        .to_string()
        .chars()
        .map(|c| {
            c.to_digit(10)
                .map_or('⁻', |digit| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize])
        })
        .collect()
}

fn grid(svg: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ =
        writeln!(svg, "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#ccc\"/>");
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}
