//! The title above a plot and the remarks below it, in as many lines as they need.

use plotters::prelude::*;

use super::{Area, Chart, Drawn, FONT};

/// A size of text: pixels of the letters, of a line, and the characters that fit into the width.
struct Size {
    letters: u32,
    line: u32,
    characters: usize,
}

const TITLE: Size = Size { letters: 21, line: 27, characters: 90 };
const REMARK: Size = Size { letters: 15, line: 20, characters: 145 };

/// Pixels between the edge of the drawing and what is nearest.
const MARGIN: u32 = 14;

/// Pixels that the title takes.
pub(super) fn title_height(chart: &Chart) -> u32 {
    MARGIN + TITLE.line * lines(std::slice::from_ref(&chart.title), &TITLE).len() as u32
}

/// Pixels that the remarks take.
pub(super) fn remarks_height(chart: &Chart) -> u32 {
    match lines(&chart.remarks, &REMARK).len() as u32 {
        0 => 0,
        count => MARGIN + REMARK.line * count,
    }
}

/// Pixels that texts take beside the plot itself.
pub(super) fn height(chart: &Chart) -> u32 {
    title_height(chart) + remarks_height(chart)
}

/// Writes the title.
///
/// # Errors
/// As the drawing library.
pub(super) fn draw_title(chart: &Chart, area: &Area<'_>) -> Drawn {
    let style = (FONT, TITLE.letters as i32, FontStyle::Bold).into_font().color(&BLACK);
    draw(&lines(std::slice::from_ref(&chart.title), &TITLE), &TITLE, MARGIN, &style, area)
}

/// Writes the remarks.
///
/// # Errors
/// As the drawing library.
pub(super) fn draw_remarks(chart: &Chart, area: &Area<'_>) -> Drawn {
    let style = (FONT, REMARK.letters as i32).into_font().color(&BLACK);
    draw(&lines(&chart.remarks, &REMARK), &REMARK, 0, &style, area)
}

fn draw(lines: &[String], size: &Size, top: u32, style: &TextStyle<'_>, area: &Area<'_>) -> Drawn {
    for (line, number) in lines.iter().zip(0_u32..) {
        let place = ((2 * MARGIN) as i32, (top + size.line * number) as i32);
        area.draw(&Text::new(line.clone(), place, style.clone())).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn lines(texts: &[String], size: &Size) -> Vec<String> {
    texts.iter().flat_map(|text| wrapped(text, size.characters)).collect()
}

/// A text in lines of at most so many characters, unless a word is longer.
pub(super) fn wrapped(text: &str, characters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= characters) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_long_as_they_may_be() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("unbreakable x", 5), ["unbreakable", "x"]);
        assert!(wrapped("", 5).is_empty());
    }
}
