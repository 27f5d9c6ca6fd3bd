//! The theory of false positives.

use std::f64::consts::LN_2;

/// (1 − e^(−kn/m))^k: the false positive rate of n keys in m bits by k probes (Bloom 1970; Manber & Wu §3).
pub(crate) fn rate(keys: u64, bits: u64, probes: u32) -> f64 {
    let load = f64::from(probes) * keys as f64 / bits as f64;
    (-(-load).exp_m1()).powf(f64::from(probes))
}

/// (m/n) ln 2: the number of probes for which [`rate`] is least.
pub(crate) fn best_probes(keys: u64, bits: u64) -> f64 {
    bits as f64 / keys as f64 * LN_2
}

/// The whole number of probes for which [`rate`] is least.
pub(crate) fn best_whole_probes(keys: u64, bits: u64) -> u32 {
    let best = best_probes(keys, bits);
    let (below, above) = (best.floor().max(1.0) as u32, best.ceil().max(1.0) as u32);
    if rate(keys, bits, below) <= rate(keys, bits, above) { below } else { above }
}

/// The false positive rate where each key's probes stay in one of many pages: the mean over the pages' loads,
/// which are Poisson distributed; [`rate`] where there is one page for all.
pub(crate) fn paged_rate(keys: u64, bits: u64, page_bits: Option<u64>, probes: u32) -> f64 {
    let Some(page_bits) = page_bits else { return rate(keys, bits, probes) };
    let mean = keys as f64 * page_bits as f64 / bits as f64;
    let spread = 12.0 * mean.sqrt() + 20.0;
    let (least, most) = ((mean - spread).max(0.0).floor(), (mean + spread).ceil());
    let of_load = |load: f64| {
        let zero = load * f64::from(probes) * (-1.0 / page_bits as f64).ln_1p();
        (-zero.exp_m1()).powf(f64::from(probes))
    };
    let loads = (least as u64..=most as u64).map(|load| load as f64);
    loads.map(|load| poisson(mean, load) * of_load(load)).sum()
}

fn poisson(mean: f64, count: f64) -> f64 {
    (count * mean.ln() - mean - ln_factorial(count)).exp()
}

/// ln n!, exactly below 32, by Stirling's series (error below 10⁻⁹) from there on.
fn ln_factorial(n: f64) -> f64 {
    if n < 32.0 {
        return (2..=n as u32).map(|factor| f64::from(factor).ln()).sum();
    }
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n * n * n)
}

/// 1 − (1 − p)^s: the probability that one of s strings that are asked for is a false positive (Manber & Wu,
/// formula 3.5, where s = 2d + 1 for a password of d characters).
pub(crate) fn any_of(strings: u32, rate: f64) -> f64 {
    -(f64::from(strings) * (-rate).ln_1p()).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's own numbers: Table 2, "theory", for 3,026,758 extended words and passwords of 8
    /// characters.
    #[test]
    fn table_2_of_the_paper() {
        let percent = |bits| 100.0 * any_of(17, rate(3_026_758, bits, 5));
        assert!((percent(60_000_000) - 0.93).abs() < 0.005, "{}", percent(60_000_000));
        assert!((percent(40_000_000) - 5.14).abs() < 0.005, "{}", percent(40_000_000));
    }

    #[test]
    fn the_best_number_of_probes() {
        assert!((best_probes(1000, 10_000) - 6.931).abs() < 0.001);
        for bits in [4000, 8000, 12_345] {
            let best = best_whole_probes(1000, bits);
            assert!((1..40).all(|probes| rate(1000, bits, best) <= rate(1000, bits, probes)), "{bits}");
        }
    }

    #[test]
    fn large_pages_are_as_good_as_none_and_small_ones_worse() {
        let flat = rate(3_000_000, 40_000_000, 5);
        let ratio = |bytes: u64| paged_rate(3_000_000, 40_000_000, Some(bytes * 8), 5) / flat;
        assert!((ratio(65_536) - 1.0).abs() < 1e-3, "{}", ratio(65_536));
        assert!((1.0..1.01).contains(&ratio(4096)), "{}", ratio(4096));
        assert!(ratio(64) > 1.1 && ratio(32) > 2.0 * ratio(64) - 1.0, "{} {}", ratio(64), ratio(32));
    }

    #[test]
    fn poisson_sums_to_one() {
        for mean in [0.5, 19.0, 4000.0] {
            let sum: f64 = (0..20_000).map(|count| poisson(mean, f64::from(count))).sum();
            assert!((sum - 1.0).abs() < 1e-8, "{mean}: {sum}");
        }
    }
}
