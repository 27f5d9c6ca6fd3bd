//! What became of a simulation as a drawing: rejected choices above, the most common password's share below.

use std::{error::Error, ops::Range};

use plotters::{
    coord::Shift,
    prelude::{
        BLUE, ChartBuilder, DrawingArea, IntoDrawingArea, LineSeries, PathElement, RED, RGBColor, SVGBackend,
        WHITE,
    },
    style::Color,
};

use super::world::Row;
use crate::failure::Failure;

const SIZE: (u32, u32) = (900, 700);

/// A line of a chart: its name, its colour, and its height at each row.
struct Line {
    name: &'static str,
    colour: RGBColor,
    height: fn(&Row) -> f64,
}

/// A chart: what its height is, how its marks are written, and its lines.
struct Chart {
    title: &'static str,
    mark: fn(&f64) -> String,
    lines: [Line; 2],
}

const REJECTED: Chart = Chart {
    title: "Choices rejected",
    mark: |share| format!("{:.1} %", 100.0 * share),
    lines: [
        Line { name: "since the row before", colour: RED, height: |row| row.rejected_share },
        Line { name: "so far", colour: BLUE, height: |row| row.rejected_share_so_far },
    ],
};

const TOP: Chart = Chart {
    title: "Users who have the most common password",
    mark: |power| format!("{:.4} %", 100.0 * 10_f64.powf(*power)),
    lines: [
        Line { name: "without a ladder", colour: RED, height: |row| power(row.top_share_without) },
        Line { name: "with the ladder", colour: BLUE, height: |row| power(row.top_share_with) },
    ],
};

/// The exponent of a share: the two lines are orders of magnitude apart.
fn power(share: f64) -> f64 {
    share.max(1e-12).log10()
}

/// The drawing, as SVG.
///
/// # Errors
/// The rows cannot be drawn.
pub(super) fn svg(rows: &[Row]) -> Result<String, Failure> {
    let mut text = String::new();
    match draw_all(rows, &mut text) {
        Ok(()) => Ok(text),
        Err(error) => Err(Failure::new("cannot draw the result", error)),
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn draw_all(rows: &[Row], text: &mut String) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::with_string(text, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let (above, below) = area.split_vertically(SIZE.1 / 2);
    draw(&REJECTED, rows, &above)?;
    draw(&TOP, rows, &below)?;
    area.present()?;
    Ok(())
}

fn draw(chart: &Chart, rows: &[Row], area: &Area<'_>) -> Result<(), Box<dyn Error>> {
    let users = 0.0..rows.last().map_or(1.0, |row| row.users as f64);
    let mut drawn = ChartBuilder::on(area)
        .caption(chart.title, ("sans-serif", 20))
        .margin(12)
        .margin_right(36)
        .x_label_area_size(36)
        .y_label_area_size(80)
        .build_cartesian_2d(users, heights(chart, rows))?;
    drawn
        .configure_mesh()
        .x_desc("users")
        .x_labels(6)
        .x_label_formatter(&|users| format!("{users:.0}"))
        .y_label_formatter(&chart.mark)
        .draw()?;
    for Line { name, colour, height } in &chart.lines {
        let points = rows.iter().map(|row| (row.users as f64, height(row)));
        let legend = move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], *colour);
        drawn.draw_series(LineSeries::new(points, colour.stroke_width(2)))?.label(*name).legend(legend);
    }
    drawn.configure_series_labels().background_style(WHITE.mix(0.8)).border_style(BLUE.mix(0.3)).draw()?;
    Ok(())
}

/// From the lowest to the highest point, with a margin.
fn heights(chart: &Chart, rows: &[Row]) -> Range<f64> {
    let heights = || chart.lines.iter().flat_map(|line| rows.iter().map(line.height));
    let (least, most) =
        (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
    let margin = ((most - least) * 0.05).max(1e-3);
    (least - margin)..(most + margin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_names_its_lines() {
        let row = |users| Row {
            users,
            rejected_share: 0.1,
            rejected_share_so_far: 0.05,
            top_share_with: 1e-4,
            top_share_without: 1e-2,
        };
        let svg = svg(&[row(10), row(20)]).unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for name in ["Choices rejected", "without a ladder", "with the ladder", "so far"] {
            assert!(svg.contains(name), "{name}");
        }
    }
}
