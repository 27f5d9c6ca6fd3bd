//! The cost of keeping all rungs of an element in one page. [SH §VII-B]
//!
//! Clears fall anywhere while sets fall into the element's page, so the number of ones in a page of B bits
//! wanders like a queue with infinitely many servers: in the long run it is Poisson(B/2), not fixed. The page
//! then occasionally has more ones, and an element never seen is at the top correspondingly more often.

/// The factor by which an element never seen is at the top more often than with rungs all over the array: the
/// H-th factorial moment of Poisson(B/2) over that of a fixed half, B^H / (B·(B−1)·…·(B−H+1)) ≈
/// e^(H(H−1)/(2B)).
pub fn false_positive_factor(page_bits: u64, rungs: u32) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a page has at most 2^36 bits")]
    let page_bits = page_bits as f64;
    (0..rungs).map(|i| page_bits / (page_bits - f64::from(i))).product()
}

/// Standard deviation of the density of ones of a page in the long run: that of Poisson(B/2), over B.
pub fn density_deviation(page_bits: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a page has at most 2^36 bits")]
    let page_bits = page_bits as f64;
    (page_bits / 2.0).sqrt() / page_bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_to_the_exponential_for_large_pages() {
        let factor = false_positive_factor(1 << 15, 48);
        assert!((factor / (48.0 * 47.0 / 65536.0_f64).exp() - 1.0).abs() < 1e-4);
        assert!((false_positive_factor(1 << 15, 1) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn deviation_of_a_four_kibibyte_page() {
        assert!((density_deviation(1 << 15) - 0.0039).abs() < 1e-5);
    }
}
