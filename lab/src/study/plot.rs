//! Plots as SVG: a title, axes with ticks and units, lines and dots, and a legend beside the plot, never on
//! it.

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

mod axis;

pub(crate) use axis::Axis;

/// The size of a plot in pixels; the legend takes the right of it.
const SIZE: (u32, u32) = (1000, 620);
const LEGEND_WIDTH: u32 = 250;
const LEGEND_LINE: i32 = 24;
const FONT: &str = "sans-serif";

/// Colours that people with any colour vision tell apart: Okabe & Ito, "Color Universal Design" (2008).
const COLOURS: [RGBColor; 8] = [
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

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// A line through the points.
    Line,
    /// A dashed line through the points.
    Dashes,
    /// A dot at each point.
    Dots,
    /// A bar from the axis to each point, with its value on it.
    Bars,
}

/// The width of a bar, where names are one apart.
pub(crate) const BAR_WIDTH: f64 = 0.24;

/// Points that belong together; without a name they are not in the legend.
pub(crate) struct Series {
    /// What the legend says.
    pub(crate) name: String,
    /// Which of the colours: below [`GREY`] for data.
    pub(crate) colour: usize,
    /// How it is drawn.
    pub(crate) look: Look,
    /// The points, in the units of the axes.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A plot.
pub(crate) struct Chart {
    /// Above the plot.
    pub(crate) title: String,
    /// Below the legend, a line each.
    pub(crate) notes: Vec<String>,
    /// The horizontal axis.
    pub(crate) x: Axis,
    /// The vertical axis.
    pub(crate) y: Axis,
    /// What is drawn.
    pub(crate) series: Vec<Series>,
}

/// The plot as SVG.
///
/// # Errors
/// What the drawing library answers; drawing into memory gives it no reason.
pub(crate) fn svg(chart: &Chart) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (plot, legend) = area.split_horizontally(SIZE.0 - LEGEND_WIDTH);
        draw_plot(chart, &plot)?;
        draw_legend(chart, &legend)?;
        area.present()?;
    }
    Ok(text)
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw_plot(chart: &Chart, area: &Area<'_>) -> Drawn {
    let mut context = ChartBuilder::on(area)
        .margin(14)
        .caption(&chart.title, (FONT, 22))
        .x_label_area_size(58)
        .y_label_area_size(82)
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
            Look::Dashes => {
                context.draw_series(DashedLineSeries::new(points, 8, 6, colour.stroke_width(2))).map(|_| ())
            }
            Look::Dots => {
                context.draw_series(points.map(|at| Circle::new(at, 4, colour.filled()))).map(|_| ())
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

fn draw_legend(chart: &Chart, area: &Area<'_>) -> Drawn {
    let style = TextStyle::from((FONT, 16).into_font()).pos(Pos::new(HPos::Left, VPos::Center));
    let mut y = 60;
    for series in chart.series.iter().filter(|series| !series.name.is_empty()) {
        draw_sample(series, y, area)?;
        area.draw(&Text::new(series.name.clone(), (52, y), style.clone())).map_err(|e| e.to_string())?;
        y += LEGEND_LINE;
    }
    for note in &chart.notes {
        y += LEGEND_LINE;
        area.draw(&Text::new(note.clone(), (8, y), style.clone())).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn draw_sample(series: &Series, y: i32, area: &Area<'_>) -> Drawn {
    let colour = colour(series);
    let drawn = match series.look {
        Look::Dots => area.draw(&Circle::new((26, y), 4, colour.filled())),
        Look::Bars => area.draw(&Rectangle::new([(14, y - 7), (38, y + 7)], colour.filled())),
        Look::Line => area.draw(&PathElement::new([(8, y), (44, y)], colour.stroke_width(3))),
        Look::Dashes => {
            area.draw(&PathElement::new([(8, y), (22, y)], colour.stroke_width(3)))
                .map_err(|e| e.to_string())?;
            area.draw(&PathElement::new([(30, y), (44, y)], colour.stroke_width(3)))
        }
    };
    Ok(drawn.map_err(|e| e.to_string())?)
}
