//! Numbers beside words: counts, or passwords of digits, years, numbers of houses.

use crate::{line::nine_in_ten, table::number};

/// True for numbers that are in order, or of many lengths, as counts of words are (a few words have most of
/// them); others are nearly all of one length, or begin with zeros.
pub(super) fn are_counts(fields: &[&[u8]]) -> bool {
    let digits: Vec<&[u8]> =
        fields.iter().copied().filter(|field| field.iter().all(u8::is_ascii_digit)).collect();
    if !nine_in_ten(digits.len(), fields.len()) {
        return true;
    }
    let has_zeros = |field: &&&[u8]| field.len() > 1 && field.starts_with(b"0");
    if digits.iter().filter(has_zeros).count().saturating_mul(20) > digits.len() {
        return false;
    }
    let numbers: Vec<u64> = digits.iter().filter_map(|field| number(field)).collect();
    is_in_order(&numbers) || !are_of_one_length(&digits)
}

/// True if nearly all fall, or nearly all rise.
fn is_in_order(numbers: &[u64]) -> bool {
    let pairs = numbers.len().saturating_sub(1);
    let are_most = |is_next: fn(u64, u64) -> bool| {
        let next = numbers.windows(2).filter(|pair| matches!(pair, [a, b] if is_next(*a, *b))).count();
        next.saturating_mul(20) >= pairs.saturating_mul(19)
    };
    are_most(|a, b| a >= b) || are_most(|a, b| a <= b)
}

/// True if four in five have as many digits, and more than one.
fn are_of_one_length(digits: &[&[u8]]) -> bool {
    let longest = digits.iter().map(|field| field.len()).max().unwrap_or(0);
    let with = |length: usize| digits.iter().filter(|field| field.len() == length).count();
    (2..=longest).any(|length| with(length).saturating_mul(5) >= digits.len().saturating_mul(4))
}
