//! The drawing: one panel for each file, side by side, and under each the facts and what the colours mean.

use super::{
    Subject,
    canvas::{CHARACTER_WIDTH, Canvas, Colour, LINE_HEIGHT, wrapped},
    subject::Drawn,
};
use crate::failure::Failure;
use nearmiss_filters::page::{BIT_BYTES, PAGE_BYTES};

/// White space around everything, in pixels.
const MARGIN: usize = 16;

/// The largest side of a page's square.
const LARGEST_CELL: usize = 32;

/// Height of the scale of colours.
const SCALE_HEIGHT: usize = 20;

/// The range of fills that the colours span.
#[derive(Clone, Copy)]
struct Span {
    least: f64,
    most: f64,
}

/// Draws the subjects side by side, each `width` pixels wide, and gives the PNG.
///
/// # Errors
/// A [`Failure`] when the picture is too large for the format.
pub(crate) fn draw(subjects: &[Subject], width: usize) -> Result<Vec<u8>, Failure> {
    let is_by_bits = subjects.iter().all(Subject::has_bits);
    let span = Span::of(subjects);
    let captions: Vec<Vec<String>> =
        subjects.iter().map(|subject| caption(subject, is_by_bits, width)).collect();
    let layout = Layout::of(subjects, width, is_by_bits);
    let lines = captions.iter().map(Vec::len).max().unwrap_or(0);
    let scale_height = if is_by_bits { 0 } else { SCALE_HEIGHT.saturating_add(2 * LINE_HEIGHT) };
    let text_top = layout.height.saturating_add(2 * MARGIN);
    let height = text_top.saturating_add(scale_height).saturating_add(lines.saturating_mul(LINE_HEIGHT));
    let step = width.saturating_add(MARGIN);
    let total = subjects.len().saturating_mul(step).saturating_add(MARGIN);
    let mut canvas = Canvas::new(total, height.saturating_add(MARGIN));
    for ((subject, caption), at) in subjects.iter().zip(&captions).zip(0_usize..) {
        let left = MARGIN.saturating_add(at.saturating_mul(step));
        let mut top = text_top;
        if is_by_bits {
            draw_bits(subject, (left, MARGIN), width, &mut canvas);
        } else {
            draw_fills(subject, (left, MARGIN), &layout, span, &mut canvas);
            draw_scale(span, (left, top), width, &mut canvas);
            top = top.saturating_add(scale_height);
        }
        for line in caption {
            canvas.text(left, top, line);
            top = top.saturating_add(LINE_HEIGHT);
        }
    }
    canvas.into_png().map_err(|e| Failure::new("cannot draw", e))
}

/// The squares of pages.
struct Layout {
    /// Pages that share a square.
    shared: usize,
    /// The side of a square in pixels.
    side: usize,
    /// Squares in a row.
    columns: usize,
    /// Height of what is drawn.
    height: usize,
}

impl Layout {
    /// The largest squares with which the largest subject is no higher than wide.
    fn of(subjects: &[Subject], width: usize, is_by_bits: bool) -> Layout {
        let pages = subjects.iter().map(|subject| subject.pages.len()).max().unwrap_or(0).max(1);
        if is_by_bits {
            let height = pages.saturating_mul(PAGE_BYTES * 8).div_ceil(width);
            return Layout { shared: 1, side: 1, columns: width, height };
        }
        let shared = pages.div_ceil(width.saturating_mul(width)).max(1);
        let squares = pages.div_ceil(shared);
        let fits = |side: &usize| (width / side).saturating_mul(width / side) >= squares;
        let side = (1..=LARGEST_CELL).rev().find(fits).unwrap_or(1);
        let columns = (width / side).max(1);
        Layout { shared, side, columns, height: squares.div_ceil(columns).saturating_mul(side) }
    }
}

impl Span {
    /// From the emptiest to the fullest page of all; damaged ones have a colour of their own.
    fn of(subjects: &[Subject]) -> Span {
        let pages = subjects.iter().flat_map(|subject| &subject.pages).filter(|page| !page.is_damaged);
        let (least, most) =
            pages.fold((1.0_f64, 0.0_f64), |(least, most), page| (least.min(page.fill), most.max(page.fill)));
        if least < most { Span { least, most } } else { Span { least: 0.0, most: 1.0 } }
    }

    fn colour(self, fill: f64) -> Colour {
        Colour::of((fill - self.least) / (self.most - self.least))
    }
}

fn caption(subject: &Subject, is_by_bits: bool, width: usize) -> Vec<String> {
    let fill = format!("mean fill {:.4}, {} damaged pages", subject.mean_fill(), subject.damaged());
    let colours = match (is_by_bits, subject.has_checksums) {
        (true, true) => "a pixel a bit, black is one; orange: checksums of pages; red: damaged pages",
        (true, false) => "a pixel a bit, black is one",
        (false, true) => "a square a page, coloured by fill; red: damaged pages",
        (false, false) => "a square a page of 4 KiB, coloured by fill",
    };
    let lines = subject.facts.iter().cloned().chain([fill, colours.to_owned()]);
    lines.flat_map(|line| wrapped(&line, width / CHARACTER_WIDTH)).collect()
}

fn draw_bits(subject: &Subject, (left, top): (usize, usize), width: usize, canvas: &mut Canvas) {
    let mut place = 0_usize;
    for page in &subject.pages {
        for (byte, at) in page.bits.iter().flat_map(|bits| bits.iter()).zip(0_usize..) {
            let is_checksum = subject.has_checksums && at >= BIT_BYTES;
            for bit in 0..8 {
                let colour = bit_colour(byte >> bit & 1 == 1, is_checksum, page.is_damaged);
                canvas.dot(left.saturating_add(place % width), top.saturating_add(place / width), colour);
                place = place.saturating_add(1);
            }
        }
    }
}

fn bit_colour(is_one: bool, is_checksum: bool, is_damaged: bool) -> Colour {
    match (is_one, is_checksum, is_damaged) {
        (true, _, true) => Colour::RED,
        (true, true, false) => Colour::ORANGE,
        (false, true, _) => Colour::PALE,
        (true, false, false) => Colour::BLACK,
        (false, false, _) => Colour::WHITE,
    }
}

fn draw_fills(
    subject: &Subject,
    (left, top): (usize, usize),
    layout: &Layout,
    span: Span,
    canvas: &mut Canvas,
) {
    for (pages, at) in subject.pages.chunks(layout.shared).zip(0_usize..) {
        let (column, row) = (at % layout.columns, at / layout.columns);
        let place = |start: usize, steps: usize| start.saturating_add(steps.saturating_mul(layout.side));
        let colour = square_colour(pages, span);
        canvas.fill((place(left, column), place(top, row)), (layout.side, layout.side), colour);
    }
}

fn square_colour(pages: &[Drawn], span: Span) -> Colour {
    if pages.iter().any(|page| page.is_damaged) {
        return Colour::RED;
    }
    let sum: f64 = pages.iter().map(|page| page.fill).sum();
    span.colour(sum / pages.len().max(1) as f64)
}

/// The scale of colours with its ends and its middle in numbers.
fn draw_scale(span: Span, (left, top): (usize, usize), width: usize, canvas: &mut Canvas) {
    for x in 0..width {
        let fraction = x as f64 / width.saturating_sub(1).max(1) as f64;
        canvas.fill((left.saturating_add(x), top), (1, SCALE_HEIGHT), Colour::of(fraction));
    }
    let below = top.saturating_add(SCALE_HEIGHT).saturating_add(LINE_HEIGHT / 4);
    let (least, most) = (format!("{:.4}", span.least), format!("{:.4}", span.most));
    let middle = "fill of a page";
    let right = |text: &str, of: usize| of.saturating_sub(text.len().saturating_mul(CHARACTER_WIDTH));
    canvas.text(left, below, &least);
    canvas.text(left.saturating_add(right(middle, width) / 2), below, middle);
    canvas.text(left.saturating_add(right(&most, width)), below, &most);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(pages: usize) -> Subject {
        let page = |at: usize| Drawn { fill: at as f64 / 1000.0, is_damaged: at == 3, bits: None };
        Subject { facts: Vec::new(), pages: (0..pages).map(page).collect(), has_checksums: true }
    }

    #[test]
    fn squares_are_as_large_as_fits() {
        let layout = Layout::of(&[subject(200), subject(10)], 512, false);
        assert_eq!((layout.shared, layout.side, layout.columns, layout.height), (1, 32, 16, 416));
        let layout = Layout::of(&[subject(300_000)], 256, false);
        assert_eq!((layout.shared, layout.side, layout.columns), (5, 1, 256));
        assert!(layout.height <= 256);
    }

    #[test]
    fn damage_is_red_and_does_not_stretch_the_scale() {
        let mut one = subject(5);
        one.pages[3].fill = 1.0;
        let span = Span::of(&[one]);
        assert!(span.least.abs() < 1e-9 && (span.most - 0.004).abs() < 1e-9);
        assert_eq!(square_colour(&subject(5).pages[3..4], span), Colour::RED);
        assert_eq!(bit_colour(true, false, true), Colour::RED);
    }
}
