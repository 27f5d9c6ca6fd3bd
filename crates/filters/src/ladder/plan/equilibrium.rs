//! The equilibrium height of an element, and the array size that separates two frequencies. [SH §VI]

#![allow(clippy::cast_precision_loss, reason = "bits are at most 2^36: exact in an f64")]

/// The height at which an element of this frequency climbs as often as it sinks: H/2 + f·N / (4·(1−f)), at
/// most the top. [SH §VI, equation 1]
pub fn height(bits: u64, rungs: u32, frequency: f64) -> f64 {
    let lift = frequency * bits as f64 / (4.0 * (1.0 - frequency));
    (f64::from(rungs) / 2.0 + lift).min(f64::from(rungs))
}

/// The frequency whose equilibrium is the top: 2H / (N + 2H). [SH §VI, equation 1 solved for f]
pub fn top_frequency(bits: u64, rungs: u32) -> f64 {
    let odds = 2.0 * f64::from(rungs) / bits as f64;
    odds / (1.0 + odds)
}

/// `f_m`: the geometric mean of the frequency to detect and the frequency to reject. [SH §VI]
pub fn middle_frequency(detect: f64, reject: f64) -> f64 {
    (detect * reject).sqrt()
}

/// N for which an element of the middle frequency comes to rest at the top: `2H·(1−f_m) / f_m`. [SH §VI]
pub fn bits_for(rungs: u32, middle_frequency: f64) -> f64 {
    2.0 * f64::from(rungs) * (1.0 - middle_frequency) / middle_frequency
}

/// The exponent of the power of two nearest to a size, on the logarithmic scale. [SH §VI]
pub fn nearest_power(bits: f64) -> f64 {
    bits.log2().round()
}

/// Density of ones after `steps` steps below the top, starting from `density`: ½ + (d − ½)·e^(−2t/N), because
/// each step sets a zero and clears two random bits, half of them ones already at balance.
pub fn density_after(bits: u64, density: f64, steps: f64) -> f64 {
    0.5 + (density - 0.5) * (-2.0 * steps / bits as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_frequency_rests_at_the_top() {
        // [SH §VI]: 48 rungs, 2^29 bits: one in 5,592,406.
        let f = top_frequency(1 << 29, 48);
        assert!((1.0 / f - 5_592_406.0).abs() < 0.5, "{}", 1.0 / f);
        assert!((height(1 << 29, 48, f * (1.0 - 1e-9)) - 48.0).abs() < 1e-6);
        assert!((height(1 << 20, 16, 1.0) - 16.0).abs() < 1e-12);
    }

    #[test]
    fn bits_and_the_frequency_at_the_top_belong_to_each_other() {
        // 2 · 10 · 0.8 / 0.2.
        assert!((bits_for(10, 0.2) - 80.0).abs() < 1e-12);
        assert!((bits_for(48, top_frequency(1 << 29, 48)) / f64::from(1 << 29) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn density_returns_to_one_half() {
        let half = f64::from(1 << 19);
        assert!((density_after(1 << 20, 0.75, half) - 0.5920).abs() < 1e-4);
        assert!((density_after(1 << 20, 0.75, 2.0 * half) - 0.5338).abs() < 1e-4);
        assert!((density_after(1 << 20, 0.75, 3.0 * half) - 0.5124).abs() < 1e-4);
    }

    #[test]
    fn a_rare_element_rests_little_above_the_middle() {
        // 8 + 10⁻⁵ · 2²⁰ / (4 · (1 − 10⁻⁵)).
        assert!((height(1 << 20, 16, 1e-5) - 10.621_466_2).abs() < 1e-6);
        assert!((height(1 << 20, 16, 0.0) - 8.0).abs() < 1e-12);
    }
}
