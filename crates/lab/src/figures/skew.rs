//! Figure 5: heights of a password never seen, exactly and by the binomial distribution.
use nearmiss_filters::ladder::{SeededRandom, heights};

use super::power_of_two;
use crate::{
    curves::{Estimate, Line, Panel, Scale},
    trial::drawn_heights,
};

const RUNGS: u32 = 48;
const TITLE: &str = "Figure 5. Heights are binomial once the array is much larger than a password's rungs";
/// From arrays in which most bits are the password's own to one in which few are.
const SIZES: [u64; 4] = [64, 128, 256, 65_536];

/// Figure 5.
pub(super) fn panels(trials: u64, random: &mut SeededRandom) -> Vec<Panel> {
    vec![Panel { title: TITLE.to_owned(), ..panel(&SIZES, RUNGS, trials, random) }]
}

/// Heights in arrays of these sizes beside the binomial distribution.
pub(crate) fn panel(sizes: &[u64], rungs: u32, trials: u64, random: &mut SeededRandom) -> Panel {
    let mut lines: Vec<Line> = sizes.iter().map(|&bits| line(bits, rungs, trials, random)).collect();
    lines.push(Line {
        name: "binomial".to_owned(),
        theory: points(&heights::binomial(rungs)),
        is_dashed: true,
        ..Line::default()
    });
    let notes = [format!("H = {rungs}; exactly N/2 bits are ones")];
    let trials = (trials > 0).then(|| format!("{trials} passwords drawn"));
    Panel {
        title: "How high a password stands that was never seen, in arrays of N bits".to_owned(),
        x: ("height of a password never seen".to_owned(), Scale::Linear),
        y: ("probability".to_owned(), Scale::Linear),
        lines,
        notes: notes.into_iter().chain(trials).collect(),
        remarks: Vec::new(),
    }
}

fn line(bits: u64, rungs: u32, trials: u64, random: &mut SeededRandom) -> Line {
    let theory = points(&heights::hypergeometric(bits, rungs));
    let counts = if trials > 0 { drawn_heights(bits, rungs, trials, random) } else { Vec::new() };
    let simulated = counts.iter().zip(0_u32..).filter(|(_, height)| height % 2 == 0);
    let simulated =
        simulated.map(|(&count, height)| Estimate::of_count(f64::from(height), count, trials)).collect();
    Line { name: format!("N = {}", power_of_two(bits)), theory, simulated, is_dashed: false }
}

fn points(heights: &[f64]) -> Vec<(f64, f64)> {
    heights.iter().zip(0_u32..).map(|(&p, height)| (f64::from(height), p)).collect()
}
