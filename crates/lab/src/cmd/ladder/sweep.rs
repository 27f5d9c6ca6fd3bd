//! Curves over a parameter of a ladder: `--over` names it, the other flags determine the curves; several
//! values of one flag give one curve each.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "parameters within their limits, and counts of points"
)]

mod case;
mod drawing;

use std::io;

use nearmiss_cli::failure::Failure;

use crate::curves::{Estimate, Line, Panel, Scale};

pub(super) use case::{Case, Over};
pub(super) use drawing::{Drawing, draw};

/// The highest number of simulated points of a curve.
const MAX_SIMULATED: usize = 26;

/// The quantities on the two axes.
pub(super) struct Sweep<'a> {
    /// The parameter on the horizontal axis.
    pub(super) over: Over,
    /// The subject of each curve; the value of `over` in it does not matter.
    pub(super) cases: Vec<Case>,
    /// The parameters that the curves have; those that differ are their names.
    pub(super) parameters: &'a [Over],
    /// The title, and the label of the vertical axis.
    pub(super) texts: (&'a str, &'a str),
}

/// The parts of a curve: theory, and a simulation.
pub(super) trait Theory {
    /// The value by formula.
    ///
    /// # Errors
    /// There is no such ladder.
    fn value(&self, case: &Case) -> io::Result<f64>;

    /// The value by simulation, or none if that would be meaningless.
    ///
    /// # Errors
    /// There is no such ladder, or no memory for it.
    fn simulated(&mut self, case: &Case, x: f64) -> io::Result<Option<Estimate>>;
}

impl Sweep<'_> {
    /// The curves on their axes.
    ///
    /// # Errors
    /// There is no such ladder, or no memory for it.
    pub(super) fn drawn(&self, drawing: &Drawing, theory: &mut dyn Theory) -> Result<Panel, Failure> {
        let lines = self.cases.iter().map(|case| self.line(case, drawing, theory));
        let lines = lines.collect::<io::Result<_>>();
        Ok(self.panel(drawing, lines.map_err(|e| Failure::new("cannot compute the curve", e))?))
    }

    /// Axes for these curves.
    pub(super) fn panel(&self, drawing: &Drawing, lines: Vec<Line>) -> Panel {
        let x = if self.over.is_by_decades() { Scale::Decades } else { Scale::Linear };
        let y = if drawing.log { Scale::Decades } else { Scale::Linear };
        let fixed: Vec<String> = self.split().1;
        let trials = (drawing.trials > 0).then(|| format!("{} trials a point", drawing.trials));
        let (title, label) = self.texts;
        Panel {
            title: format!("{title}, by {}", self.over.name()),
            x: (self.over.label().to_owned(), x),
            y: (label.to_owned(), y),
            lines,
            notes: [fixed.join(", ")].into_iter().filter(|text| !text.is_empty()).chain(trials).collect(),
            remarks: Vec::new(),
        }
    }

    fn line(&self, case: &Case, drawing: &Drawing, theory: &mut dyn Theory) -> io::Result<Line> {
        let xs = self.over.places(case, drawing.range);
        let every = xs.len().div_ceil(MAX_SIMULATED).max(1);
        let mut line = Line { name: self.name(case), ..Line::default() };
        for (number, &x) in xs.iter().enumerate() {
            let case = case.with(self.over, x);
            line.theory.push((x, theory.value(&case)?));
            if drawing.trials > 0 && (number + 1) % every == 0 {
                line.simulated.extend(theory.simulated(&case, x)?);
            }
        }
        Ok(line)
    }

    /// The parameters that differ between the curves, and those that do not, as text.
    fn split(&self) -> (Vec<Over>, Vec<String>) {
        let (mut different, mut same) = (Vec::new(), Vec::new());
        for &parameter in self.parameters.iter().filter(|parameter| **parameter != self.over) {
            let Some(first) = self.cases.first() else { continue };
            if self.cases.iter().any(|case| (case.get(parameter) - first.get(parameter)).abs() > 0.0) {
                different.push(parameter);
            } else {
                same.push(first.shown(parameter));
            }
        }
        (different, same)
    }

    /// The name of a case's curve: what it differs in.
    pub(super) fn name(&self, case: &Case) -> String {
        let different = self.split().0;
        if different.is_empty() {
            return self.texts.1.to_owned();
        }
        different.iter().map(|&parameter| case.shown(parameter)).collect::<Vec<_>>().join(", ")
    }
}
