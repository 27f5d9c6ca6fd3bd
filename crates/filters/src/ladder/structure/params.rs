//! The four parameters of a ladder, and their limits.

use std::error::Error;
use std::fmt;

use crate::keys::{self, Keyed, MessageKey};

/// The lowest number of bits of a ladder: 2⁹. A file has at least one page, see `header`.
pub const MIN_BITS: u64 = 1 << 9;
/// The highest number of bits of a ladder: 2³⁶ (8 GiB).
pub const MAX_BITS: u64 = 1 << 36;
/// The highest number of rungs of an element.
pub const MAX_RUNGS: u32 = 128;

/// The parameters of a ladder: bits N, rungs H, threshold T, steps per observation.
///
/// ```
/// use nearmiss_filters::ladder::Params;
/// let params = Params::new(1 << 22, 16, 16, 2)?;
/// assert_eq!(params.rungs(), 16);
/// # Ok::<(), nearmiss_filters::ladder::ParamsError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    bits: u64,
    rungs: u32,
    threshold: u32,
    steps: u32,
}

impl Params {
    /// Parameters within the limits that every part of this module relies on.
    ///
    /// # Errors
    /// [`ParamsError`] names the first number that is outside its limits.
    pub const fn new(bits: u64, rungs: u32, threshold: u32, steps: u32) -> Result<Self, ParamsError> {
        if !bits.is_power_of_two() || bits < MIN_BITS || bits > MAX_BITS {
            return Err(ParamsError::Bits(bits));
        }
        if rungs == 0 || rungs > MAX_RUNGS {
            return Err(ParamsError::Rungs(rungs));
        }
        if threshold == 0 || threshold > rungs {
            return Err(ParamsError::Threshold { threshold, rungs });
        }
        if steps == 0 || steps > rungs {
            return Err(ParamsError::Steps { steps, rungs });
        }
        Ok(Self { bits, rungs, threshold, steps })
    }

    /// N: bits in the array.
    pub const fn bits(&self) -> u64 {
        self.bits
    }

    /// H: rungs of one element.
    pub const fn rungs(&self) -> u32 {
        self.rungs
    }

    /// T: the height from which an element is frequent.
    pub const fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Steps taken for one observation.
    pub const fn steps(&self) -> u32 {
        self.steps
    }
}

/// A number outside the limits of [`Params`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamsError {
    /// The number of bits.
    Bits(u64),
    /// The number of rungs.
    Rungs(u32),
    /// The threshold, with the rungs it must not exceed.
    Threshold {
        /// The given value.
        threshold: u32,
        /// The rungs of one element.
        rungs: u32,
    },
    /// The steps, with the rungs they must not exceed.
    Steps {
        /// The given value.
        steps: u32,
        /// The rungs of one element.
        rungs: u32,
    },
}

impl fmt::Display for ParamsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits(bits) => {
                write!(f, "{bits} bits: must be a power of two from {MIN_BITS} to {MAX_BITS}")
            }
            Self::Rungs(rungs) => write!(f, "{rungs} rungs: must be from 1 to {MAX_RUNGS}"),
            Self::Threshold { threshold, rungs } => {
                write!(f, "threshold {threshold}: must be from 1 to the {rungs} rungs")
            }
            Self::Steps { steps, rungs } => write!(f, "{steps} steps: must be from 1 to the {rungs} rungs"),
        }
    }
}

impl Keyed for ParamsError {
    fn key(&self) -> MessageKey {
        keys::LADDER_PARAMETERS
    }
}

impl Error for ParamsError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_refused_one_beyond() {
        assert_eq!(Params::new(1 << 8, 4, 4, 1), Err(ParamsError::Bits(256)));
        assert_eq!(Params::new(1 << 37, 4, 4, 1), Err(ParamsError::Bits(1 << 37)));
        assert_eq!(Params::new(1000, 4, 4, 1), Err(ParamsError::Bits(1000)));
        assert_eq!(Params::new(1024, 0, 1, 1), Err(ParamsError::Rungs(0)));
        assert_eq!(Params::new(1024, 129, 1, 1), Err(ParamsError::Rungs(129)));
        assert_eq!(Params::new(1024, 4, 5, 1), Err(ParamsError::Threshold { threshold: 5, rungs: 4 }));
        assert_eq!(Params::new(1024, 4, 0, 1), Err(ParamsError::Threshold { threshold: 0, rungs: 4 }));
        assert_eq!(Params::new(1024, 4, 4, 0), Err(ParamsError::Steps { steps: 0, rungs: 4 }));
        assert_eq!(Params::new(1024, 4, 4, 5), Err(ParamsError::Steps { steps: 5, rungs: 4 }));
        for bits in [1 << 9, 1024, 1 << 36] {
            assert!(Params::new(bits, 128, 128, 128).is_ok());
        }
    }

    #[test]
    fn every_error_says_what_is_allowed() {
        for (error, part) in [
            (ParamsError::Bits(3), "power of two"),
            (ParamsError::Rungs(0), "from 1 to 128"),
            (ParamsError::Threshold { threshold: 9, rungs: 8 }, "the 8 rungs"),
            (ParamsError::Steps { steps: 9, rungs: 8 }, "the 8 rungs"),
        ] {
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
