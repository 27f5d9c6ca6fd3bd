//! The numbers of `nearmiss.h`. None ever changes its meaning; new ones are added at the end.

use std::ffi::CStr;

use nearmiss_checker::{Reason, Verdict};

/// `NEARMISS_INVALID`: an argument is not what it has to be.
pub(crate) const INVALID: i32 = 3;

/// `NEARMISS_NONE`: there is no reason.
pub(crate) const NONE: i32 = 0;

/// `NEARMISS_OTHER`: a reason that the header does not know.
const OTHER: i32 = 255;

/// The number of a verdict.
pub(crate) fn of_verdict(verdict: Verdict) -> i32 {
    match verdict {
        Verdict::Accepted => 0,
        Verdict::Rejected => 1,
        Verdict::Unusable => 2,
        Verdict::Fault => 4,
    }
}

/// The number of a reason.
pub(crate) fn of_reason(reason: Reason) -> i32 {
    match reason {
        Reason::Empty => 1,
        Reason::TooLong => 2,
        Reason::TooShort { .. } => 3,
        Reason::NearUserName => 4,
        Reason::NearRealName => 5,
        Reason::NearHostName => 6,
        Reason::NearOldPassword => 7,
        Reason::Dictionary => 8,
        Reason::NearDictionary => 9,
        Reason::Breached => 10,
        Reason::TooCommonHere => 11,
        Reason::GuessedHere => 12,
        Reason::Digits => 13,
        Reason::Pattern => 14,
        Reason::TwoWords => 15,
        Reason::MostlyWord => 16,
        Reason::ForbiddenWord => 17,
        Reason::FewLetters => 18,
        _ => OTHER,
    }
}

/// The codes of the reasons, by their numbers.
const CODES: [&CStr; 19] = [
    c"none",
    c"empty",
    c"too-long",
    c"too-short",
    c"near-user-name",
    c"near-real-name",
    c"near-host-name",
    c"near-old-password",
    c"dictionary",
    c"near-dictionary",
    c"breached",
    c"too-common-here",
    c"guessed-here",
    c"digits",
    c"pattern",
    c"two-words",
    c"mostly-word",
    c"forbidden-word",
    c"few-letters",
];

/// The code of a reason by its number.
pub(crate) fn code(reason: i32) -> &'static CStr {
    usize::try_from(reason).ok().and_then(|index| CODES.get(index)).copied().unwrap_or(c"other")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each reason of the library has a number of its own, under the name that logs have for it.
    #[test]
    fn every_reason_has_a_number_and_its_own_code() {
        for reason in Reason::ALL {
            assert_eq!(code(of_reason(reason)).to_str(), Ok(reason.code()));
        }
        assert_eq!(code(NONE), c"none");
        assert!([-1, 19, OTHER, i32::MIN, i32::MAX].iter().all(|number| code(*number) == c"other"));
    }

    /// The header's constants are these.
    #[test]
    fn the_header_says_the_same() {
        let header = include_str!("../include/nearmiss.h");
        let value = |name: &str| {
            let line = header.lines().find(|line| line.trim_start().starts_with(&format!("{name} = ")));
            let number =
                line.and_then(|line| line.split("= ").nth(1)?.split([',', ' ']).next()?.parse().ok());
            number.unwrap_or_else(|| panic!("{name} is not in the header"))
        };
        for reason in Reason::ALL {
            let name = format!("NEARMISS_{}", reason.code().replace('-', "_").to_uppercase());
            assert_eq!(of_reason(reason), value(&name), "{name}");
        }
        assert_eq!((NONE, OTHER), (value("NEARMISS_NONE"), value("NEARMISS_OTHER")));
        let verdicts = [Verdict::Accepted, Verdict::Rejected, Verdict::Unusable, Verdict::Fault];
        let names = ["NEARMISS_ACCEPTED", "NEARMISS_REJECTED", "NEARMISS_UNUSABLE", "NEARMISS_FAULT"];
        for (verdict, name) in verdicts.into_iter().zip(names) {
            assert_eq!(of_verdict(verdict), value(name), "{name}");
        }
        assert_eq!(INVALID, value("NEARMISS_INVALID"));
    }
}
