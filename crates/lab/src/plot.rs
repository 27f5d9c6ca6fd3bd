//! Plots as SVG in one style: a title that says the message, axes with round ticks and units, lines, dots and
//! bars, a legend or names beside the plot and never on it, and remarks below.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "positions on a drawing of some thousand pixels"
)]

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

mod axis;
mod legend;
mod named;
mod text;

pub(crate) use axis::Axis;

/// The width of a drawing in pixels; the legend takes the right of it.
const WIDTH: u32 = 1000;
/// The height of one plot; where several are below each other, each has the second.
const HEIGHTS: (u32, u32) = (600, 410);
const LEGEND_WIDTH: u32 = 260;
/// Pixels around the axes, and below them for their texts.
const MARGIN: i32 = 14;
const X_LABELS: i32 = 58;
pub(crate) const FONT: &str = "sans-serif";

/// Colours that people with any colour vision tell apart: Okabe & Ito, "Color Universal Design" (2008).
pub(crate) const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(130, 130, 130),
];

/// The colour of what is no data: a grey.
pub(crate) const GREY: usize = COLOURS.len() - 1;

/// The drawing of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A line through the points.
    Line,
    /// A dashed line through the points.
    Dashes,
    /// A line through the points, with a mark at each; its name is at its end in place of the legend.
    Named,
    /// A dot at each point.
    Dots,
    /// A bar with ends between each two points, which have the same x: where a value may lie.
    Spread,
    /// A bar from the axis to each point, with its value on it.
    Bars,
}

/// The width of a bar, where names are one apart.
pub(crate) const BAR_WIDTH: f64 = 0.24;

/// Points that belong together; without a name they are not in the legend.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// The legend's text.
    pub(crate) name: String,
    /// The colour's number: below [`GREY`] for data.
    pub(crate) colour: usize,
    /// Its drawing.
    pub(crate) look: Look,
    /// The points, in the units of the axes.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A plot.
pub(crate) struct Chart {
    /// Above the plot.
    pub(crate) title: String,
    /// Below the legend, each on its own lines.
    pub(crate) notes: Vec<String>,
    /// Below the plot, each on its own lines.
    pub(crate) remarks: Vec<String>,
    /// The horizontal axis.
    pub(crate) x: Axis,
    /// The vertical axis.
    pub(crate) y: Axis,
    /// The subject of the drawing.
    pub(crate) series: Vec<Series>,
}

impl Chart {
    /// The height of a value on the vertical axis, between the heights of its upper and lower end.
    fn height(&self, value: f64, ends: (i32, i32)) -> i32 {
        let (least, most) = self.y.range;
        let part = (most - self.y.place(value)) / (most - least);
        ends.0 + (part * f64::from(ends.1 - ends.0)).round() as i32
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// The plots as SVG, one below the other.
///
/// # Errors
/// The drawing library's answer; drawing into memory gives it no reason to fail.
pub(crate) fn svg(charts: &[Chart]) -> Result<String, Box<dyn std::error::Error>> {
    let each = if charts.len() == 1 { HEIGHTS.0 } else { HEIGHTS.1 };
    let heights: Vec<u32> = charts.iter().map(|chart| each + text::height(chart)).collect();
    let mut svg = String::new();
    {
        let mut area = SVGBackend::with_string(&mut svg, (WIDTH, heights.iter().sum())).into_drawing_area();
        area.fill(&WHITE)?;
        for (chart, height) in charts.iter().zip(heights) {
            let (own, rest) = area.split_vertically(height);
            draw(chart, &own)?;
            area = rest;
        }
        area.present()?;
    }
    Ok(svg)
}

/// A plot with all texts around it.
fn draw(chart: &Chart, area: &Area<'_>) -> Drawn {
    let (title, body) = area.split_vertically(text::title_height(chart));
    text::draw_title(chart, &title)?;
    let (body, remarks) = body.split_vertically(body.dim_in_pixel().1 - text::remarks_height(chart));
    text::draw_remarks(chart, &remarks)?;
    let (plot, beside) = body.split_horizontally(WIDTH - LEGEND_WIDTH);
    legend::draw(chart, &beside)?;
    let bottom = beside.dim_in_pixel().1 as i32 - MARGIN - X_LABELS;
    named::draw_names(chart, &beside, (MARGIN, bottom))?;
    draw_plot(chart, &plot)
}

fn draw_plot(chart: &Chart, area: &Area<'_>) -> Drawn {
    let mut context = ChartBuilder::on(area)
        .margin(MARGIN)
        .x_label_area_size(X_LABELS)
        .y_label_area_size(86)
        .build_cartesian_2d(chart.x.coordinates(), chart.y.coordinates())
        .map_err(|e| e.to_string())?;
    context
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.15))
        .x_desc(&chart.x.label)
        .y_desc(&chart.y.label)
        .axis_desc_style((FONT, 18))
        .label_style((FONT, 15))
        .draw()
        .map_err(|e| e.to_string())?;
    for series in &chart.series {
        let colour = colour(series);
        let points = series.points.iter().map(|&(x, y)| (chart.x.place(x), chart.y.place(y)));
        let drawn = match series.look {
            Look::Line => context.draw_series(LineSeries::new(points, colour.stroke_width(2))).map(|_| ()),
            Look::Named => {
                let points: Vec<(f64, f64)> = points.collect();
                let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
                context.draw_series(line).map_err(|e| e.to_string())?;
                let (corners, fill) = named::mark(series);
                let marks = points.into_iter().map(|at| {
                    EmptyElement::at(at)
                        + Polygon::new(corners.clone(), fill)
                        + PathElement::new(corners.clone(), colour.stroke_width(2))
                });
                context.draw_series(marks).map(|_| ())
            }
            Look::Dashes => {
                context.draw_series(DashedLineSeries::new(points, 8, 6, colour.stroke_width(2))).map(|_| ())
            }
            Look::Dots => {
                context.draw_series(points.map(|at| Circle::new(at, 4, colour.filled()))).map(|_| ())
            }
            Look::Spread => {
                let (points, style) = (points.collect::<Vec<_>>(), colour.stroke_width(1));
                let ends =
                    |&at: &(f64, f64)| EmptyElement::at(at) + PathElement::new(vec![(-4, 0), (4, 0)], style);
                context.draw_series(points.iter().map(ends)).map_err(|e| e.to_string())?;
                let bars = points.chunks_exact(2).map(|pair| PathElement::new(pair.to_vec(), style));
                context.draw_series(bars).map(|_| ())
            }
            Look::Bars => {
                let (half, base) = (0.46 * BAR_WIDTH, chart.y.range.0);
                let style = TextStyle::from((FONT, 14).into_font()).pos(Pos::new(HPos::Center, VPos::Bottom));
                let values = series
                    .points
                    .iter()
                    .map(|&(x, y)| Text::new(shown(y), (chart.x.place(x), chart.y.place(y)), style.clone()));
                context.draw_series(values).map_err(|e| e.to_string())?;
                context
                    .draw_series(
                        points
                            .map(|(x, y)| Rectangle::new([(x - half, base), (x + half, y)], colour.filled())),
                    )
                    .map(|_| ())
            }
        };
        drawn.map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Three digits.
fn shown(value: f64) -> String {
    let decimals = if value < 9.95 { 2 } else { usize::from(value < 99.5) };
    format!("{value:.decimals$}")
}

fn colour(series: &Series) -> RGBColor {
    COLOURS.get(series.colour).copied().unwrap_or(BLACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(title: &str) -> Chart {
        let points = vec![(1.0, 1e-3), (10.0, 0.5)];
        let series = |name: &str, look, points: &[(f64, f64)]| Series {
            name: name.to_owned(),
            colour: 0,
            look,
            points: points.to_vec(),
        };
        Chart {
            title: title.to_owned(),
            notes: vec!["a note".to_owned()],
            remarks: vec!["a remark that is below the plot".to_owned()],
            x: Axis::linear("x", 1.0, 10.0),
            y: Axis::decades("y", points.iter().map(|point| point.1)),
            series: vec![
                series("theory", Look::Line, &points),
                series("", Look::Spread, &[(5.0, 0.01), (5.0, 0.1)]),
            ],
        }
    }

    #[test]
    fn plots_are_below_each_other_with_all_their_texts() {
        let svg = svg(&[chart("first"), chart("second")]).unwrap();
        for text in ["first", "second", "theory", "a note", "a remark that is below the plot"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(svg.starts_with("<svg width=\"1000\"") && !svg.contains("NaN"), "{svg}");
    }
}
