//! The information that an array reveals, with its key, about a password recorded once. [SH §V]

use super::heights::{binomial, tail};

/// ΔLH: the factor by which an element never seen is more likely at `from` or more than `steps` rungs higher;
/// the gain of an attacker who sees a candidate at `from + steps` (at most the top) instead of `from`. [SH
/// §V]
pub fn likelihood_ratio(rungs: u32, from: u32, steps: u32) -> f64 {
    let heights = binomial(rungs);
    tail(&heights, from.min(rungs)) / tail(&heights, from.saturating_add(steps).min(rungs))
}

/// Bits of information (Kullback–Leibler) that the array contains about a password recorded once with `steps`
/// steps: the divergence of its height from that of a password never recorded.
pub fn information_bits(rungs: u32, steps: u32) -> f64 {
    let unseen = binomial(rungs);
    let terms = recorded(&unseen, steps).into_iter().zip(&unseen);
    terms.filter(|(p, _)| *p > 0.0).map(|(p, q)| p * (p / q).log2()).sum()
}

/// The factor by which a password recorded once needs fewer guesses on average, if equally likely candidates
/// are tried from the highest down: ½ over its expected relative rank.
pub fn guess_speedup(rungs: u32, steps: u32) -> f64 {
    let unseen = binomial(rungs);
    let recorded = recorded(&unseen, steps);
    let mut above = 0.0;
    let mut rank = 0.0;
    for (p, q) in recorded.iter().zip(&unseen).rev() {
        rank += p * (above + q / 2.0);
        above += q;
    }
    0.5 / rank
}

/// Heights after one recording: `steps` higher, limited by the top.
fn recorded(unseen: &[f64], steps: u32) -> Vec<f64> {
    let mut moved = vec![0.0; unseen.len()];
    let top = unseen.len().saturating_sub(1);
    for (height, p) in unseen.iter().enumerate() {
        let height = height.saturating_add(steps as usize).min(top);
        if let Some(cell) = moved.get_mut(height) {
            *cell += p;
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_gives_nothing_away() {
        assert!((likelihood_ratio(16, 8, 0) - 1.0).abs() < 1e-15);
        assert!(information_bits(16, 0).abs() < 1e-15);
        assert!((guess_speedup(16, 0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn all_steps_give_all_away_that_a_ladder_can() {
        assert!((information_bits(16, 16) - 16.0).abs() < 1e-12);
        assert!((guess_speedup(16, 16) - 65536.0).abs() < 1e-6);
    }

    #[test]
    fn a_step_makes_the_upper_heights_likelier() {
        // Of 16 ways to set four rungs, 11 stand at two or more and 5 at three or more.
        assert!((likelihood_ratio(4, 2, 1) - 2.2).abs() < 1e-12);
    }

    #[test]
    fn the_top_is_the_end() {
        assert!((likelihood_ratio(16, 15, 9) - likelihood_ratio(16, 15, 1)).abs() < 1e-15);
        assert!((likelihood_ratio(16, 99, 9) - 1.0).abs() < 1e-15);
    }
}
