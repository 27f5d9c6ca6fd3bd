//! A ladder given by its four numbers, and a frequency, on a command line.

use nearmiss_filters::ladder::Params;
use nearmiss_toolkit::ladder::numbers::{bits, rungs, share};

use crate::failure::Failure;

/// A ladder given by its four numbers.
#[derive(clap::Args)]
pub(super) struct Shape {
    /// Bits of the array: a power of two, also written as 2^29.
    #[arg(long, value_name = "N", value_parser = bits)]
    pub(super) bits: u64,
    /// Rungs of one password.
    #[arg(long, value_name = "H", value_parser = rungs())]
    pub(super) rungs: u32,
    /// The height from which a password is too common.
    #[arg(long, value_name = "T", value_parser = rungs())]
    pub(super) threshold: u32,
    /// Steps taken for one observation.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = rungs())]
    pub(super) steps: u32,
}

impl Shape {
    /// The ladder's parameters.
    ///
    /// # Errors
    /// A [`Failure`] when no ladder has them.
    pub(super) fn params(&self) -> Result<Params, Failure> {
        Params::new(self.bits, self.rungs, self.threshold, self.steps)
            .map_err(|e| Failure::new("there is no such ladder", e))
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
}
