//! The numbers of `nearmiss.h`. None ever changes its meaning; new ones are added at the end.

use std::ffi::CStr;

use nearmiss_checker::{Reason, Verdict};

/// `NEARMISS_INVALID`: an argument is invalid.
pub(crate) const INVALID: i32 = 3;

/// `NEARMISS_NONE`: there is no reason.
pub(crate) const NONE: i32 = 0;

/// The number of a verdict.
pub(crate) fn of_verdict(verdict: Verdict) -> i32 {
    match verdict {
        Verdict::Accepted => 0,
        Verdict::Rejected => 1,
        Verdict::Unusable => 2,
        Verdict::Fault => 4,
    }
}

/// The code of a reason by its number.
pub(crate) fn code(number: i32) -> &'static CStr {
    let reason = Reason::ALL.into_iter().find(|reason| reason.number() == number);
    reason.map_or(if number == NONE { c"none" } else { c"other" }, Reason::c_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_number_of_its_own_and_its_code() {
        for reason in Reason::ALL {
            assert_eq!(code(reason.number()).to_str(), Ok(reason.code()));
        }
        assert_eq!(code(NONE), c"none");
        assert!([-1, 255, i32::MIN, i32::MAX].iter().all(|number| code(*number) == c"other"));
    }

    /// The header has the same constants.
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
            assert_eq!(reason.number(), value(&name), "{name}");
        }
        assert_eq!((NONE, 255), (value("NEARMISS_NONE"), value("NEARMISS_OTHER")));
        let reasons = header.split("enum nearmiss_reason {").nth(1).and_then(|rest| rest.split('}').next());
        assert_eq!(reasons.unwrap().matches("NEARMISS_").count(), Reason::ALL.len() + 2);
        let verdicts = [Verdict::Accepted, Verdict::Rejected, Verdict::Unusable, Verdict::Fault];
        let names = ["NEARMISS_ACCEPTED", "NEARMISS_REJECTED", "NEARMISS_UNUSABLE", "NEARMISS_FAULT"];
        for (verdict, name) in verdicts.into_iter().zip(names) {
            assert_eq!(of_verdict(verdict), value(name), "{name}");
        }
        assert_eq!(INVALID, value("NEARMISS_INVALID"));
    }
}
