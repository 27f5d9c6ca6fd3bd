//! The drawing: one panel for each file, side by side. A panel has the file's name at the top, its pages with
//! their numbers on the left, the scale of colours, and the facts of the header.

use nearmiss_cli::{failure::Failure, keys};
use nearmiss_filters::page::BIT_BYTES;

use super::{
    PictureSubject,
    canvas::{CHARACTER_WIDTH, Canvas, LINE_HEIGHT},
    caption::{self, wrapped},
    colour::Colour,
    grid::{Cells, Grid},
    subject::Drawn,
};

/// White space around everything, in pixels.
const MARGIN: usize = 16;

/// Room on the left of the pages for their numbers.
const GUTTER: usize = 8 * CHARACTER_WIDTH;

/// Height of the scale of colours.
const SCALE_HEIGHT: usize = 20;

/// The range of fills that the colours span.
#[derive(Clone, Copy)]
struct Span {
    least: f64,
    most: f64,
}

/// Draws the subjects side by side, each `width` pixels wide without the numbers of its pages, and returns
/// the PNG.
///
/// # Errors
/// A [`Failure`] when the picture is too large for the format.
pub(crate) fn draw(subjects: &[PictureSubject], width: usize) -> Result<Vec<u8>, Failure> {
    let panels = Panels::of(subjects, width);
    let mut canvas = Canvas::new(MARGIN + subjects.len() * panels.step(), panels.bottom);
    for ((subject, grid), at) in subjects.iter().zip(&panels.grids).zip(0_usize..) {
        panels.draw((subject, grid), MARGIN + at * panels.step(), &mut canvas);
    }
    canvas.into_png().map_err(|e| Failure::plain(keys::INTERNAL_ERROR, format!("cannot draw: {e}")))
}

/// The common layout of all panels: the caption below the pages begins at the same height in each.
struct Panels {
    width: usize,
    /// Of each subject.
    grids: Vec<Grid>,
    span: Span,
    /// The top of the pages, below the longest title.
    grid_top: usize,
    /// The beginning of the scale.
    scale_top: usize,
    /// The top of the caption.
    caption_top: usize,
    /// The bottom of the picture, below the longest caption.
    bottom: usize,
}

impl Panels {
    fn of(subjects: &[PictureSubject], width: usize) -> Panels {
        let grids = Grid::of_each(subjects, width);
        let most = |lines: fn(&PictureSubject, &Grid, usize) -> usize| {
            let each = subjects.iter().zip(&grids);
            each.map(|(subject, grid)| lines(subject, grid, columns(width))).max().unwrap_or(0) * LINE_HEIGHT
        };
        let title = most(|subject, _, columns| wrapped(&subject.name, columns).len());
        let caption = most(|subject, grid, columns| caption::lines(subject, grid.cells, columns).len());
        let grid_top = MARGIN + title + LINE_HEIGHT / 2;
        let coloured = subjects.iter().zip(&grids).filter(|(_, grid)| grid.cells != Cells::Bits);
        let coloured: Vec<&PictureSubject> = coloured.map(|(subject, _)| subject).collect();
        let height = grids.iter().map(|grid| grid.height).max().unwrap_or(0);
        let scale_top = grid_top + height + MARGIN;
        let has_scale = grids.iter().any(|grid| grid.cells != Cells::Bits);
        let scale = if has_scale { SCALE_HEIGHT + 2 * LINE_HEIGHT } else { 0 };
        let caption_top = scale_top + scale;
        let bottom = caption_top + caption + MARGIN;
        Panels { width, grids, span: Span::of(&coloured), grid_top, scale_top, caption_top, bottom }
    }

    /// Pixels from one panel to the next.
    fn step(&self) -> usize {
        GUTTER + self.width + MARGIN
    }

    fn draw(&self, (subject, grid): (&PictureSubject, &Grid), left: usize, canvas: &mut Canvas) {
        let columns = columns(self.width);
        write_lines(&wrapped(&subject.name, columns), (left, MARGIN), canvas);
        for mark in grid.marks(subject.pages.len()) {
            let number = mark.page.to_string();
            let room = (GUTTER - CHARACTER_WIDTH / 2).saturating_sub(number.len() * CHARACTER_WIDTH);
            canvas.text(left + room, self.grid_top + mark.y, &number);
        }
        let top_left = (left + GUTTER, self.grid_top);
        match grid.cells {
            Cells::Bits => draw_bits(subject, top_left, self.width, canvas),
            Cells::Squares { shared, side } => {
                self.draw_squares(subject, top_left, (grid.columns, shared, side), canvas);
                self.draw_scale(left + GUTTER, canvas);
            }
        }
        write_lines(&caption::lines(subject, grid.cells, columns), (left, self.caption_top), canvas);
    }

    fn draw_squares(
        &self,
        subject: &PictureSubject,
        (left, top): (usize, usize),
        (columns, shared, side): (usize, usize, usize),
        canvas: &mut Canvas,
    ) {
        for (pages, at) in subject.pages.chunks(shared).zip(0_usize..) {
            let (column, row) = (at % columns, at / columns);
            let place = (left + column * side, top + row * side);
            canvas.fill(place, (side, side), square_colour(pages, self.span));
        }
    }

    /// The scale of colours with its ends in numbers, and what they are the ends of.
    fn draw_scale(&self, left: usize, canvas: &mut Canvas) {
        for x in 0..self.width {
            let fraction = x as f64 / (self.width - 1) as f64;
            canvas.fill((left + x, self.scale_top), (1, SCALE_HEIGHT), Colour::of(fraction));
        }
        let below = self.scale_top + SCALE_HEIGHT + LINE_HEIGHT / 4;
        let (least, most) = (format!("{:.4}", self.span.least), format!("{:.4}", self.span.most));
        let room = |text: &str| self.width - text.len() * CHARACTER_WIDTH;
        let middle = if self.width < 512 { "ones" } else { "share of ones in a page" };
        canvas.text(left, below, &least);
        canvas.text(left + room(middle) / 2, below, middle);
        canvas.text(left + room(&most), below, &most);
    }
}

/// Characters in a line of text as wide as a panel.
fn columns(width: usize) -> usize {
    (GUTTER + width) / CHARACTER_WIDTH
}

fn write_lines(lines: &[String], (left, top): (usize, usize), canvas: &mut Canvas) {
    for (line, at) in lines.iter().zip(0_usize..) {
        canvas.text(left, top + at * LINE_HEIGHT, line);
    }
}

impl Span {
    /// From the emptiest to the fullest page of all; damaged ones have a colour of their own.
    fn of(subjects: &[&PictureSubject]) -> Span {
        let pages = subjects.iter().flat_map(|subject| &subject.pages).filter(|page| !page.is_damaged);
        let (least, most) =
            pages.fold((1.0_f64, 0.0_f64), |(least, most), page| (least.min(page.fill), most.max(page.fill)));
        if least < most { Span { least, most } } else { Span { least: 0.0, most: 1.0 } }
    }

    fn colour(self, fill: f64) -> Colour {
        Colour::of((fill - self.least) / (self.most - self.least))
    }
}

fn draw_bits(subject: &PictureSubject, (left, top): (usize, usize), width: usize, canvas: &mut Canvas) {
    let mut place = 0_usize;
    for page in &subject.pages {
        for (byte, at) in page.bits.iter().flat_map(|bits| bits.iter()).zip(0_usize..) {
            let is_checksum = subject.has_checksums && at >= BIT_BYTES;
            for bit in 0..8 {
                let colour = bit_colour(byte >> bit & 1 == 1, is_checksum, page.is_damaged);
                canvas.dot(left + place % width, top + place / width, colour);
                place += 1;
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

fn square_colour(pages: &[Drawn], span: Span) -> Colour {
    if pages.iter().any(|page| page.is_damaged) {
        return Colour::RED;
    }
    let sum: f64 = pages.iter().map(|page| page.fill).sum();
    span.colour(sum / pages.len().max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::{super::subject::tests::subject, *};

    #[test]
    fn damage_is_red_and_does_not_stretch_the_scale() {
        let mut one = subject(5);
        one.pages[3].fill = 1.0;
        let span = Span::of(&[&one]);
        assert!(span.least.abs() < 1e-9 && (span.most - 0.004).abs() < 1e-9);
        assert_eq!(square_colour(&subject(5).pages[3..4], span), Colour::RED);
        assert_eq!(bit_colour(true, false, true), Colour::RED);
    }

    #[test]
    fn a_long_name_pushes_all_pages_down_and_captions_do_not_overlap() {
        let (short, mut long) = (subject(5), subject(5));
        long.name = "x".repeat(200);
        let (one, two) = (Panels::of(std::slice::from_ref(&short), 512), Panels::of(&[short, long], 512));
        assert_eq!(two.grid_top - one.grid_top, 3 * LINE_HEIGHT);
        assert!(
            one.grid_top < one.scale_top && one.scale_top < one.caption_top && one.caption_top < one.bottom
        );
    }
}
