//! Passwords of digits only, perhaps divided by separators: all of up to ten digits are tried in a moment,
//! and so are telephone numbers.

use nearmiss_filters::{
    storage::Bytes,
    word::{Symbol, Word},
};

use super::{
    candidate::Candidate,
    examination::Examination,
    finding::Finding,
    number::{digit, is_divider},
    reason::Reason,
};

/// The highest number of separators.
const MAX_SEPARATORS: usize = 6;

/// The limit of digits from which telephone numbers, which are longer, are rejected as well.
const MIN_OF_TELEPHONES: usize = 10;

/// The beginnings of mobile telephone numbers of 11, 12 and 13 digits, as they are dialled in the country and
/// from abroad, separated by spaces: of forty countries with many inhabitants. Source: the numbering plans in
/// the metadata of libphonenumber 9.0 (Apache-2.0).
const TELEPHONES: [(usize, &[u8]); 3] = [
    (
        11,
        b"010 011 012 015 016 017 018 019 030 031 032 033 034 037 050 053 054 055 070 071 072 073 074 \
          075 077 078 079 080 081 082 083 085 086 087 088 089 090 091 092 093 094 095 096 097 098 099 \
          13 15 17 18 19 119 219 319 419 519 619 719 819 336 337 346 316 485 486 487 488 601 614 628 \
          668 669 79 849 89 947",
    ),
    (
        12,
        b"081 082 083 085 087 088 089 015 016 017 201 212 233 254 255 256 380 393 447 4915 4917 521 \
          522 525 573 628 639 821 849 905 916 917 918 919 923 966 989 998",
    ),
    (13, b"081 082 083 085 087 088 089 234 4915 4917 549 551 552 554 628 861 880 964 977"),
];

/// Finds candidates of digits only, up to the policy's limit, and telephone numbers.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let most = candidate.policy.structure.digits_max;
    let forms = candidate.forms().filter(|form| form.transforms.keep_all());
    if most > 0 && forms.map(|form| &form.word).any(|word| are_digits(word, most)) {
        examination.found(Finding::plain(Reason::Digits));
    }
}

fn are_digits(word: &Word, most: usize) -> bool {
    let digits = word.symbols().filter_map(digit).count();
    let separators = word.symbols().filter(|&symbol| is_separator(symbol)).count();
    digits > 0
        && digits.saturating_add(separators) == word.len()
        && separators <= MAX_SEPARATORS
        && (digits <= most || most >= MIN_OF_TELEPHONES && is_telephone(word, digits))
}

/// True for a character that divides the digits of a date, a time or a telephone number.
fn is_separator(symbol: Symbol) -> bool {
    is_divider(symbol) || matches!(symbol.character(), Some('+' | '(' | ')'))
}

fn is_telephone(word: &Word, digits: usize) -> bool {
    let starts_with = |beginning: &[u8]| {
        let mut own = word.symbols().filter_map(digit);
        beginning.iter().all(|byte| own.next().is_some_and(|digit| digit == byte.wrapping_sub(b'0')))
    };
    let mut of_length = TELEPHONES.iter().filter(|(length, _)| *length == digits);
    of_length.any(|(_, beginnings)| beginnings.split(|&byte| byte == b' ').any(starts_with))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{StructureRules, tests::reason_by};

    fn reason_of(digits_max: usize, text: &str) -> Option<Reason> {
        reason_by(StructureRules { digits_max, ..StructureRules::NONE }, text)
    }

    #[test]
    fn digits_alone_are_rejected_up_to_the_limit() {
        for text in
            ["7", "77117711", "9081726354", "９０８１", "7711-7711", "+49301234", "12:30:45", "1.2.34"]
        {
            assert_eq!(reason_of(10, text), Some(Reason::Digits), "{text}");
            assert_eq!(reason_of(0, text), None, "{text}");
        }
        for text in ["90817263540", "7711771a", "7711&7711", "7.7.1.1.7.7.1.1", "....", "9-081726-35407"] {
            assert_eq!(reason_of(10, text), None, "{text}");
        }
        assert_eq!(reason_of(11, "90817263540"), Some(Reason::Digits));
    }

    #[test]
    fn telephone_numbers_are_rejected_beyond_the_limit() {
        for text in [
            "13812345678",
            "+7 912 345-67-89",
            "89123456789",
            "05321234567",
            "905321234567",
            "09121234567",
            "081234567890",
            "01012345678",
            "380501234567",
            "+49 151 23456789",
            "447700900123",
            "+33 6 12 34 56 78",
            "11987654321",
            "5511987654321",
            "8613812345678",
        ] {
            assert_eq!(reason_of(10, text), Some(Reason::Digits), "{text}");
            assert_eq!(reason_of(9, text), None, "{text}");
        }
        for text in ["23812345678", "138123456789012", "38012345678"] {
            assert_eq!(reason_of(10, text), None, "{text}");
        }
    }

    /// Random numbers are rarely telephone numbers.
    #[test]
    fn the_beginnings_are_a_small_part_of_all_numbers() {
        for ((length, beginnings), most) in TELEPHONES.into_iter().zip([0.17, 0.05, 0.02]) {
            let share: f64 = beginnings
                .split(|&byte| byte == b' ')
                .map(|it| 0.1_f64.powi(i32::try_from(it.len()).unwrap()))
                .sum();
            assert!(share < most, "{length}: {share}");
        }
    }
}
