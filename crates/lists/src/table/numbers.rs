//! The numbers in columns: counts, ranks, shares.

/// The number in a column: digits, perhaps with a point or a bracket after them as ranks have, or with commas
/// between thousands.
pub(crate) fn number(field: &[u8]) -> Option<u64> {
    let field = field.trim_ascii();
    let digits = field.strip_suffix(b".").or_else(|| field.strip_suffix(b")")).unwrap_or(field);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if !is_number && !has_thousands(digits) {
        return None;
    }
    let digit =
        |sum: u64, byte: &u8| sum.saturating_mul(10).saturating_add(u64::from(byte.saturating_sub(b'0')));
    Some(digits.iter().filter(|byte| byte.is_ascii_digit()).fold(0, digit))
}

/// Up to three digits, and three after each comma.
fn has_thousands(text: &[u8]) -> bool {
    let mut groups = text.split(|&byte| byte == b',');
    let is_first = groups.next().is_some_and(|group| (1..=3).contains(&group.len()));
    is_first
        && text.contains(&b',')
        && text.iter().all(|byte| byte.is_ascii_digit() || *byte == b',')
        && groups.all(|group| group.len() == 3)
}

/// A count or a share in millionths, so that both are in order.
pub(crate) fn weight(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field.trim_ascii()).ok()?;
    let text = text.strip_suffix('%').unwrap_or(text).trim_end();
    if let Some(count) = number(text.as_bytes()) {
        let is_beyond = count == u64::MAX;
        let digits = || text.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok();
        return if is_beyond { digits().map(weight_of_share) } else { Some(weight_of_count(count)) };
    }
    is_decimal(text).then_some(())?;
    text.parse::<f64>().ok().filter(|share| share.is_finite()).map(weight_of_share)
}

/// The weight of a count, for lists of every form.
pub(crate) fn weight_of_count(count: u64) -> u64 {
    #[allow(clippy::cast_precision_loss, reason = "counts of more than 53 bits differ by more than one")]
    if count < LARGE { count.saturating_mul(1_000_000) } else { weight_of_large(count as f64) }
}

/// The weight of a rank where there are no counts, by Zipf's law: the second is half as common as the first.
pub(crate) fn weight_of_rank(rank: u64) -> u64 {
    1_000_000_000_000_000_000_u64.checked_div(rank.saturating_add(1)).unwrap_or(0)
}

/// From this count on, weights do not rise as counts do, so that 64 bits have all.
const LARGE: u64 = 10_000_000_000_000;

/// The weight of a count from [`LARGE`] on: that of `LARGE`, and the logarithm of the ratio. It is below the
/// highest number up to a count of 10^49.
fn weight_of_large(count: f64) -> u64 {
    #[allow(clippy::cast_precision_loss, reason = "a power of ten")]
    let ratio = (count / LARGE as f64).ln() * 1e17;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the highest number")]
    let above = ratio as u64;
    LARGE.saturating_mul(1_000_000).saturating_add(above)
}

/// The weight of a share. A negative one, a logarithm, is below all others of them but in their order.
pub(crate) fn weight_of_share(share: f64) -> u64 {
    #[allow(clippy::cast_precision_loss, reason = "a power of ten")]
    if share >= LARGE as f64 {
        return weight_of_large(share);
    }
    let millionths = if share < 0.0 { 1e6 / (1.0 - share) } else { share * 1e6 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the highest number")]
    let weight = millionths as u64;
    weight
}

/// A number with a point, perhaps with a sign and an exponent.
pub(crate) fn is_decimal(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'e' | b'E' | b'+');
    text.contains('.') && text.bytes().all(is_part) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also beyond what 64 bits hold.
    #[test]
    fn higher_counts_have_higher_weights() {
        let counts = ["1", "2.5", "9000000000", "18000000000000", "18000000000001", "99000000000000000000"];
        let more = ["990,000,000,000,000,000,000", "9.9e22"];
        let weights: Vec<_> = counts.iter().chain(&more).map(|count| weight(count.as_bytes())).collect();
        assert!(
            weights.is_sorted_by(|a, b| a < b) && weights.first() == Some(&Some(1_000_000)),
            "{weights:?}"
        );
        assert!(weight_of_rank(1) > weight_of_rank(2) && weight_of_rank(999_999) > weight_of_rank(1_000_000));
    }

    #[test]
    fn numbers_may_have_commas_between_thousands() {
        assert_eq!(
            ["1,234", "12,345,678", "7."].map(|text| number(text.as_bytes())),
            [Some(1234), Some(12_345_678), Some(7)]
        );
        for text in ["1,23", "1234,567", ",123", "1,234a", "", "1,,234"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
        assert_eq!(number(b"99999999999999999999999"), Some(u64::MAX));
    }
}
