//! Lines that can be read without colours: each has marks of its own, and its name at its end.

use std::f64::consts::PI;

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{Area, COLOURS, Chart, Drawn, FONT, Look, Series, colour};

/// The distance of a mark's corners from its middle, in pixels.
const RADIUS: f64 = 5.0;
const LETTERS: u32 = 15;
/// Pixels between two names.
const LINE: i32 = 20;
/// The left edges of what is drawn beside the plot: leaders, marks, names.
const INDENTS: (i32, i32, i32) = (-12, 16, 28);

/// The marks of the colours: corners, half turns of the first one from straight up, and true for an outline.
const MARKS: [(u32, f64, bool); COLOURS.len()] = [
    (16, 0.0, false),
    (3, 0.0, false),
    (4, 0.25, false),
    (4, 0.0, false),
    (3, 1.0, false),
    (4, 0.25, true),
    (16, 0.0, true),
    (4, 0.0, true),
];

/// The corners of a series' mark around its middle, and its fill.
pub(super) fn mark(series: &Series) -> (Vec<(i32, i32)>, ShapeStyle) {
    let (corners, turn, is_outline) = MARKS.get(series.colour).copied().unwrap_or((16, 0.0, false));
    let corner = |number: u32| {
        let angle = PI * (turn + 2.0 * f64::from(number) / f64::from(corners));
        ((RADIUS * angle.sin()).round() as i32, (-RADIUS * angle.cos()).round() as i32)
    };
    let fill = if is_outline { WHITE } else { colour(series) };
    ((0..=corners).map(corner).collect(), fill.filled())
}

/// Writes the names of the lines at the heights of their ends, between these two heights of the area.
///
/// # Errors
/// As the drawing library.
pub(super) fn draw_names(chart: &Chart, area: &Area<'_>, heights: (i32, i32)) -> Drawn {
    let named = chart.series.iter().filter(|series| series.look == Look::Named);
    let ends = named.filter_map(|series| Some((series, chart.height(series.points.last()?.1, heights))));
    let mut ends: Vec<(&Series, i32)> = ends.collect();
    ends.sort_by_key(|(_, y)| *y);
    let places = apart(&ends.iter().map(|(_, y)| *y).collect::<Vec<i32>>(), heights.1);
    let style = TextStyle::from((FONT, LETTERS).into_font()).pos(Pos::new(HPos::Left, VPos::Center));
    for ((series, end), place) in ends.into_iter().zip(places) {
        let (corners, fill) = mark(series);
        let at = (INDENTS.1, place);
        let leader = PathElement::new([(INDENTS.0, end), at], COLOURS[super::GREY].stroke_width(1));
        area.draw(&leader).map_err(|e| e.to_string())?;
        let sample = EmptyElement::at(at)
            + Polygon::new(corners.clone(), fill)
            + PathElement::new(corners, colour(series).stroke_width(2));
        area.draw(&sample).map_err(|e| e.to_string())?;
        area.draw(&Text::new(series.name.clone(), (INDENTS.2, place), style.clone()))
            .map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Heights in the same order, none lower than the last one, a line apart where there is room.
fn apart(heights: &[i32], last: i32) -> Vec<i32> {
    let mut places = heights.to_vec();
    let mut free = i32::MIN;
    for place in &mut places {
        *place = (*place).max(free);
        free = place.saturating_add(LINE);
    }
    let mut free = last;
    for place in places.iter_mut().rev() {
        *place = (*place).min(free);
        free = place.saturating_sub(LINE);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_touch() {
        assert_eq!(apart(&[10, 100], 400), [10, 100]);
        assert_eq!(apart(&[10, 12, 13, 90], 400), [10, 30, 50, 90]);
        assert_eq!(apart(&[370, 399, 400], 400), [360, 380, 400]);
        assert!(apart(&[], 400).is_empty());
    }

    #[test]
    fn every_colour_has_a_mark_of_its_own() {
        let marks: Vec<String> = (0..COLOURS.len())
            .map(|colour| {
                let series = Series { name: String::new(), colour, look: Look::Named, points: Vec::new() };
                let (corners, fill) = mark(&series);
                format!("{corners:?} {}", fill.color == WHITE.to_rgba())
            })
            .collect();
        let distinct: std::collections::HashSet<&String> = marks.iter().collect();
        assert_eq!(distinct.len(), marks.len());
    }
}
