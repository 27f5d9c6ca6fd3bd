//! The places of a file's pages in its drawing.

use nearmiss_filters::page::PAGE_BYTES;

use super::{canvas::LINE_HEIGHT, subject::PictureSubject};

/// Bits of a page, its checksum included.
const PAGE_BITS: usize = PAGE_BYTES * 8;

/// The sides that a square may have: powers of two, for round numbers of pages in a row.
const SIDES: [usize; 7] = [64, 32, 16, 8, 4, 2, 1];

/// The drawn part of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
    /// Its bits, a pixel each.
    Bits,
    /// Its fill, as the colour of a square of `side` pixels; `shared` pages have one square.
    Squares {
        /// Pages that share a square.
        shared: usize,
        /// Pixels.
        side: usize,
    },
}

/// Rows of cells, the same for files of about the same size so that they can be compared.
pub(super) struct Grid {
    /// The cells' quantity.
    pub(super) cells: Cells,
    /// Cells in a row.
    pub(super) columns: usize,
    /// Pixels of all rows together, for the largest of the files.
    pub(super) height: usize,
}

/// A place on the left edge of a grid, with the page that begins there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Pixels below the top of the grid.
    pub(super) y: usize,
    /// The page, by index.
    pub(super) page: usize,
}

impl Grid {
    /// The grid of each subject: one for all that have at least a quarter of the pages of the largest, and
    /// for each smaller one its own, in which it is no dot.
    pub(super) fn of_each(subjects: &[PictureSubject], width: usize) -> Vec<Grid> {
        let most = subjects.iter().map(|subject| subject.pages.len()).max().unwrap_or(0);
        let is_small = |subject: &PictureSubject| subject.pages.len() * 4 < most;
        let large: Vec<&PictureSubject> = subjects.iter().filter(|subject| !is_small(subject)).collect();
        let grid =
            |subject| if is_small(subject) { Grid::of(&[subject], width) } else { Grid::of(&large, width) };
        subjects.iter().map(grid).collect()
    }

    /// Bits if the bits of all subjects are known, or else the largest squares with which none is higher than
    /// wide.
    fn of(subjects: &[&PictureSubject], width: usize) -> Grid {
        let pages = subjects.iter().map(|subject| subject.pages.len()).max().unwrap_or(0).max(1);
        if subjects.iter().all(|subject| subject.has_bits()) {
            return Grid { cells: Cells::Bits, columns: width, height: (pages * PAGE_BITS).div_ceil(width) };
        }
        let shared = pages.div_ceil(width * width).max(1);
        let squares = pages.div_ceil(shared);
        let fits = |side: &usize| (width / side) * (width / side) >= squares;
        let side = SIDES.into_iter().find(fits).unwrap_or(1);
        let columns = (width / side).max(1);
        let height = squares.div_ceil(columns) * side;
        Grid { cells: Cells::Squares { shared, side }, columns, height }
    }

    /// Places to write the numbers of pages at, with room for a line of text between them, for a file of
    /// `pages`.
    pub(super) fn marks(&self, pages: usize) -> Vec<Mark> {
        // Pages and pixels from one possible mark to the next: a page of bits, or a row of squares.
        let (step_pages, step_pixels) = match self.cells {
            Cells::Bits => (1, PAGE_BITS as f64 / self.columns as f64),
            Cells::Squares { shared, side } => (shared * self.columns, side as f64),
        };
        let apart = 2.0 * LINE_HEIGHT as f64;
        let steps = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
        let every = steps.into_iter().find(|&every| every as f64 * step_pixels >= apart).unwrap_or(2048);
        (0..pages.div_ceil(step_pages))
            .step_by(every)
            .map(|step| Mark { y: (step as f64 * step_pixels) as usize, page: step * step_pages })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::subject::{Drawn, tests::subject},
        *,
    };

    #[test]
    fn squares_are_as_large_as_fits() {
        let grid = Grid::of(&[&subject(200), &subject(60)], 512);
        assert_eq!((grid.cells, grid.columns), (Cells::Squares { shared: 1, side: 32 }, 16));
        assert_eq!(grid.height, 13 * 32);
        let grid = Grid::of(&[&subject(300_000)], 256);
        assert_eq!((grid.cells, grid.columns), (Cells::Squares { shared: 5, side: 1 }, 256));
        assert!(grid.height <= 256);
        assert_eq!(Grid::of(&[&subject(3)], 512).cells, Cells::Squares { shared: 1, side: 64 });
    }

    #[test]
    fn a_file_that_is_much_smaller_has_a_grid_of_its_own() {
        let grids = |pages: [usize; 2]| {
            Grid::of_each(&pages.map(subject), 512).into_iter().map(|grid| grid.cells).collect::<Vec<_>>()
        };
        let squares = |side| Cells::Squares { shared: 1, side };
        assert_eq!(grids([20_000, 3]), [squares(2), squares(64)]);
        assert_eq!(grids([3, 20_000]), [squares(64), squares(2)]);
        assert_eq!(grids([20_000, 5_000]), [squares(2), squares(2)], "to be compared");
        let mut small = subject(4);
        small.pages.iter_mut().for_each(|page: &mut Drawn| page.bits = Some(Box::new([0; PAGE_BYTES])));
        assert_eq!(Grid::of_each(&[subject(20_000), small], 1024)[1].cells, Cells::Bits);
    }

    #[test]
    fn marks_are_the_pages_that_begin_rows() {
        let mark = |y, page| Mark { y, page };
        let grid = Grid::of(&[&subject(200)], 512);
        assert_eq!(grid.marks(200)[..3], [mark(0, 0), mark(64, 32), mark(128, 64)]);
        let grid = Grid::of(&[&subject(3)], 512);
        assert_eq!(grid.marks(3), [mark(0, 0)]);
    }

    #[test]
    fn marks_of_bits_are_pages() {
        let mut small = subject(4);
        small.pages.iter_mut().for_each(|page: &mut Drawn| page.bits = Some(Box::new([0; PAGE_BYTES])));
        let grid = Grid::of(&[&small], 1024);
        assert_eq!((grid.cells, grid.height), (Cells::Bits, 128));
        assert_eq!(grid.marks(4), [Mark { y: 0, page: 0 }, Mark { y: 64, page: 2 }]);
    }
}
