//! Named sets of parameters. [SH Table II]

use super::params::{Params, ParamsError};

/// A named set of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// H = T = 16, 2 steps, 2²² bits: refused after 4/5/6 users with probability .60/.90/.99.
    Default,
    /// H = T = 16, 3 steps: Table II's row for 5 million users.
    Paper5M,
    /// H = T = 20, 1 step: Table II's row for 100 million users.
    Paper100M,
    /// H = 48, T = 44, 1 step: guessed passwords on one host. [SH Table II], sized for a host
    Guesses,
    /// H = 64, T = 58, 1 step: guessed passwords that trigger an action. [SH Table II], sized for a host
    GuessesAction,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 5] =
        [Self::Default, Self::Paper5M, Self::Paper100M, Self::Guesses, Self::GuessesAction];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Paper5M => "paper-5m",
            Self::Paper100M => "paper-100m",
            Self::Guesses => "guesses",
            Self::GuessesAction => "guesses-action",
        }
    }

    /// The preset of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Rungs, threshold, steps.
    const fn shape(self) -> (u32, u32, u32) {
        match self {
            Self::Default => (16, 16, 2),
            Self::Paper5M => (16, 16, 3),
            Self::Paper100M => (20, 20, 1),
            Self::Guesses => (48, 44, 1),
            Self::GuessesAction => (64, 58, 1),
        }
    }

    /// Bits for one host. Table II's own arrays (2³³ and 2²⁹) serve its millions of users; give their size
    /// explicitly, or let [`bits_for_users`](crate::ladder::plan::bits_for_users) choose.
    const fn host_bits(self) -> u64 {
        match self {
            Self::Default | Self::Paper5M | Self::Paper100M => 1 << 22,
            Self::Guesses | Self::GuessesAction => 1 << 24,
        }
    }

    /// The preset with an array of `bits`, or of its own size for one host.
    ///
    /// # Errors
    /// [`ParamsError::Bits`] if `bits` is not a valid size of a ladder.
    pub const fn params(self, bits: Option<u64>) -> Result<Params, ParamsError> {
        let (rungs, threshold, steps) = self.shape();
        let bits = match bits {
            Some(bits) => bits,
            None => self.host_bits(),
        };
        Params::new(bits, rungs, threshold, steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::plan::refusals::refused;

    #[test]
    fn presets_do_what_they_say() {
        for preset in Preset::ALL {
            assert_eq!(Preset::named(preset.name()), Some(preset));
            assert!(preset.params(None).is_ok());
        }
        let default = Preset::Default.params(None).unwrap();
        assert_eq!((default.bits(), default.rungs(), default.steps()), (1 << 22, 16, 2));
        for (users, expected) in [(4, 0.60), (5, 0.90), (6, 0.99)] {
            let refused = refused(default.rungs(), default.threshold(), default.steps(), users);
            assert!((refused - expected).abs() < 0.006, "{users}: {refused}");
        }
        assert_eq!(Preset::named("no-such"), None);
    }
}
