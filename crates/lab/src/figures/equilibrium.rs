//! Figure 6: the height at which a password of a given frequency rests.

use std::io;

use nearmiss_filters::ladder::{SeededRandom, equilibrium};

use super::{BITS, DETECT, IGNORE, ladder, scientific};
use crate::theory::Memory;
use crate::{
    curves::{Estimate, Line, Panel, Scale},
    trial::{Replica, height_at_rest},
};

const RUNGS: u32 = 48;

/// Frequencies from 10⁻⁹ to 10⁻⁵, so many for each power of ten.
fn frequencies(of_ten: u32) -> impl Iterator<Item = f64> {
    (0..=4 * of_ten).map(move |number| 10_f64.powf(-9.0 + f64::from(number) / f64::from(of_ten)))
}

/// The curve.
pub(super) fn panels(trials: u64, random: &mut SeededRandom) -> io::Result<Vec<Panel>> {
    let params = ladder(RUNGS, RUNGS)?;
    let theory = frequencies(40).map(|f| (f, equilibrium::height(BITS, RUNGS, f))).collect();
    let mut simulated = Vec::new();
    for frequency in frequencies(4).filter(|_| trials > 0) {
        let replica = Replica::of(&params, Memory::Perpetual, frequency).map_err(io::Error::other)?;
        let rest = height_at_rest(frequency, &replica, trials as usize, random)?;
        simulated.push(Estimate { high: rest.high.min(f64::from(RUNGS)), ..rest });
    }
    let top = equilibrium::top_frequency(BITS, RUNGS);
    let level = |name: &str, frequency: f64| Line {
        name: format!("{name}: f = {}", scientific(frequency)),
        theory: vec![(frequency, f64::from(RUNGS) / 2.0), (frequency, f64::from(RUNGS))],
        is_dashed: true,
        ..Line::default()
    };
    let spread = format!("Spread: one standard deviation of {trials} heights");
    let notes = ["N = 2²⁹, H = 48".to_owned()].into_iter().chain((trials > 0).then_some(spread));
    Ok(vec![Panel {
        title: format!("Figure 6. From one in {:.1} million on, a password rests at the top", 1e-6 / top),
        x: ("frequency of the password, f".to_owned(), Scale::Decades),
        y: ("height at rest".to_owned(), Scale::Linear),
        lines: vec![
            Line { name: "height at rest".to_owned(), theory, simulated, is_dashed: false },
            level("to leave alone", IGNORE),
            level("to detect", DETECT),
        ],
        notes: notes.collect(),
        remarks: Vec::new(),
    }])
}
