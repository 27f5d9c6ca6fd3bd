//! Ladders by their four parameters, and a frequency, on a command line.

use nearmiss_cli::ladder::numbers::{bits, rungs, share};
use nearmiss_cli::{failure::Failure, keys};
use nearmiss_filters::ladder::Params;

use super::sweep::Case;

/// A ladder given by its four numbers, with one curve for each value.
#[derive(clap::Args)]
pub(super) struct Shape {
    /// Bits of the array: a power of two, also written as 2^29.
    #[arg(long, value_name = "N", value_parser = bits, num_args = 1.., required_unless_present = "figure")]
    pub(super) bits: Vec<u64>,
    /// Rungs of one password.
    #[arg(long, value_name = "H", value_parser = rungs(), num_args = 1.., required_unless_present = "figure")]
    pub(super) rungs: Vec<u32>,
    /// The height from which a password is too common.
    #[arg(long, value_name = "T", value_parser = rungs(), num_args = 1.., required_unless_present = "figure")]
    pub(super) threshold: Vec<u32>,
    /// Steps taken for one observation.
    #[arg(long, value_name = "K", default_values_t = [1_u32], value_parser = rungs(), num_args = 1..)]
    pub(super) steps: Vec<u32>,
    /// The share of all observations that the password makes up.
    #[arg(long, value_name = "F", value_parser = share, num_args = 1.., required_unless_present = "figure")]
    pub(super) frequency: Vec<f64>,
}

impl Shape {
    /// Every ladder and frequency that is given.
    pub(super) fn cases(&self) -> Vec<Case> {
        let cases = Case::each(&[Case::default()], &self.bits, |case, value| case.bits = value);
        let cases = Case::each(&cases, &self.rungs, |case, value| case.rungs = value);
        let cases = Case::each(&cases, &self.threshold, |case, value| case.threshold = value);
        let cases = Case::each(&cases, &self.steps, |case, value| case.steps = value);
        Case::each(&cases, &self.frequency, |case, value| case.frequency = value)
    }
}

/// The parameters of a case.
///
/// # Errors
/// A [`Failure`] if no ladder has them.
pub(super) fn params(case: &Case) -> Result<Params, Failure> {
    Params::new(case.bits, case.rungs, case.threshold, case.steps)
        .map_err(|e| Failure::new("cannot make a ladder with these parameters", e))
}

/// The only case.
///
/// # Errors
/// A [`Failure`] for several, which are curves.
pub(super) fn only(cases: &[Case]) -> Result<Case, Failure> {
    match cases {
        [case] => Ok(*case),
        _ => Err(Failure::plain(
            keys::ARGUMENTS,
            "several values need --over, which names the parameter to draw curves over",
        )),
    }
}

/// Reads a frequency that may be 0.
pub(super) fn frequency_or_none(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(0.0) => Ok(0.0),
        _ => share(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequency_may_be_0() {
        assert_eq!(frequency_or_none("0"), Ok(0.0));
        assert!(frequency_or_none("-1").is_err());
    }

    #[test]
    fn one_case_is_no_curve() {
        assert!(only(&[Case::default()]).is_ok());
        assert!(only(&[Case::default(), Case::default()]).is_err());
    }
}
