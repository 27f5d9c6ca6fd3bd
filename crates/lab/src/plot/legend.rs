//! The legend beside a plot: a sample of each named series, and notes.

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{Area, Chart, Drawn, FONT, Look, Series, colour, text::wrapped};

const LINE: i32 = 22;
const LETTERS: u32 = 15;
/// The left edge of texts, beside the samples.
const INDENT: i32 = 52;
/// Characters that fit beside a sample, and into the whole width.
const CHARACTERS: (usize, usize) = (25, 31);

/// Draws samples, names and notes.
///
/// # Errors
/// As the drawing library.
pub(super) fn draw(chart: &Chart, area: &Area<'_>) -> Drawn {
    let mut y = 34;
    let is_listed = |series: &&Series| !series.name.is_empty() && series.look != Look::Named;
    for series in chart.series.iter().filter(is_listed) {
        sample(series, y, area)?;
        y = write(&series.name, CHARACTERS.0, (INDENT, y), area)?;
    }
    for note in &chart.notes {
        y = write(note, CHARACTERS.1, (8, y + LINE / 2), area)?;
    }
    Ok(())
}

/// Writes a text in lines from here on and gives the height of the next line.
fn write(
    text: &str,
    characters: usize,
    at: (i32, i32),
    area: &Area<'_>,
) -> Result<i32, Box<dyn std::error::Error>> {
    let style = TextStyle::from((FONT, LETTERS).into_font()).pos(Pos::new(HPos::Left, VPos::Center));
    let mut y = at.1;
    for line in wrapped(text, characters) {
        area.draw(&Text::new(line, (at.0, y), style.clone())).map_err(|e| e.to_string())?;
        y += LINE;
    }
    Ok(y)
}

fn sample(series: &Series, y: i32, area: &Area<'_>) -> Drawn {
    let colour = colour(series);
    let drawn = match series.look {
        Look::Dots => area.draw(&Circle::new((26, y), 4, colour.filled())),
        Look::Bars => area.draw(&Rectangle::new([(14, y - 7), (38, y + 7)], colour.filled())),
        Look::Line | Look::Named => area.draw(&PathElement::new([(8, y), (44, y)], colour.stroke_width(3))),
        Look::Spread => area.draw(&PathElement::new([(26, y - 7), (26, y + 7)], colour.stroke_width(1))),
        Look::Dashes => {
            area.draw(&PathElement::new([(8, y), (22, y)], colour.stroke_width(3)))
                .map_err(|e| e.to_string())?;
            area.draw(&PathElement::new([(30, y), (44, y)], colour.stroke_width(3)))
        }
    };
    Ok(drawn.map_err(|e| e.to_string())?)
}
