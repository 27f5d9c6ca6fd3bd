//! Numbers that people put next to a word: dates, and usual runs of digits.

#![allow(clippy::arithmetic_side_effects, reason = "numbers of at most four digits")]

use nearmiss_filters::word::Symbol;

use std::ops::RangeInclusive;

/// The years of people's lives, and some to come.
const YEARS: RangeInclusive<u16> = 1890..=2035;

/// The most digits of a number that is examined.
const MAX_DIGITS: usize = 8;

/// The least digits of a date.
const MIN_DATE: usize = 4;

/// The most parts of a date.
const MAX_PARTS: usize = 3;

/// The lengths of the parts of a date without dividers, by the number of its digits.
const WIDTHS: [&[usize]; 7] = [&[4], &[2, 2], &[2, 2, 2], &[2, 4], &[4, 2], &[2, 2, 4], &[4, 2, 2]];

/// The least length of a usual run.
const MIN_RUN: usize = 3;

/// The value of a decimal digit.
pub(super) fn digit(symbol: Symbol) -> Option<u8> {
    let value = symbol.value().wrapping_sub(u32::from('0'));
    u8::try_from(value).ok().filter(|&value| value < 10)
}

/// True for a character that may divide the parts of a date.
pub(super) fn is_divider(symbol: Symbol) -> bool {
    matches!(symbol.character(), Some('-' | '.' | '/' | ' ' | ':' | '_' | ','))
}

/// The digits of a number, and where it is divided.
#[derive(Default)]
pub(super) struct Number {
    digits: [u8; MAX_DIGITS],
    length: usize,
    /// The number of digits of each part.
    widths: [usize; MAX_PARTS],
    parts: usize,
}

/// A part of a date.
#[derive(Clone, Copy, Default)]
struct Part {
    value: u16,
    width: usize,
}

impl Number {
    /// The number in these symbols: at most eight digits, in at most three parts with one divider between
    /// them.
    pub(super) fn read(symbols: impl Iterator<Item = Symbol>) -> Option<Number> {
        let mut number = Number { parts: 1, ..Number::default() };
        for symbol in symbols {
            if let Some(digit) = digit(symbol) {
                *number.digits.get_mut(number.length)? = digit;
                *number.widths.get_mut(number.parts - 1)? += 1;
                number.length += 1;
            } else {
                if !is_divider(symbol) || number.widths.get(number.parts - 1) == Some(&0) {
                    return None;
                }
                number.parts += 1;
            }
        }
        (number.length > 0).then_some(number)
    }

    /// The number of digits, if no divider is between them.
    pub(super) fn undivided(&self) -> Option<usize> {
        (self.parts == 1).then_some(self.length)
    }

    /// True for a year, a day with a month, and both with a year, in any usual order; of four digits at
    /// least, since fewer with a divider are in many a random password.
    pub(super) fn is_date(&self) -> bool {
        if self.length < MIN_DATE {
            return false;
        }
        match self.widths.get(..self.parts) {
            Some([length]) => {
                WIDTHS.iter().any(|widths| widths.iter().sum::<usize>() == *length && self.is_date_of(widths))
            }
            Some(widths) => self.is_date_of(widths),
            None => false,
        }
    }

    fn is_date_of(&self, widths: &[usize]) -> bool {
        let mut parts = [Part::default(); MAX_PARTS];
        let mut digits = self.digits.iter();
        for (part, &width) in parts.iter_mut().zip(widths) {
            let value = digits.by_ref().take(width.min(4)).fold(0, |sum, digit| 10 * sum + u16::from(*digit));
            *part = Part { value, width };
        }
        match parts.get(..widths.len()) {
            Some([only]) => only.is_year(),
            Some([first, second]) => {
                are_day_and_month(*first, *second)
                    || first.is_month() && second.is_year()
                    || first.is_year() && second.is_month()
            }
            Some([first, second, third]) => {
                are_day_and_month(*first, *second) && third.is_year_or_its_end()
                    || first.is_year_or_its_end() && are_day_and_month(*second, *third)
            }
            _ => false,
        }
    }

    /// True for three digits or more that are equal, or that follow each other in equal steps of up to four;
    /// for four that are a pair twice or two pairs; and for 007.
    pub(super) fn is_usual_run(&self) -> bool {
        let digits = self.digits.get(..self.length).unwrap_or_default();
        let step = |pair: &[u8]| match *pair {
            [9, 0] => Some(1),
            [first, second] => Some(i16::from(second) - i16::from(first)).filter(|step| step.abs() <= 4),
            _ => None,
        };
        let mut steps = digits.windows(2).map(step);
        let first = steps.next().flatten();
        let has_equal_steps = first.is_some() && steps.all(|step| step == first);
        let are_pairs = matches!(*digits, [a, b, c, d] if (a, b) == (c, d) || (a, c) == (b, d));
        self.parts == 1 && (digits.len() >= MIN_RUN && has_equal_steps || are_pairs || *digits == [0, 0, 7])
    }
}

impl Part {
    fn is_year(self) -> bool {
        self.width == 4 && YEARS.contains(&self.value)
    }

    fn is_year_or_its_end(self) -> bool {
        self.width == 2 || self.is_year()
    }

    fn is_day(self) -> bool {
        self.width <= 2 && (1..=31).contains(&self.value)
    }

    fn is_month(self) -> bool {
        self.width <= 2 && (1..=12).contains(&self.value)
    }
}

fn are_day_and_month(first: Part, second: Part) -> bool {
    first.is_day() && second.is_month() || first.is_month() && second.is_day()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Option<Number> {
        Number::read(text.chars().map(Symbol::of))
    }

    fn is_date(text: &str) -> bool {
        number(text).is_some_and(|number| number.is_date())
    }

    fn is_usual_run(text: &str) -> bool {
        number(text).is_some_and(|number| number.is_usual_run())
    }

    #[test]
    fn dates_are_years_and_days_in_the_usual_orders() {
        for text in [
            "1890",
            "1990",
            "2035",
            "3112",
            "1231",
            "010190",
            "311299",
            "903112",
            "19901231",
            "31121990",
            "12311990",
            "061990",
            "199006",
            "31.12.1990",
            "1-1-90",
            "1990/6",
            "6 1990",
            "2024-02-29",
            "24.12",
            "1-1-90",
        ] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "1889",
            "2036",
            "3213",
            "0000",
            "123",
            "12345",
            "1234567",
            "19901332",
            "320190",
            "1..2",
            ".1990",
            "1.2.3.4",
            "1990.1990",
            "123456789",
            "",
            "12a",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn usual_runs_are_equal_steps_and_pairs() {
        for text in
            ["123", "321", "777", "1234", "98765", "7890", "246", "135", "159", "963", "007", "1212", "1122"]
        {
            assert!(is_usual_run(text), "{text}");
        }
        for text in ["12", "124", "160", "1232", "12345679", "1-2-3", "070", "121", "12121"] {
            assert!(!is_usual_run(text), "{text}");
        }
    }

    /// By definition: the text is one of all dates in one of the forms.
    fn is_date_by_definition(text: &str) -> bool {
        let years: Vec<String> = (1890..=2035).map(|year: u32| year.to_string()).collect();
        let ends: Vec<String> = (0..100).map(|end| format!("{end:02}")).collect();
        let days = (1..=31).flat_map(|day| (1..=12).map(move |month| (day, month)));
        let days: Vec<[String; 2]> =
            days.flat_map(|(d, m)| [[d, m], [m, d]].map(|it| it.map(|it: u32| format!("{it:02}")))).collect();
        let months = (1..=12).map(|month| format!("{month:02}"));
        let starts = |it: &String| text.starts_with(it.as_str());
        let ends_with = |it: &String| text.ends_with(it.as_str());
        let of_years = |length: usize| if length == 4 { years.clone() } else { ends.clone() };
        match text.len() {
            4 => years.contains(&text.to_owned()) || days.iter().any(|day| day.concat() == text),
            6 | 8 => {
                let years = of_years(text.len() - 4);
                let is_whole = days.iter().map(|day| day.concat()).any(|day| {
                    starts(&day) && years.iter().any(|year| format!("{day}{year}") == text)
                        || ends_with(&day) && years.iter().any(|year| format!("{year}{day}") == text)
                });
                is_whole
                    || text.len() == 6
                        && months.into_iter().any(|month| {
                            let years = of_years(4);
                            years
                                .iter()
                                .any(|y| format!("{month}{y}") == text || format!("{y}{month}") == text)
                        })
            }
            _ => false,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn dates_without_dividers_are_those_of_the_definition(
            text in "(19|20|18)?[0-9]{2}|[0-3][0-9][01][0-9]|[0-3][0-9][01][0-9](19|20)?[0-9]{2}|\
                     (19|20)?[0-9]{2}[01][0-9][0-3]?[0-9]|[0-9]{1,9}",
        ) {
            prop_assert_eq!(is_date(&text), is_date_by_definition(&text), "{}", text);
        }
    }
}
