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
        return Some(weight_of_count(count));
    }
    is_decimal(text).then_some(())?;
    text.parse::<f64>().ok().filter(|share| share.is_finite()).map(weight_of_share)
}

/// The weight of a count, for lists of every form.
pub(crate) fn weight_of_count(count: u64) -> u64 {
    count.saturating_mul(1_000_000)
}

/// The weight of a share. A negative one, a logarithm, is below all others of them but in their order.
pub(crate) fn weight_of_share(share: f64) -> u64 {
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
