//! Numbers as a formula has them.

const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// 1.36·10⁻⁴, with at most three digits, and none that is a last 0.
pub(crate) fn scientific(number: f64) -> String {
    let text = format!("{number:.2e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    let exponent = raised(exponent.parse().unwrap_or(0));
    if mantissa == "1" { format!("10{exponent}") } else { format!("{mantissa}·10{exponent}") }
}

/// 2²⁹ where it is a power of two, else the number.
pub(crate) fn power_of_two(number: u64) -> String {
    if number.is_power_of_two() && number > 1 << 9 {
        format!("2{}", raised(i32::try_from(number.ilog2()).unwrap_or(0)))
    } else {
        number.to_string()
    }
}

fn raised(exponent: i32) -> String {
    let digits = exponent.unsigned_abs().to_string();
    let digits = digits.bytes().filter_map(|digit| SUPERSCRIPTS.get(usize::from(digit.wrapping_sub(b'0'))));
    let digits: String = digits.collect();
    if exponent < 0 { format!("⁻{digits}") } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [scientific(1.359e-4), scientific(1e-6), scientific(2e-8)],
            ["1.36·10⁻⁴", "10⁻⁶", "2·10⁻⁸"]
        );
        assert_eq!([power_of_two(1 << 29), power_of_two(64), power_of_two(1000)], ["2²⁹", "64", "1000"]);
    }
}
