//! Numbers for people: counts with their noun, estimates, and fractions with their significant digits.

use indicatif::HumanCount;

/// The number of digits of a computed number: more are useless to a reader.
const DIGITS: i32 = 4;

/// A number of things in words: "1 page", "2 pages".
pub fn counted(count: u64, thing: &str) -> String {
    format!("{} {}", HumanCount(count), things(count, thing))
}

/// The noun for this count: "page", "pages".
pub fn things(count: u64, thing: &str) -> String {
    format!("{thing}{}", if count == 1 { "" } else { "s" })
}

/// A count that may be an estimate: "3,000,000", "about 3,000,000". An exact count is shown unchanged.
pub fn about(count: u64, is_estimate: bool) -> String {
    if is_estimate { format!("about {}", HumanCount(rounded(count))) } else { number(count) }
}

/// A count with commas between its thousands.
pub fn number(count: u64) -> String {
    HumanCount(count).to_string()
}

/// The count rounded to the digits of an estimate.
fn rounded(count: u64) -> u64 {
    let unit = 10_u64.pow(count.checked_ilog10().unwrap_or(0).saturating_sub(2));
    count.saturating_add(unit / 2).checked_div(unit).unwrap_or(0).saturating_mul(unit)
}

/// A number to four digits: "0.001", "0.7468", "2.837e-5", "9362".
#[allow(clippy::cast_possible_truncation, reason = "the exponent of a binary64 is within ±324")]
pub fn digits(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let exponent = number.abs().log10().floor() as i32;
    if exponent < -3 {
        return without_zeros(&format!("{number:.3e}"));
    }
    let places = usize::try_from(DIGITS.saturating_sub(1).saturating_sub(exponent)).unwrap_or(0);
    without_zeros(&format!("{number:.places$}"))
}

/// The number without trailing zeros of its fraction.
fn without_zeros(number: &str) -> String {
    let (mantissa, exponent) = number.split_once('e').unwrap_or((number, ""));
    let is_fraction = mantissa.contains('.');
    let mantissa = if is_fraction { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    if exponent.is_empty() { mantissa.to_owned() } else { format!("{mantissa}e{exponent}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        let words = [0, 1, 2, 1000].map(|count| counted(count, "word"));
        assert_eq!(words, ["0 words", "1 word", "2 words", "1,000 words"]);
    }

    #[test]
    fn an_estimate_has_three_digits_and_says_so() {
        assert_eq!(about(2_999_997, true), "about 3,000,000");
        assert_eq!(about(1_234_567, true), "about 1,230,000");
        assert_eq!(about(1_048_576, false), "1,048,576");
        assert_eq!((about(7, true), about(0, true)), ("about 7".to_owned(), "about 0".to_owned()));
        assert!(about(u64::MAX, true).starts_with("about 18,4"));
    }

    #[test]
    fn fractions_have_four_digits() {
        for (number, text) in [
            (0.001, "0.001"),
            (0.000_028_373_026_625_734_523, "2.837e-5"),
            (0.746_812, "0.7468"),
            (1.0, "1"),
            (0.0, "0"),
            (1e-9, "1e-9"),
            (12.345_6, "12.35"),
            (9362.3, "9362"),
            (123_456.7, "123457"),
            (100.0, "100"),
        ] {
            assert_eq!(digits(number), text);
        }
        assert_eq!(digits(f64::NAN), "NaN");
    }
}
