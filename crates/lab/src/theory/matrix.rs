//! Square matrices of probabilities and polynomials of them: what the walk of a height is computed with.
//!
//! Only sums and products of numbers ≥ 0 occur, so nothing cancels and a probability of 10⁻²⁸ is as exact as
//! one of ½.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "sizes of matrices and polynomials that are in memory, at least one coefficient"
)]

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Square {
    side: usize,
    cells: Vec<f64>,
}

impl Square {
    /// All zero.
    pub(crate) fn zero(side: usize) -> Self {
        Self { side, cells: vec![0.0; side * side] }
    }

    /// One on the diagonal.
    pub(crate) fn identity(side: usize) -> Self {
        let mut one = Self::zero(side);
        for i in 0..side {
            one.add(i, i, 1.0);
        }
        one
    }

    /// Its rows, first to last.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.cells.chunks_exact(self.side.max(1))
    }

    /// Adds to one cell; a cell outside is none.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        let rows = self.cells.chunks_exact_mut(self.side.max(1));
        if let Some(cell) = rows.into_iter().nth(row).and_then(|r| r.get_mut(column)) {
            *cell += value;
        }
    }

    /// Every cell times a factor.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        self.cells.iter_mut().for_each(|cell| *cell *= factor);
        self
    }

    /// Sum, cell by cell.
    pub(crate) fn plus(mut self, other: &Self) -> Self {
        self.cells.iter_mut().zip(&other.cells).for_each(|(cell, more)| *cell += more);
        self
    }

    /// Adds the product `a · b`.
    fn add_product(&mut self, a: &Self, b: &Self) {
        for (target, row) in self.cells.chunks_exact_mut(self.side.max(1)).zip(a.rows()) {
            add_row_product(target, row, b);
        }
    }

    /// The product `self · other`.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.side);
        product.add_product(self, other);
        product
    }

    /// The product of `count` copies of itself.
    pub(crate) fn to_the(&self, count: u32) -> Self {
        (0..count).fold(Self::identity(self.side), |power, _| power.times(self))
    }

    fn largest(&self) -> f64 {
        self.cells.iter().copied().fold(0.0, f64::max)
    }
}

/// Adds the row vector `row · matrix` to `target`.
fn add_row_product(target: &mut [f64], row: &[f64], matrix: &Square) {
    for (&weight, line) in row.iter().zip(matrix.rows()).filter(|(weight, _)| **weight != 0.0) {
        target.iter_mut().zip(line).for_each(|(cell, value)| *cell += weight * value);
    }
}

/// A polynomial with matrices as coefficients: the power of z counts observations.
pub(crate) struct Polynomial {
    coefficients: Vec<Square>,
    longest: usize,
}

/// Coefficients below this are dropped from the end: what they could add is far below the smallest result.
const NEGLIGIBLE: f64 = 1e-48;

impl Polynomial {
    /// Of these coefficients (power 0 first); powers from `longest` on are never needed.
    pub(crate) fn new(coefficients: Vec<Square>, longest: usize) -> Self {
        let mut polynomial = Self { coefficients, longest };
        polynomial.trim();
        polynomial
    }

    fn trim(&mut self) {
        self.coefficients.truncate(self.longest);
        while self.coefficients.len() > 1
            && self.coefficients.last().is_some_and(|c| c.largest() < NEGLIGIBLE)
        {
            self.coefficients.pop();
        }
    }

    /// The product `self · other`.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let length = self.coefficients.len() + other.coefficients.len() - 1;
        let side = self.coefficients.first().map_or(0, |c| c.side);
        let mut product = vec![Square::zero(side); length.min(self.longest)];
        for (i, a) in self.coefficients.iter().enumerate() {
            for (target, b) in product.iter_mut().skip(i).zip(&other.coefficients) {
                target.add_product(a, b);
            }
        }
        Self::new(product, self.longest)
    }

    /// `self` to the power of `exponent` by squaring, most significant digit first, so that all products but
    /// the squares are with the short polynomial itself.
    pub(crate) fn to_the(&self, exponent: u64) -> Self {
        let side = self.coefficients.first().map_or(0, |c| c.side);
        let mut power = Self::new(vec![Square::identity(side)], self.longest);
        for digit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            power = power.times(&power);
            if exponent >> digit & 1 == 1 {
                power = power.times(self);
            }
        }
        power
    }

    /// The vector polynomial `vectors · self`, of the same length as `vectors`.
    pub(crate) fn applied_to(&self, vectors: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut moved: Vec<Vec<f64>> = vectors.iter().map(|v| vec![0.0; v.len()]).collect();
        for (i, vector) in vectors.iter().enumerate().filter(|(_, v)| v.iter().any(|p| *p != 0.0)) {
            for (target, matrix) in moved.iter_mut().skip(i).zip(&self.coefficients) {
                add_row_product(target, vector, matrix);
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_by_two(cells: [f64; 4]) -> Square {
        let mut square = Square::zero(2);
        for (i, value) in cells.into_iter().enumerate() {
            square.add(i / 2, i % 2, value);
        }
        square
    }

    #[test]
    fn product_of_two_matrices() {
        let product = two_by_two([1.0, 2.0, 3.0, 4.0]).times(&two_by_two([5.0, 6.0, 7.0, 8.0]));
        assert_eq!(product, two_by_two([19.0, 22.0, 43.0, 50.0]));
        assert_eq!(product.to_the(0), Square::identity(2));
    }

    #[test]
    fn powers_are_repeated_products_and_are_cut() {
        let one =
            Polynomial::new(vec![two_by_two([0.5, 0.1, 0.2, 0.3]), two_by_two([0.1, 0.3, 0.0, 0.5])], 4);
        let seventh = one.to_the(7);
        let mut slow = one.to_the(0);
        for _ in 0..7 {
            slow = slow.times(&one);
        }
        assert_eq!(seventh.coefficients.len(), 4);
        for (fast, slow) in seventh.coefficients.iter().zip(&slow.coefficients) {
            assert!(fast.cells.iter().zip(&slow.cells).all(|(a, b)| (a - b).abs() < 1e-15));
        }
    }

    #[test]
    fn a_vector_moves_like_the_first_row() {
        let one =
            Polynomial::new(vec![two_by_two([0.5, 0.1, 0.2, 0.3]), two_by_two([0.1, 0.3, 0.0, 0.5])], 3);
        let moved = one.applied_to(&[vec![1.0, 0.0], vec![0.0, 0.0], vec![0.0, 0.0]]);
        assert_eq!(moved, vec![vec![0.5, 0.1], vec![0.1, 0.3], vec![0.0, 0.0]]);
    }
}
